/** Invited people outside of the shop countersign checkpoints; their lines are published with the shop's. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { audit } from '#platform/audit-log.ts'
import type { Database, Sql } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { fromBase64, toBytes } from '#draw-protocol/bytes.ts'
import { keyIdOf, verifierKeyText } from '#draw-protocol/checkpoints.ts'
import { isWitnessLine, isWitnessName, keyProofText } from '#draw-protocol/witness.ts'
import type { WitnessBody, WitnessDraw, WitnessKeyBody } from '../../witness.contract.ts'
import { sha256 } from '../sha256.ts'
import { type StoredKey, witnessesRepository, witnessesWrites } from './witnesses.repository.ts'

export interface WitnessesDeps {
  db: Database
  /** Of the shop's public address. */
  host: string
}

const keyOf = ({ name, public_key }: Pick<StoredKey, 'name' | 'public_key'>) => ({
  name,
  verifier_key: verifierKeyText(name, public_key, sha256),
})

/** What a witness may sign of a draw. @throws Refusal 404 without a log */
export async function witnessDraw(
  { db, host }: { db: Sql; host: string },
  offerId: number,
  userId: number,
): Promise<WitnessDraw> {
  const stored = witnessesRepository(db)
  const log = await stored.log(offerId)
  if (!log) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  const key = await stored.keyOf(userId)
  const checkpoints = await stored.toSign(offerId, key?.id)
  return {
    slug: log.slug,
    host,
    origin: log.origin,
    log_key: log.key,
    key: key ? keyOf(key) : null,
    checkpoints: checkpoints.map((one) => ({ ...one, at: one.at.toISOString() })),
  }
}

/** Registers a witness's own key. @throws InvalidFields, Refusal 409 */
export async function addKey(
  { db, host }: WitnessesDeps,
  { name, public_key, proof }: WitnessKeyBody,
  actor: StaffCaller,
): Promise<{ name: string; verifier_key: string }> {
  if (!isWitnessName(name, host)) throw new InvalidFields({ name: ['errors.field.invalid'] })
  const [publicKey, signature] = [fromBase64(public_key), fromBase64(proof)]
  const isOwn =
    publicKey?.length === 32 &&
    signature?.length === 64 &&
    ed25519.verify(signature, toBytes(keyProofText(host, name)), publicKey, { zip215: false })
  if (!isOwn) throw new InvalidFields({ proof: ['consoleDrawActions.refusals.notYourKey'] })
  const key = keyOf({ name, public_key: Buffer.from(publicKey) })
  return transact(db, async (trx) => {
    if (!(await witnessesWrites(trx).insertKey(actor.userId, name, publicKey)))
      throw new Refusal('witness.keyTaken', 409, 'consoleDrawActions.refusals.keyTaken')
    await audit(trx, {
      actor,
      action: 'witness.addKey',
      subject: { kind: 'staff', id: actor.userId },
      after: { key: key.verifier_key },
    })
    return key
  })
}

/** Ends a witness's own key; what it has signed stays. @throws Refusal 409 without one */
export const endKey = ({ db }: WitnessesDeps, actor: StaffCaller): Promise<void> =>
  transact(db, async (trx) => {
    if (!(await witnessesWrites(trx).endKey(actor.userId)))
      throw new Refusal('witness.noKey', 409, 'consoleDrawActions.refusals.noKey')
    await audit(trx, { actor, action: 'witness.endKey', subject: { kind: 'staff', id: actor.userId } })
  })

/** Publishes a signature line of a witness with its checkpoint. @throws Refusal 404, 409; InvalidFields */
export const countersign = (
  { db, host }: WitnessesDeps,
  offerId: number,
  { checkpoint, line }: WitnessBody,
  actor: StaffCaller,
): Promise<WitnessDraw> =>
  transact(db, async (trx) => {
    const stored = witnessesRepository(trx)
    const key = await stored.keyOf(actor.userId)
    if (!key) throw new Refusal('witness.noKey', 409, 'consoleDrawActions.refusals.noKey')
    const note = await stored.note(offerId, checkpoint)
    if (note === undefined) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
    const { name, public_key: publicKey } = key
    const own = { name, publicKey, id: keyIdOf(name, publicKey, sha256) }
    if (!isWitnessLine(line, { note, key: own }))
      throw new InvalidFields({ line: ['consoleDrawActions.refusals.notThisCheckpoint'] })
    if (!(await witnessesWrites(trx).sign(checkpoint, key.id, line)))
      throw new Refusal('witness.signed', 409, 'consoleDrawActions.refusals.signed')
    const response = await witnessDraw({ db: trx, host }, offerId, actor.userId)
    await audit(trx, {
      actor,
      action: 'witness.sign',
      subject: { kind: 'offer', id: offerId },
      after: { checkpoint, line },
    })
    return response
  })
