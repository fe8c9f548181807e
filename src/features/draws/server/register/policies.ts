/** Policies of witnesses: who is asked, and when a quorum had signed (docs/draw-v1.md, section 6). */
import { createPublicKey, verify } from 'node:crypto'
import type { ReadDatabase } from '#platform/database.ts'
import {
  type Cosignature,
  MOST_BEHIND,
  type VerifyMlDsa,
  witnessKeyText,
} from '#draw-protocol/cosignatures.ts'
import {
  PolicyFault,
  type WitnessPolicy,
  confirmedAt,
  fewest,
  parsePolicy,
} from '#draw-protocol/witness-policy.ts'
import { drawFilesRepository } from '../draw-files.repository.ts'
import { fileText } from '../draw-files.ts'
import { sha256 } from '../sha256.ts'
import { type CosignedCheckpoint, registerRepository } from './register.repository.ts'

/** The policy of the shop, as its file has it. */
export interface ShopPolicy {
  text: string
  policy: WitnessPolicy
}

/** What precedes a key of ML-DSA-44 in SubjectPublicKeyInfo. */
const SPKI = Buffer.from('30820532300b06096086480165030403110382052100', 'hex')

/** By Node's OpenSSL. */
export const verifyMlDsa: VerifyMlDsa = (signature, message, publicKey) =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' }),
    signature,
  )

/** A checkpoint of the register, and by when a quorum had signed it, in Unix seconds. */
export interface Confirmed {
  id: number
  size: number
  time: number
}

/** Those of the cosigned checkpoints that a quorum has signed, the oldest first. */
export function confirmedBy(policy: WitnessPolicy, cosigned: readonly CosignedCheckpoint[]): Confirmed[] {
  const keys = new Map(policy.witnesses.map(({ key }) => [witnessKeyText(key), key]))
  const checkpoints = Map.groupBy(cosigned, ({ id }) => id)
  return [...checkpoints.values()].flatMap((rows) => {
    const { id, size } = rows[0]!
    const cosignatures = rows.flatMap(({ vkey, at, time }): Cosignature[] => {
      const key = keys.get(vkey)
      return key && time >= at - MOST_BEHIND ? [{ key, time }] : []
    })
    const time = confirmedAt(policy, cosignatures)
    return time === null ? [] : [{ id, size, time }]
  })
}

/** Those that confirm leaves of the register first, and the last ones. @param upTo id of the last one */
export const confirmedFor = async (
  db: ReadDatabase,
  policy: WitnessPolicy,
  indexes: readonly number[],
  upTo?: number,
): Promise<Confirmed[]> =>
  confirmedBy(
    policy,
    await registerRepository(db).cosigned(indexes, {
      vkeys: policy.witnesses.map(({ key }) => witnessKeyText(key)),
      least: fewest(policy),
      ...(upTo !== undefined && { upTo }),
    }),
  )

/** The one that confirms a leaf first: its time is A of docs/draw-v1.md. */
export const confirmationOf = (confirmed: readonly Confirmed[], index: number): Confirmed | undefined =>
  confirmed.filter(({ size }) => size > index).toSorted((a, b) => a.time - b.time || a.id - b.id)[0]

/** The policy that the terms of a draw name; null when they ask for nobody. */
export async function policyOfDraw(db: ReadDatabase, offerId: number): Promise<WitnessPolicy | null> {
  if (!(await drawFilesRepository(db).file(offerId, 'policy.txt'))) return null
  const policy = parsePolicy(await fileText(db, offerId, 'policy.txt'), sha256)
  return policy.quorum === null ? null : policy
}

/** When witnesses had confirmed leaves of a contest's log, in Unix seconds; null while they have not. */
export async function attestedAt(
  db: ReadDatabase,
  policy: WitnessPolicy,
  slug: string,
  leaves: readonly number[],
): Promise<(number | null)[]> {
  const stored = registerRepository(db)
  const registered = await Promise.all(leaves.map((leaf) => stored.indexFor(slug, leaf)))
  const indexes = registered.filter((index) => index !== undefined)
  const confirmed = await confirmedFor(db, policy, indexes)
  return registered.map((index) =>
    index === undefined ? null : (confirmationOf(confirmed, index)?.time ?? null),
  )
}

/** What the length of a name is written with. */
const MOST_NAME_BYTES = 255

/**
 * Reads the policy of the shop, as it is published: lines end with LF, the last one too.
 * @returns what is wrong with it, in English for the operator
 */
export function shopPolicy(given: string): ShopPolicy | string {
  const text = `${given
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trimEnd()}\n`
  const other = text.split('\n').findIndex((line) => !/^[\t\x20-\x7e]*$/.test(line))
  if (other >= 0) return `line ${other + 1}: a character that is not ASCII`
  try {
    const policy = parsePolicy(text, sha256)
    for (const { key, url } of policy.witnesses) {
      if (url === null) return `the witness ${key.name} without an address to ask it at`
      if (!URL.canParse(url)) return `the address "${url}" of the witness ${key.name}`
      if (key.name.length > MOST_NAME_BYTES) return `a name of more than ${MOST_NAME_BYTES} characters`
    }
    return { text, policy }
  } catch (error) {
    if (error instanceof PolicyFault) return error.message
    throw error
  }
}
