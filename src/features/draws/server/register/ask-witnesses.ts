/** The job that has the register confirmed by its witnesses (docs/draw-v1.md, section 6). */
import type { Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { type WitnessPolicy, confirmedAt, parsePolicy } from '#draw-protocol/witness-policy.ts'
import { MOST_BEHIND, type WitnessKey, witnessKeyText } from '#draw-protocol/cosignatures.ts'
import { consistencyProof } from '#draw-protocol/tiles.ts'
import { REGISTER, drawLogsRepository } from '../draw-logs.repository.ts'
import { tileReader } from '../draw-logs.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { type Patience, pauseAfter, questionsUnderWay } from '../questions.ts'
import { sha256 } from '../sha256.ts'
import { type ShopPolicy, confirmedBy } from './policies.ts'
import { registerRepository, registerWrites } from './register.repository.ts'
import { addCheckpoint } from './witness-client.ts'

type Deps = Pick<DrawsDeps, 'db' | 'log' | 'alerts' | 'witnesses' | 'isStopping'>

interface Asked {
  key: WitnessKey
  url: string
}

/** From one question to the next, when nothing is new: it notices a witness that has seen more than this database has. */
const AGAIN_SECONDS = 300
/** The register is signed every hour. */
const SILENT_MINUTES = 65
/** A witness whose sizes lead nowhere. */
const MOST_QUESTIONS = 4

/**
 * Background job: asks each witness of the shop's policy, and of those of contests that are not over, to sign the last
 * checkpoint of the register; all at the same time, and nobody waits for them. Any number of workers may run it: one of
 * them asks a witness.
 */
export function witnessAsking(deps: Deps, patience: Patience = {}): () => Promise<void> {
  const { db, log, witnesses } = deps
  const questions = questionsUnderWay(deps, patience)
  return async () => {
    const asked = await witnessesInForce(db, witnesses)
    const vkeys = [...asked.keys()]
    const stored = registerRepository(db)
    const last = await drawLogsRepository(db).lastCheckpoint(REGISTER)
    if (last && vkeys.length > 0) {
      const known = await stored.witnesses(vkeys)
      if (known.length < vkeys.length) await registerWrites(db).addWitnesses(vkeys)
      for (const vkey of await stored.toAsk(vkeys, last.id))
        questions.begin(vkey, (timeoutMs) =>
          ask(deps, asked.get(vkey)!, vkey, last.id, timeoutMs).catch((error: unknown) =>
            log.warn({ err: error, vkey }, 'a witness could not be asked'),
          ),
        )
      await questions.ended()
    }
    await settle(deps, vkeys, witnesses?.policy ?? null)
  }
}

/** By their keys; the address in the settings counts more than that of older terms. */
async function witnessesInForce(db: Sql, witnesses: ShopPolicy | null): Promise<Map<string, Asked>> {
  const policies = [
    ...(witnesses ? [witnesses.policy] : []),
    ...(await registerRepository(db).policies()).map((text) => parsePolicy(text, sha256)),
  ]
  const found = new Map<string, Asked>()
  for (const { key, url } of policies.flatMap((policy) => policy.witnesses)) {
    const vkey = witnessKeyText(key)
    if (url !== null && !found.has(vkey)) found.set(vkey, { key, url })
  }
  return found
}

/** Asks one witness, unless another worker does. */
async function ask(
  deps: Deps,
  witness: Asked,
  vkey: string,
  checkpointId: number,
  timeoutMs: number,
): Promise<void> {
  const { db, log } = deps
  const writes = registerWrites(db)
  const claimed = await writes.claim(vkey, checkpointId)
  if (!claimed) return
  const { id, tries } = claimed
  const { name } = witness.key
  const fail = async (fault: string, conflict?: number): Promise<void> => {
    const again = pauseAfter(tries + 1)
    await writes.failed(id, {
      fault,
      again: conflict === undefined ? again : Math.min(again, 30),
      ...(conflict !== undefined && { conflict }),
    })
    log.warn({ witness: name, fault, again }, 'a witness did not sign the register')
  }
  let old = claimed.size
  for (let question = 0; question < MOST_QUESTIONS; question += 1) {
    // It may have grown meanwhile.
    const last = (await drawLogsRepository(db).lastCheckpoint(REGISTER))!
    if (old > last.size) return fail(`it has seen ${old} leaves of the register, which has ${last.size}`, old)
    const proof = await consistencyProof(old, last.size, tileReader(db, REGISTER), sha256)
    const response = await addCheckpoint(witness, { old, proof, note: last.note }, timeoutMs)
    if (response.kind === 'failed') return fail(response.fault)
    if (
      response.kind === 'inconsistent' ||
      (response.kind === 'size' && response.size === old && old === last.size)
    )
      return fail(`its root of ${old} leaves is another one`, old)
    if (response.kind === 'size') {
      old = response.size
      continue
    }
    const { time, line } = response
    const clock = clockFault(time, last.at.getTime() / 1000, await registerRepository(db).now())
    if (clock) return fail(clock)
    await transact(db, async (trx) => {
      const signed = { checkpointId: last.id, size: last.size, again: AGAIN_SECONDS }
      await registerWrites(trx).cosign({ checkpointId: last.id, keyId: id, time, line })
      await registerWrites(trx).signed(id, signed)
    })
    return
  }
  await fail('its sizes lead nowhere')
}

/** A time before that of the checkpoint counts for nobody, and one in the future would confirm too late. */
function clockFault(time: number, signed: number, now: number): string | null {
  if (time < signed - MOST_BEHIND) return `its clock is ${Math.ceil(signed - time)} s behind`
  return time > now + MOST_BEHIND ? `its clock is ${Math.ceil(time - now)} s ahead` : null
}

const nameOf = (vkey: string): string => vkey.slice(0, vkey.indexOf('+'))

/** Whether a quorum is possible without the witnesses that know another history. */
export function isReachable(policy: WitnessPolicy, contradicting: ReadonlySet<string>): boolean {
  if (policy.quorum === null) return true
  const others = policy.witnesses.filter(({ key }) => !contradicting.has(witnessKeyText(key)))
  return (
    confirmedAt(
      policy,
      others.map(({ key }) => ({ key, time: 0 })),
    ) !== null
  )
}

/** Every process finds the same, however long it has been running. */
async function settle(
  { db, log, alerts }: Deps,
  vkeys: readonly string[],
  policy: WitnessPolicy | null,
): Promise<void> {
  const stored = registerRepository(db)
  const before = await stored.halt()
  const known = vkeys.length > 0 ? await stored.witnesses(vkeys) : []
  const contradicting = known.filter(({ conflict_at }) => conflict_at !== null)
  const keys = new Set(contradicting.map(({ vkey }) => vkey))
  const isHalted = policy !== null && !isReachable(policy, keys)
  await registerWrites(db).watch(
    known.map(({ vkey }) => vkey),
    isHalted,
  )
  if (isHalted !== (before === 'contradicted'))
    log.warn(
      { contradicting: [...keys].map(nameOf) },
      isHalted ? 'the register is halted' : 'the register goes on',
    )
  await alerts.settle(
    db,
    'registerContradicted',
    contradicting.map(({ vkey, conflict_at, fault }) => ({
      subject: nameOf(vkey),
      details: { since: conflict_at!.toISOString(), reason: fault },
    })),
  )
  const isSilent = policy !== null && (await isUnconfirmed(stored, policy))
  const said = known.flatMap(({ vkey, fault }) => (fault === null ? [] : [`${nameOf(vkey)}: ${fault}`]))
  await alerts.settle(
    db,
    'witnessesSilent',
    isSilent ? [{ subject: 'register', details: { reason: said.join('; ') } }] : [],
  )
}

/** Whether they have been asked for an hour, and no quorum has signed. */
async function isUnconfirmed(
  stored: ReturnType<typeof registerRepository>,
  policy: WitnessPolicy,
): Promise<boolean> {
  if (policy.quorum === null) return false
  const vkeys = policy.witnesses.map(({ key }) => witnessKeyText(key))
  const first = (await stored.witnesses(vkeys)).map(({ first_asked_at }) => first_asked_at.getTime() / 1000)
  if (first.length === 0 || Math.min(...first) > (await stored.now()) - SILENT_MINUTES * 60) return false
  return confirmedBy(policy, await stored.cosignedSince(SILENT_MINUTES)).length === 0
}

/** What is known of the witnesses that a shop asks, for the doctor. */
interface WitnessView {
  asked: number
  contradicting: string[]
  /** With what they said last, in English. */
  failing: string[]
  isHalted: boolean
}

export async function witnessView(db: Sql, witnesses: ShopPolicy | null): Promise<WitnessView> {
  const vkeys = [...(await witnessesInForce(db, witnesses)).keys()]
  const known = vkeys.length > 0 ? await registerRepository(db).witnesses(vkeys) : []
  return {
    asked: vkeys.length,
    contradicting: known.flatMap(({ vkey, conflict_at }) => (conflict_at ? [nameOf(vkey)] : [])),
    failing: known.flatMap(({ vkey, fault }) => (fault === null ? [] : [`${nameOf(vkey)}: ${fault}`])),
    isHalted: (await registerRepository(db).halt()) === 'contradicted',
  }
}
