import type { Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import { roundAt } from '#draw-protocol/beacon.ts'
import { toBytes, toHex } from '#draw-protocol/bytes.ts'
import { originOf } from '#draw-protocol/checkpoints.ts'
import { FORFEIT_REASONS, VOID_REASONS } from '#draw-protocol/formats.ts'
import { type Terms, parseTerms, termsFile } from '#draw-protocol/terms.ts'
import { storeFile } from './draw-files.ts'
import { drawLogsWrites } from './draw-logs.repository.ts'
import { appendStep, createRegister, registerHalt, registerHost } from './register/register.ts'
import { type OfferToPublish, drawStepsRepository, drawStepsWrites } from './draw-steps.repository.ts'
import type { DrawDurations, DrawsDeps } from './draws-deps.ts'
import { eachDraw } from './each-draw.ts'
import { sha256 } from './sha256.ts'
import { translation } from '#shared/localized-text.ts'
import { byLanguage } from '#shared/text-fields.ts'
import { DEFAULT_LANGUAGE, LANGUAGES } from '#shared/languages.ts'

/** What the publication of terms needs. */
export type TermsDeps = Pick<
  DrawsDeps,
  'durations' | 'beacon' | 'host' | 'key' | 'isDemo' | 'witnesses' | 'stamps'
>

/** The least time between the end of a contest and its draw, in seconds. */
const leastRoom = ({ objections, sealMargin }: DrawDurations): number => objections + sealMargin

/**
 * Publishes the terms of a contest in the transaction that opens it, so that nothing is sold without. Does nothing for one
 * without a draw, or with terms.
 * @throws Refusal 409 when the draw is too soon after the end for the durations in force
 */
export async function publishTermsOf(trx: Trx, deps: TermsDeps, offerId: number): Promise<void> {
  const offer = await drawStepsRepository(trx).toPublish(offerId)
  if (!offer) return
  const least = leastRoom(deps.durations)
  if (offer.draw < offer.closes + least)
    throw new Refusal('offers.drawTooSoon', 409, 'consoleContests.refusals.drawTooSoon', {
      values: { minutes: Math.ceil(least / 60) },
    })
  await publish(trx, deps, offer)
}

/**
 * Background job: publishes the terms of contests that are open without: those of a database from before the protocol, and
 * of a demonstration. Alerts about contests that cannot be drawn.
 */
export async function publishTerms(deps: DrawsDeps): Promise<void> {
  const least = leastRoom(deps.durations)
  const lacking = (await drawStepsRepository(deps.db).withoutTerms()).filter(({ room }) => room >= least)
  let fault: unknown
  const publishable = (await registerHalt(deps.db)) === null ? lacking : []
  await eachDraw(publishable, deps, ({ id }) =>
    transact(deps.db, async (trx) => {
      await drawStepsWrites(trx).lockOffer(id)
      await publishTermsOf(trx, deps, id)
    }),
  ).catch((error: unknown) => (fault = error))
  const slugs = await drawStepsRepository(deps.db).notToDraw(least)
  await deps.alerts.settle(
    deps.db,
    'drawWithoutTerms',
    slugs.map((subject) => ({ subject })),
  )
  if (fault) throw fault
}

async function publish(trx: Trx, deps: TermsDeps, offer: OfferToPublish): Promise<void> {
  const { key, witnesses, stamps } = deps
  // Witnesses know the register by its first name.
  const host = (await registerHost(trx)) ?? deps.host
  const files = textsOf(offer)
  if (witnesses?.policy.quorum) files.set('policy.txt', toBytes(witnesses.text))
  if (stamps) files.set('authority.pem', stamps.file)
  const terms = newTerms({ ...deps, host }, offer, (name) => hashOf(files.get(name)))
  const content = termsFile(terms)
  // What a verifier would refuse is not published.
  parseTerms(content, sha256)
  const hash = sha256(content)
  await drawStepsWrites(trx).insertDraw({
    offer_id: offer.id,
    terms_hash: Buffer.from(hash),
    draw_at: new Date(terms.draw * 1000),
    objections_seconds: terms.objections,
    seal_margin_seconds: terms.sealMargin,
    beacon_patience_seconds: terms.beaconPatience,
    claim_seconds: terms.claim,
    alternate_delay_seconds: terms.alternateDelay,
    notice_seconds: terms.notice,
    alternates_decided: terms.alternatesDecided,
  })
  await storeFile(trx, offer.id, 'terms.txt', content)
  for (const [name, text] of files) await storeFile(trx, offer.id, name, text)
  const logs = drawLogsWrites(trx)
  await logs.create(offer.id, originOf(terms), key.verifierKey(host))
  await createRegister(trx, deps)
  const termsHash = toHex(hash)
  const opened = (await logs.lock(offer.id))!
  const { time } = await appendStep(trx, deps, opened, { type: 'open', termsHash }, offer.slug)
  if (time >= terms.closes) throw new Error(`the terms of ${offer.slug} would come after its end`)
}

export const hashOf = (content: Uint8Array | undefined): string | null =>
  content ? toHex(sha256(content)) : null

const lineOf = (text: string): string => `${text.replaceAll(/\r\n|[\r\n]/g, ' ')}\n`

/** The texts that the terms name by their hashes. */
export function textsOf(
  offer: Pick<OfferToPublish, 'questions' | 'choices' | 'draw_terms_texts'>,
): Map<string, Uint8Array> {
  const question = offer.questions?.[DEFAULT_LANGUAGE]
  return new Map([
    ...(question
      ? [['question.txt', toBytes([question, ...offer.choices].map(lineOf).join(''))] as const]
      : []),
    ...LANGUAGES.flatMap((language) => {
      const text = translation(offer.draw_terms_texts, language)
      return text ? [[`text-${language}.txt`, toBytes(text)] as const] : []
    }),
  ])
}

export function newTerms(
  { durations, beacon, host, key, isDemo }: Omit<TermsDeps, 'witnesses' | 'stamps'>,
  offer: Omit<OfferToPublish, 'id'>,
  hash: (name: string) => string | null,
): Terms {
  const { hash: chain, publicKey, genesis, period } = beacon.chain
  const round = roundAt(beacon.chain, offer.draw)
  if (round === null) throw new Error(`the draw of ${offer.slug} is before the first round of the beacon`)
  return {
    rehearsal: false,
    contest: offer.slug,
    host,
    demonstration: isDemo,
    tickets: offer.tickets,
    kinds: isDemo ? ['paid', 'postal', 'demo'] : ['paid', 'postal'],
    perPerson: offer.per_person,
    postReserve: offer.post_reserve,
    price: offer.price_cents,
    prizeValue: offer.prize_value_cents,
    closes: offer.closes,
    objections: durations.objections,
    sealMargin: durations.sealMargin,
    draw: offer.draw,
    beacon: { chain, key: publicKey, genesis, period, round },
    beaconPatience: durations.beaconPatience,
    notice: durations.notice,
    logKey: key.verifierKey(host),
    witnessPolicy: hash('policy.txt'),
    stampAuthority: hash('authority.pem'),
    claim: durations.claim,
    alternateDelay: durations.alternateDelay,
    alternatesDecided: durations.alternatesDecided,
    voidReasons: VOID_REASONS,
    forfeitReasons: FORFEIT_REASONS,
    question: hash('question.txt'),
    texts: byLanguage((language) => hash(`text-${language}.txt`)),
  }
}
