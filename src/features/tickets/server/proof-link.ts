/** The path at which the holder of an entry proves it; null until the entry is in the log. */
export const proofLink = ({
  slug,
  number,
  proof_salt: salt,
  id,
}: {
  slug: string
  number: number
  proof_salt: string | null
  id: string
}): string | null => (salt === null ? null : `/draws/${slug}#${number}.${salt}.${id}`)
