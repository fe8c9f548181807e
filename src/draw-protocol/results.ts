/** Results, forfeitures and responses of the beacon as files (docs/draw-v1.md, sections 8 to 10). */
import { toBytes, toText } from './bytes.ts'
import { DrawFault } from './faults.ts'
import {
  FORFEIT_REASONS,
  type ForfeitReason,
  HeaderReader,
  type Kind,
  headerFile,
  timeText,
} from './formats.ts'

/** What one attempt of a draw says. Nothing of it is believed: a reader makes it again and compares. */
export interface Result {
  rehearsal: boolean
  contest: string
  attempt: number
  listHash: string
  chain: string
  round: number
  signature: string
  randomness: string
  remaining: number
  tries: number
  value: string
  index: number
  number: number
  kind: Kind
  commitment: string
}

/** `result-K.txt` */
export const resultFile = (result: Result): Uint8Array =>
  headerFile('volant-result-v1', result.rehearsal, [
    ['contest', result.contest],
    ['attempt', result.attempt],
    ['list', result.listHash],
    ['chain', result.chain],
    ['round', result.round],
    ['signature', result.signature],
    ['randomness', result.randomness],
    ['remaining', result.remaining],
    ['tries', result.tries],
    ['value', result.value],
    ['index', result.index],
    ['number', result.number],
    ['kind', result.kind],
    ['commitment', result.commitment],
  ])

/** Why a winner does not get the prize. Times are Unix seconds. */
export interface Forfeiture {
  rehearsal: boolean
  contest: string
  attempt: number
  number: number
  reason: ForfeitReason
  statement: string | null
  logSize: number
  logRoot: string
  published: number
  chain: string
  round: number
}

const FORFEITURE = 'volant-forfeiture-v1'

/** `forfeiture-K.txt` */
export const forfeitureFile = (forfeiture: Forfeiture): Uint8Array =>
  headerFile(FORFEITURE, forfeiture.rehearsal, [
    ['contest', forfeiture.contest],
    ['attempt', forfeiture.attempt],
    ['number', forfeiture.number],
    ['reason', forfeiture.reason],
    ['statement', forfeiture.statement],
    ['log-size', forfeiture.logSize],
    ['log-root', forfeiture.logRoot],
    ['published', timeText(forfeiture.published)],
    ['chain', forfeiture.chain],
    ['round', forfeiture.round],
  ])

/** Reads `forfeiture-K.txt`; throws a DrawFault. */
export function parseForfeiture(bytes: Uint8Array): Forfeiture {
  const read = new HeaderReader(bytes, FORFEITURE)
  const forfeiture: Forfeiture = {
    rehearsal: read.rehearsal,
    contest: read.slug('contest'),
    attempt: read.integer('attempt'),
    number: read.integer('number', 1),
    reason: read.word('reason', FORFEIT_REASONS),
    statement: read.hashOrNone('statement'),
    logSize: read.integer('log-size'),
    logRoot: read.hash('log-root'),
    published: read.time('published'),
    chain: read.hash('chain'),
    round: read.integer('round', 1),
  }
  read.end()
  return forfeiture
}

export interface BeaconResponse {
  round: number
  randomness: string
  signature: string
}

/** `beacon-K.json` */
export const beaconFile = ({ round, randomness, signature }: BeaconResponse): Uint8Array =>
  toBytes(`${JSON.stringify({ round, randomness, signature })}\n`)

const BEACON_FILE =
  /^\{"round":([1-9][0-9]{0,15}),"randomness":"([0-9a-f]{64})","signature":"([0-9a-f]{96})"\}\n$/

/** Reads `beacon-K.json`; throws a DrawFault. */
export function parseBeaconFile(bytes: Uint8Array): BeaconResponse {
  const [, round = '', randomness = '', signature = ''] = BEACON_FILE.exec(toText(bytes)) ?? []
  if (round === '' || !Number.isSafeInteger(Number(round))) throw new DrawFault('json', 1)
  return { round: Number(round), randomness, signature }
}
