/** Address of a database behind a Unix socket, in the form `pg` and kysely-codegen understand. */
export function socketUrl(target: {
  user: string
  database: string
  socketDir: string
  port: number
}): string {
  const host = encodeURIComponent(target.socketDir)
  return `postgres://${target.user}@localhost:${target.port}/${encodeURIComponent(target.database)}?host=${host}`
}
