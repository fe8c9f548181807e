/** What of an entry its proof link has. */
interface ProvenTicket {
  slug: string
  number: number
  /** As base64url; null until the entry is in the log. */
  proof_salt: string | null
  id: string
  /** Null until the terms are published. */
  terms_hash: Buffer | null
}

/** The path at which the holder of an entry proves it (docs/draw-v1.md, section 2); null until the entry is in the log. */
export const proofLink = ({
  slug,
  number,
  proof_salt: salt,
  id,
  terms_hash: terms,
}: ProvenTicket): string | null =>
  salt === null || terms === null
    ? null
    : `/draws/${slug}#${number}.${salt}.${id}.${Buffer.from(terms).toString('base64url')}`
