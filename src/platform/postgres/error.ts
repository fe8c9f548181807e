/** The embedded database cannot run here; the message says why and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}
