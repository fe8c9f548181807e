import type { Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { roundAt } from '../protocol/beacon.ts'
import { toBytes, toHex } from '../protocol/bytes.ts'
import { originOf } from '../protocol/checkpoints.ts'
import { FORFEIT_REASONS, VOID_REASONS } from '../protocol/formats.ts'
import { leafText } from '../protocol/leaves.ts'
import { type Terms, parseTerms, termsFile } from '../protocol/terms.ts'
import { storeFile } from './draw-files.ts'
import { REGISTER, drawLogsWrites } from './draw-logs.repository.ts'
import { appendLeaves } from './draw-logs.ts'
import { type OfferToPublish, drawStepsRepository, drawStepsWrites } from './draw-steps.repository.ts'
import type { DrawsDeps } from './draws-deps.ts'
import { sha256 } from './sha256.ts'

/**
 * Background job: publishes the terms of contests that have opened and have a draw, each in one transaction. A contest
 * whose draw is too soon after its end for the durations in force stays without, and an alert says so.
 */
export async function publishTerms(deps: DrawsDeps): Promise<void> {
  while (!deps.isStopping?.() && (await transact(deps.db, (trx) => publishNext(deps, trx))));
  const { objections, sealMargin } = deps.durations
  const slugs = await drawStepsRepository(deps.db).withoutTerms(objections + sealMargin)
  await deps.alerts.settle(
    deps.db,
    'drawWithoutTerms',
    slugs.map((subject) => ({ subject })),
  )
}

/** @returns whether there was one */
async function publishNext(deps: DrawsDeps, trx: Trx): Promise<boolean> {
  const { durations, host, key } = deps
  const offer = await drawStepsRepository(trx).toPublish(durations.objections + durations.sealMargin)
  if (!offer) return false
  const files = textsOf(offer)
  const terms = newTerms(deps, offer, (name) => hashOf(files.get(name)))
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
    alternates_decided: terms.alternatesDecided,
  })
  await storeFile(trx, offer.id, 'terms.txt', content)
  for (const [name, text] of files) await storeFile(trx, offer.id, name, text)
  const logs = drawLogsWrites(trx)
  await logs.create(offer.id, originOf(terms), key.verifierKey(host))
  await logs.create(REGISTER, `${host}/draws`, key.verifierKey(host))
  const termsHash = toHex(hash)
  await appendLeaves(trx, key, (await logs.lock(offer.id))!, [leafText({ type: 'open', termsHash }, terms)])
  await register(trx, deps, [['volant-terms-v1', offer.slug, termsHash].join('\t')])
  return true
}

/** Appends leaves to the register of the shop, which is locked last of all. */
export async function register(
  trx: Trx,
  { key }: Pick<DrawsDeps, 'key'>,
  leaves: readonly string[],
): Promise<void> {
  await appendLeaves(trx, key, (await drawLogsWrites(trx).lock(REGISTER))!, leaves)
}

export const hashOf = (content: Uint8Array | undefined): string | null =>
  content ? toHex(sha256(content)) : null

const lineOf = (text: string): string => `${text.replaceAll(/\r\n|[\r\n]/g, ' ')}\n`

/** The texts that the terms name by their hashes. */
export function textsOf(
  offer: Pick<OfferToPublish, 'question' | 'choices' | 'draw_terms' | 'draw_terms_nl' | 'draw_terms_en'>,
): Map<string, Uint8Array> {
  const texts = [
    ['text-fr.txt', offer.draw_terms],
    ['text-nl.txt', offer.draw_terms_nl],
    ['text-en.txt', offer.draw_terms_en],
  ] as const
  return new Map([
    ...(offer.question
      ? [['question.txt', toBytes([offer.question, ...offer.choices].map(lineOf).join(''))] as const]
      : []),
    ...texts.flatMap(([name, text]) => (text ? [[name, toBytes(text)] as const] : [])),
  ])
}

export function newTerms(
  {
    durations,
    beacon,
    host,
    key,
    isDemo,
  }: Pick<DrawsDeps, 'durations' | 'beacon' | 'host' | 'key' | 'isDemo'>,
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
    logKey: key.verifierKey(host),
    claim: durations.claim,
    alternateDelay: durations.alternateDelay,
    alternatesDecided: durations.alternatesDecided,
    voidReasons: VOID_REASONS,
    forfeitReasons: FORFEIT_REASONS,
    question: hash('question.txt'),
    texts: { fr: hash('text-fr.txt'), nl: hash('text-nl.txt'), en: hash('text-en.txt') },
  }
}
