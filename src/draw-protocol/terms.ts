import { roundAt, QUICKNET } from './beacon.ts'
import type { Sha256 } from './bytes.ts'
import { keyNameOf, parseVerifierKey } from './checkpoints.ts'
import {
  ALGORITHM,
  FORFEIT_REASONS,
  type ForfeitReason,
  HeaderReader,
  KINDS,
  type Kind,
  SCHEME,
  VOID_REASONS,
  type VoidReason,
  headerFile,
  timeText,
  wordsText,
} from './formats.ts'
import { DrawFault } from './faults.ts'

/** A chain of the beacon and the round of the draw. Keys and hashes are hexadecimal, times Unix seconds. */
export interface Beacon {
  chain: string
  key: string
  genesis: number
  period: number
  round: number
}

/** What is fixed before the first entry. Times are Unix seconds, durations seconds. */
export interface Terms {
  rehearsal: boolean
  contest: string
  host: string
  /** Whether nothing can be won: the shop is a demonstration. */
  demonstration: boolean
  tickets: number
  kinds: readonly Kind[]
  perPerson: number | null
  postReserve: number
  price: number
  prizeValue: number | null
  closes: number
  objections: number
  sealMargin: number
  draw: number
  beacon: Beacon
  beaconPatience: number
  /** How long before a round the shop voids or cancels at the latest. */
  notice: number
  /** `NAME+KEYID+KEY` */
  logKey: string
  /** Hash of `policy.txt`; null when nobody confirms. */
  witnessPolicy: string | null
  /** Hash of `authority.pem`; null when no authority gives time stamps. */
  stampAuthority: string | null
  claim: number
  alternateDelay: number
  alternatesDecided: number
  voidReasons: readonly VoidReason[]
  forfeitReasons: readonly ForfeitReason[]
  question: string | null
  /** Hashes of the further terms, by language; null where there are none. */
  texts: Readonly<Record<string, string | null>>
}

export const MOST_TICKETS = 10_000_000
const TAG = 'volant-terms-v1'

/** `terms.txt` */
export const termsFile = (terms: Terms): Uint8Array =>
  headerFile(TAG, terms.rehearsal, [
    ['contest', terms.contest],
    ['host', terms.host],
    ['demonstration', terms.demonstration ? 'yes' : 'no'],
    ['tickets', terms.tickets],
    ['kinds', wordsText(terms.kinds)],
    ['per-person', terms.perPerson],
    ['post-reserve', terms.postReserve],
    ['price', terms.price],
    ['prize-value', terms.prizeValue],
    ['closes', timeText(terms.closes)],
    ['objections', terms.objections],
    ['seal-margin', terms.sealMargin],
    ['draw', timeText(terms.draw)],
    ['algorithm', ALGORITHM],
    ['beacon-chain', terms.beacon.chain],
    ['beacon-key', terms.beacon.key],
    ['beacon-genesis', terms.beacon.genesis],
    ['beacon-period', terms.beacon.period],
    ['beacon-scheme', SCHEME],
    ['beacon-round', terms.beacon.round],
    ['beacon-patience', terms.beaconPatience],
    ['notice', terms.notice],
    ['log-key', terms.logKey],
    ['witness-policy', terms.witnessPolicy],
    ['stamp-authority', terms.stampAuthority],
    ['claim', terms.claim],
    ['alternate-delay', terms.alternateDelay],
    ['alternates-decided', terms.alternatesDecided],
    ['void-reasons', wordsText(terms.voidReasons)],
    ['forfeit-reasons', wordsText(terms.forfeitReasons)],
    ['question', terms.question],
    ...Object.entries(terms.texts).map(([language, hash]) => [`text-${language}`, hash] as const),
  ])

/** Refuses a round that does not follow from the draw instant, and a chain that is not the public one. */
function checkBeacon({ beacon, draw, demonstration }: Terms): void {
  const expected = roundAt(beacon, draw)
  if (expected !== beacon.round)
    throw new DrawFault('round', LINE.round, { expected: expected ?? 'none', found: beacon.round })
  const isPublic = beacon.chain === QUICKNET.chain
  if (!isPublic && !demonstration) throw new DrawFault('chain-unknown', LINE.chain, { found: beacon.chain })
  if (
    isPublic &&
    (beacon.key !== QUICKNET.key || beacon.genesis !== QUICKNET.genesis || beacon.period !== QUICKNET.period)
  )
    throw new DrawFault('pinned-chain', LINE.chain)
}

/** Reads `terms.txt`; throws a DrawFault. */
export function parseTerms(bytes: Uint8Array, sha256: Sha256): Terms {
  const read = new HeaderReader(bytes, TAG)
  const terms: Terms = {
    rehearsal: read.rehearsal,
    contest: read.slug('contest'),
    host: read.value('host', (values, text) => values.host(text)),
    demonstration: read.word('demonstration', ['yes', 'no']) === 'yes',
    tickets: read.integer('tickets', 1, MOST_TICKETS),
    kinds: read.value('kinds', (values, text) => {
      const kinds = values.words(text, KINDS)
      return kinds.length > 0 ? kinds : values.fault('words', { found: text })
    }),
    perPerson: read.integerOrNone('per-person'),
    postReserve: read.integer('post-reserve', 0, MOST_TICKETS),
    price: read.integer('price'),
    prizeValue: read.integerOrNone('prize-value'),
    closes: read.time('closes'),
    objections: read.integer('objections', 1),
    sealMargin: read.integer('seal-margin', 1),
    draw: read.time('draw'),
    beacon: beaconOf(read),
    beaconPatience: read.integer('beacon-patience'),
    notice: read.integer('notice', 1),
    logKey: read.value('log-key', (_, text) => text),
    witnessPolicy: read.hashOrNone('witness-policy'),
    stampAuthority: read.hashOrNone('stamp-authority'),
    claim: read.integer('claim', 1),
    alternateDelay: read.integer('alternate-delay', 1),
    alternatesDecided: read.integer('alternates-decided'),
    voidReasons: read.words('void-reasons', VOID_REASONS),
    forfeitReasons: read.value('forfeit-reasons', (values, text) => {
      const reasons = values.words(text, FORFEIT_REASONS)
      return reasons.includes('voided') ? reasons : values.fault('words', { found: text })
    }),
    question: read.hashOrNone('question'),
    texts: read.hashesByLanguage('text'),
  }
  read.end()
  checkTerms(terms, sha256)
  return terms
}

function beaconOf(read: HeaderReader): Beacon {
  read.word('algorithm', [ALGORITHM])
  const chain = read.hash('beacon-chain')
  const key = read.hash('beacon-key', 96)
  const genesis = read.integer('beacon-genesis')
  const period = read.integer('beacon-period', 1)
  read.word('beacon-scheme', [SCHEME])
  return { chain, key, genesis, period, round: read.integer('beacon-round', 1) }
}

/** The lines of `terms.txt`, for faults between two of them. */
const LINE = {
  kinds: 6,
  postReserve: 8,
  draw: 14,
  chain: 16,
  round: 21,
  notice: 23,
  logKey: 24,
  witnessPolicy: 25,
  stampAuthority: 26,
}
/** In seconds, but for a demonstration. */
const LEAST_NOTICE = 3600

function checkTerms(terms: Terms, sha256: Sha256): void {
  const { tickets, postReserve, closes, objections, sealMargin, draw, host, demonstration, notice } = terms
  if (!demonstration && terms.kinds.includes('demo'))
    throw new DrawFault('words', LINE.kinds, { found: 'demo' })
  if (postReserve > tickets)
    throw new DrawFault('range', LINE.postReserve, { found: postReserve, most: tickets })
  if (draw < closes + objections + sealMargin)
    throw new DrawFault('draw-too-early', LINE.draw, { found: timeText(draw) })
  checkBeacon(terms)
  if (!demonstration && notice < LEAST_NOTICE)
    throw new DrawFault('range', LINE.notice, { found: notice, least: LEAST_NOTICE })
  const { rehearsal, witnessPolicy, stampAuthority } = terms
  if (rehearsal && witnessPolicy !== null)
    throw new DrawFault('word', LINE.witnessPolicy, { found: witnessPolicy })
  if (rehearsal && stampAuthority !== null)
    throw new DrawFault('word', LINE.stampAuthority, { found: stampAuthority })
  const key = parseVerifierKey(terms.logKey, sha256, LINE.logKey)
  const expected = keyNameOf(host)
  if (key.name !== expected) throw new DrawFault('host-of-key', LINE.logKey, { expected, found: key.name })
}
