/**
 * Another beacon for a contest whose chain is announced to end, before it closes (docs/draw-v1.md, section 4, rule 3). Its
 * round follows from the draw instant of the terms, so nobody chooses one that is known already.
 */
import { type ApprovalKind, askApproval } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { audit } from '#platform/audit-log.ts'
import { type BeaconChain, PUBLIC_CHAINS } from '#platform/beacon/chains.ts'
import type { Sql } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { DrawBeacon, NamedBeacon, ReplaceBeaconBody } from '../beacon.contract.ts'
import { roundAt, timeOfRound } from '#draw-protocol/beacon.ts'
import { leafText } from '#draw-protocol/leaves.ts'
import type { Beacon } from '#draw-protocol/terms.ts'
import { schedule } from '../timeline.rules.ts'
import { appendAll } from './append-entries.ts'
import { termsOf } from './draw-files.ts'
import { drawLogsRepository, drawLogsWrites } from './draw-logs.repository.ts'
import { appendLeaves } from './draw-logs.ts'
import { drawStepsRepository, drawStepsWrites } from './draw-steps.repository.ts'
import type { ForfeituresDeps } from './claims/forfeitures.ts'

export interface BeaconsDeps extends ForfeituresDeps {
  /** Of new terms: in live mode a public one. */
  chain: BeaconChain
  isDemo: boolean
}

/** The pinned public chains; a demonstration may use one of its own, a live shop none. */
const knownChains = ({ chain, isDemo }: BeaconsDeps): BeaconChain[] => {
  const known = Object.values(PUBLIC_CHAINS)
  return isDemo && known.every(({ hash }) => hash !== chain.hash) ? [...known, chain] : known
}

const nameOf = (hash: string): string | null =>
  Object.entries(PUBLIC_CHAINS).find(([, chain]) => chain.hash === hash)?.[0] ?? null

const named = (beacon: Beacon): NamedBeacon => ({
  name: nameOf(beacon.chain),
  chain: beacon.chain,
  round: beacon.round,
  round_at: new Date(timeOfRound(beacon, beacon.round) * 1000).toISOString(),
})

interface Matter {
  slug: string
  isReplaced: boolean
  canReplace: boolean
  inForce: Beacon
  candidates: Beacon[]
}

/** @throws Refusal 404 */
async function matterOf(deps: BeaconsDeps, db: Sql, offerId: number): Promise<Matter> {
  const situation = await drawStepsRepository(db).situation(offerId)
  if (!situation) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  const { state, slug, now, is_log_closed } = situation
  const { next } = schedule(situation.durations, situation, now)
  const isSelling = state === 'open' && next?.name === 'closes' && now.getTime() < (next.due ?? 0)
  const { terms, beacon: inForce } = await termsOf(db, offerId)
  const candidates = knownChains(deps).flatMap(({ hash: chain, publicKey: key, genesis, period }) => {
    const round = roundAt({ genesis, period }, terms.draw)
    return chain === inForce.chain || round === null ? [] : [{ chain, key, genesis, period, round }]
  })
  const isReplaced = (await drawLogsRepository(db).lastStep(offerId, 'beacon')) !== undefined
  return { slug, inForce, isReplaced, candidates, canReplace: isSelling && !is_log_closed }
}

/** @throws Refusal 404 */
export async function drawBeacon(deps: BeaconsDeps, offerId: number): Promise<DrawBeacon> {
  const { inForce, isReplaced, canReplace, candidates } = await matterOf(deps, deps.db, offerId)
  return {
    in_force: named(inForce),
    is_replaced: isReplaced,
    can_replace: canReplace,
    candidates: candidates.map(named),
  }
}

/** @throws Refusal 404, 409 once the contest has closed; InvalidFields for a chain that this shop does not know */
async function requireCandidate(
  deps: BeaconsDeps,
  db: Sql,
  offerId: number,
  chain: string,
): Promise<Matter & { candidate: Beacon }> {
  const matter = await matterOf(deps, db, offerId)
  if (!matter.canReplace) throw new Refusal('draw.closed', 409, 'consoleDrawActions.refusals.beaconStays')
  const candidate = matter.candidates.find((one) => one.chain === chain)
  if (!candidate) throw new InvalidFields({ chain: ['consoleDrawActions.refusals.unknownChain'] })
  return { ...matter, candidate }
}

interface BeaconInput {
  offerId: number
  chain: string
}

/** Asks a second owner. @throws Refusal 404, 409 */
export const askBeacon = (
  deps: BeaconsDeps,
  offerId: number,
  { chain, note }: ReplaceBeaconBody,
  actor: StaffCaller,
): Promise<Approval> =>
  transact(deps.db, async (trx) => {
    const { slug, inForce, candidate } = await requireCandidate(deps, trx, offerId, chain)
    return askApproval(trx, {
      actor,
      shop: deps.shop,
      permission: 'draws.beacon',
      subject: { kind: 'offer', id: offerId },
      input: { offerId, chain } satisfies BeaconInput,
      preview: {
        slug,
        from: nameOf(inForce.chain) ?? inForce.chain,
        to: nameOf(chain) ?? chain,
        round: candidate.round,
      },
      reason: note,
    })
  })

/** How an approved replacement is carried out; a second time it does nothing. */
export const beaconApproval = (deps: BeaconsDeps): ApprovalKind => ({
  permission: 'draws.beacon',
  async check(input) {
    const { offerId, chain } = input as BeaconInput
    await requireCandidate(deps, deps.db, offerId, chain)
  },
  async run(input, { actor, approver, approvalId }) {
    const { offerId, chain } = input as BeaconInput
    await transact(deps.db, async (trx) => {
      // The lock of the step that closes: whoever comes second finds the other done.
      await drawStepsWrites(trx).lockOffer(offerId)
      if ((await matterOf(deps, trx, offerId)).inForce.chain === chain) return
      const { slug, candidate } = await requireCandidate(deps, trx, offerId, chain)
      const found = await drawLogsWrites(trx).lock(offerId)
      if (!found) throw new Error(`contest ${offerId} has terms and no log`)
      const log = await appendAll(trx, deps, found)
      const leaf = leafText({ type: 'beacon', ...candidate }, { contest: slug, rehearsal: false })
      await appendLeaves(trx, deps.key, log, [leaf])
      await audit(trx, {
        actor: 'system',
        action: 'draws.replaceBeacon',
        subject: { kind: 'offer', id: offerId },
        after: {
          chain,
          round: candidate.round,
          approval: approvalId,
          requested_by: actor.userId,
          approved_by: approver.userId,
        },
      })
    })
  },
})
