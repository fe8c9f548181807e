/** What a winner claims, as the leaf of the claim binds it (docs/draw-v1.md, section 4). */
import { NONE, tagOf } from './formats.ts'

export interface ClaimFile {
  contest: string
  attempt: number
  number: number
  /** 32 random bytes in hexadecimal. */
  salt: string
  name: string
  /** One line or more. */
  address: readonly string[]
  postcode: string | null
  city: string
  /** Two capital letters. */
  country: string
  phone: string | null
}

/** The text of `claim.txt`, whose SHA-256 the leaf has; the values have no line breaks. */
export const claimText = (claim: ClaimFile): string =>
  [
    tagOf('volant-claim-v1', false),
    `contest: ${claim.contest}`,
    `attempt: ${claim.attempt}`,
    `number: ${claim.number}`,
    `salt: ${claim.salt}`,
    `name: ${claim.name}`,
    ...claim.address.map((line) => `address: ${line}`),
    `postcode: ${claim.postcode ?? NONE}`,
    `city: ${claim.city}`,
    `country: ${claim.country}`,
    `phone: ${claim.phone ?? NONE}`,
    '',
  ].join('\n')
