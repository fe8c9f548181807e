/** Rehearsals: the whole of a draw with rounds that are over, outside of every log (docs/draw-v1.md, section 12). */
import { randomBytes, randomUUID } from 'node:crypto'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { type AnyOfferRow, offersRepository, toOffer } from '#features/offers/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import { BeaconError } from '#platform/beacon/beacon-client.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import type { DrawRehearsal, RehearseBody } from '../../draws.contract.ts'
import { toHex } from '#draw-protocol/bytes.ts'
import { timeText } from '#draw-protocol/formats.ts'
import type { ListRow } from '#draw-protocol/lists.ts'
import type { PublicDraw } from '../../public-draws.contract.ts'
import { drawFilesRepository } from '../draw-files.repository.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { readme } from '../public/evidence-pack.ts'
import { automaticStatements, statementText } from '../claims/forfeitures.ts'
import { hashOf, newTerms, textsOf } from '../publish-terms.ts'
import { type RehearsalFacts, makeRehearsal, planRehearsal } from './rehearsal-pack.ts'
import { type OfferToRehearse, rehearsalsRepository, rehearsalsWrites } from './rehearsals.repository.ts'
import { sha256 } from '../sha256.ts'
import { textFields } from '#shared/text-fields.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'

export type RehearsalsDeps = Pick<
  DrawsDeps,
  'db' | 'log' | 'beacon' | 'key' | 'host' | 'durations' | 'isDemo'
> & {
  /** Without a slash at the end. */
  publicUrl: string
}

/** A rehearsal is held in memory and made at once. */
const MOST_ENTRIES = 100_000
const ROWS_AT_ONCE = 10_000
/** Of a contest without entries. */
const INVENTED = 50

const notFound = (): Refusal => new Refusal('request.notFound', 404, 'errors.request.notFound')

/** Makes a rehearsal in the place of the last one. @throws Refusal 404, 409, 502, 503 */
export async function rehearseDraw(
  deps: RehearsalsDeps,
  offerId: number,
  { alternate, seconds }: RehearseBody,
  actor: StaffCaller,
): Promise<DrawRehearsal> {
  const { db, durations, beacon, key, publicUrl } = deps
  const offer = await rehearsalsRepository(db).offer(offerId)
  const shown = await offersRepository(db).any(offerId)
  if (!offer || !shown) throw notFound()
  const { tickets, draw_at } = offer
  if (offer.titles[DEFAULT_LANGUAGE].trim() === '' || tickets === null || draw_at === null)
    throw new Refusal('rehearsal.incomplete', 409, 'consoleDraws.rehearsal.refusals.incomplete')
  const plan = planRehearsal(durations, beacon.chain, { alternate, now: offer.now })
  if (typeof plan === 'number')
    throw new Refusal('rehearsal.tooEarly', 409, 'consoleDraws.rehearsal.refusals.tooEarly', {
      values: {
        when: timeText(offer.now + plan)
          .replace('T', ' ')
          .replace('Z', ' UTC'),
      },
    })
  const rounds = await roundsOf(deps, [plan.round, ...(plan.alternate ? [plan.alternate.round] : [])])
  const logged = await entriesOf(deps, offerId)
  const isInvented = logged.length === 0
  const entries = isInvented ? inventedEntries(Math.min(INVENTED, tickets)) : logged
  const id = randomUUID()
  const slug = offer.slug ?? `contest-${offerId}`
  const texts = textsOf(offer)
  const given = {
    ...offer,
    slug,
    tickets,
    price_cents: offer.price_cents ?? 0,
    closes: plan.closes,
    draw: plan.draw,
  }
  const { files, facts } = await makeRehearsal({
    terms: { ...newTerms(deps, given, (name) => hashOf(texts.get(name))), rehearsal: true },
    texts,
    entries,
    plan,
    rounds,
    key,
    readme: readme(shown, `${publicUrl}/draws/${slug}?rehearsal=${id}`, true),
    statement: statementText(automaticStatements('unclaimed')),
  })
  const summary = {
    alternate,
    is_invented: isInvented,
    entries: entries.length,
    list_hash: facts.sealed?.hash ?? '',
    numbers: facts.attempts.flatMap(({ drawn }) => (drawn ? [padTicketNumber(drawn.number, tickets)] : [])),
  }
  return await transact(db, async (trx) => {
    const writes = rehearsalsWrites(trx)
    const page = pageOf(facts, { offer, shown, id, given, entries: entries.length })
    await writes.replace({ offerId, id, slug, madeBy: actor.userId, seconds, summary, facts: page })
    await writes.removeFiles(offerId)
    for (const [name, content] of files) await writes.insertFile(offerId, name, sha256(content), content)
    const made = (await rehearsalsRepository(trx).ofOffer(offerId))!
    await audit(trx, {
      actor,
      action: 'draws.rehearse',
      subject: { kind: 'offer', id: offerId },
      after: { rehearsal: id, alternate, plays_at: made.plays_at },
    })
    return made
  })
}

/** What the pages show in the end, with the contest as it is now. */
function pageOf(
  facts: RehearsalFacts,
  {
    offer,
    shown,
    id,
    given,
    entries,
  }: {
    offer: OfferToRehearse
    shown: AnyOfferRow
    id: string
    given: { slug: string; tickets: number; price_cents: number; closes: number }
    entries: number
  },
): PublicDraw {
  const { prize_value_cents, per_person, post_reserve, draw_terms_texts } = offer
  return {
    ...facts,
    contest: {
      ...toOffer({
        ...shown,
        slug: given.slug,
        price_cents: given.price_cents,
        total_tickets: given.tickets,
        tickets_sold: entries,
        tickets_held: 0,
        end_date: new Date(given.closes * 1000),
        is_active: false,
        stopped_as: null,
        cancelled_why: null,
        max_per_person: per_person,
      }),
      prize_value: prize_value_cents === null ? null : toDecimal(cents(prize_value_cents)),
      postal_reserve: post_reserve,
      ...textFields('draw_terms', draw_terms_texts),
    },
    rehearsal: id,
  }
}

/** Lets a rehearsal play again. @throws Refusal 404 */
export const playRehearsal = (
  { db }: RehearsalsDeps,
  offerId: number,
  seconds: number,
  actor: StaffCaller,
): Promise<DrawRehearsal> =>
  transact(db, async (trx) => {
    if (!(await rehearsalsWrites(trx).play(offerId, seconds))) throw notFound()
    const played = (await rehearsalsRepository(trx).ofOffer(offerId))!
    await audit(trx, {
      actor,
      action: 'draws.rehearse',
      subject: { kind: 'offer', id: offerId },
      after: { rehearsal: played.id, plays_at: played.plays_at },
    })
    return played
  })

async function roundsOf({ beacon, log }: RehearsalsDeps, rounds: readonly number[]) {
  try {
    return await Promise.all(rounds.map((round) => beacon.round(round)))
  } catch (error) {
    if (!(error instanceof BeaconError)) throw error
    const { fault, faults } = error
    log.warn({ fault, faults }, 'a rehearsal has no round of the beacon')
    if (fault === 'invalid')
      throw new Refusal('rehearsal.beaconFalse', 502, 'consoleDraws.rehearsal.refusals.beaconFalse')
    throw new Refusal('rehearsal.beaconSilent', 503, 'consoleDraws.rehearsal.refusals.beaconSilent', {
      retryAfter: 60,
    })
  }
}

/** The entries in the log of a contest, the first of a large one. */
async function entriesOf({ db }: RehearsalsDeps, offerId: number): Promise<ListRow[]> {
  const entries: ListRow[] = []
  while (entries.length < MOST_ENTRIES) {
    const after = entries.at(-1)?.number ?? 0
    const rows = await drawFilesRepository(db).rows(offerId, after, ROWS_AT_ONCE)
    entries.push(...rows)
    if (rows.length < ROWS_AT_ONCE) break
  }
  return entries
}

/** Nobody keeps the salts, so nobody can prove that such an entry is theirs. */
const inventedEntries = (count: number): ListRow[] =>
  Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    kind: 'paid' as const,
    commitment: toHex(sha256(randomBytes(32))),
    voided: null,
  }))
