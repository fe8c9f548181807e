/** The files of a rehearsal (docs/draw-v1.md, section 12), and what its pages show. */
import { setImmediate } from 'node:timers/promises'
import type { BeaconRound } from '#platform/beacon/beacon-client.ts'
import { roundAt, timeOfRound } from '#draw-protocol/beacon.ts'
import { concatBytes, fromHex, toBytes, toHex } from '#draw-protocol/bytes.ts'
import { claimText } from '#draw-protocol/claims.ts'
import { originOf, registerOriginOf } from '#draw-protocol/checkpoints.ts'
import { type Leaf, leafText } from '#draw-protocol/leaves.ts'
import { type ListRow, ListTrees, listHeader, rowText } from '#draw-protocol/lists.ts'
import { MerkleRoots } from '#draw-protocol/merkle.ts'
import { isRegistered, logLeaf, termsLeaf } from '#draw-protocol/register.ts'
import { type Result, beaconFile, forfeitureFile, resultFile } from '#draw-protocol/results.ts'
import { selectWinner } from '#draw-protocol/selection.ts'
import { type Terms, parseTerms, termsFile } from '#draw-protocol/terms.ts'
import type { PublicDraw } from '../../public-draws.contract.ts'
import { deadlinesOf } from '../../timeline.rules.ts'
import type { DrawDurations } from '../draws-deps.ts'
import type { LogKey } from '../log-key.ts'
import { beaconOf, rulesOf } from '../public/public-draws.ts'
import { sha256 } from '../sha256.ts'

/** When what happens, in Unix seconds: all of it is over. */
export interface RehearsalPlan {
  opens: number
  entered: number
  closes: number
  listed: number
  sealed: number
  draw: number
  round: number
  resulted: number
  /** What follows when the first winner does not claim; null when the first winner gets the prize. */
  alternate: { published: number; round: number; resulted: number } | null
  ends: number
}

const DAY = 86_400
const HOUR = 3_600
const MINUTE = 60
/** A relay has a round a moment after its time. */
const LAG = 30
/** From a round to its result. */
const RESULT_AFTER = 5

/**
 * A draw of the durations in force whose last step has just passed.
 * @param now Unix seconds
 * @returns how many seconds too early it is, when the beacon has no round so old
 */
export function planRehearsal(
  durations: DrawDurations,
  beacon: { genesis: number; period: number },
  { alternate, now }: { alternate: boolean; now: number },
): RehearsalPlan | number {
  const { objections, sealMargin, claim, alternateDelay } = durations
  const after = alternate ? claim + alternateDelay + beacon.period + 2 * RESULT_AFTER : RESULT_AFTER
  const latest = now - LAG - MINUTE - after
  if (latest < beacon.genesis) return beacon.genesis - latest
  const round = Math.floor((latest - beacon.genesis) / beacon.period) + 1
  const draw = timeOfRound(beacon, round)
  const sealed = draw - sealMargin - MINUTE
  const listed = sealed - objections
  const closes = listed - MINUTE
  const resulted = draw + RESULT_AFTER
  const published = resulted + claim
  const next = roundAt(beacon, published + alternateDelay)!
  const second = timeOfRound(beacon, next) + RESULT_AFTER
  return {
    opens: closes - DAY,
    entered: closes - HOUR,
    closes,
    listed,
    sealed,
    draw,
    round,
    resulted,
    alternate: alternate ? { published, round: next, resulted: second } : null,
    ends: (alternate ? second : resulted) + MINUTE,
  }
}

interface Ingredients {
  terms: Terms
  /** What the terms name by hashes. */
  texts: ReadonlyMap<string, Uint8Array>
  /** By their numbers. */
  entries: readonly ListRow[]
  plan: RehearsalPlan
  /** The verified round of the draw, and that of the alternate when there is one. */
  rounds: readonly Pick<BeaconRound, 'round' | 'signature' | 'randomness' | 'relay'>[]
  key: LogKey
  /** `README.txt` */
  readme: string
  /** Why the first winner forfeits. */
  statement: string
}

/** What pages show of a rehearsal that has been played to its end. */
export type RehearsalFacts = Omit<PublicDraw, 'contest' | 'rehearsal'>

export interface RehearsalPack {
  files: ReadonlyMap<string, Uint8Array>
  facts: RehearsalFacts
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** What a winner of a rehearsal claims: nobody has sent it, and its hash alone is in the log. */
const CLAIM = {
  salt: '00'.repeat(32),
  name: 'Rehearsal',
  address: ['Rehearsal'],
  postcode: null,
  city: 'Rehearsal',
  country: 'BE',
  phone: null,
} as const

/** Files that grow with each step, which no page names by a hash. */
const GROWING = ['log.txt', 'checkpoints.txt', 'register.txt', 'register-checkpoints.txt']

/** A log that is written and signed as a rehearsal goes on. */
class SignedLog {
  readonly tree = new MerkleRoots(sha256)
  private readonly leaves: string[] = []
  private readonly notes: string[] = []
  private readonly origin: string
  private readonly made: Ingredients

  constructor(origin: string, made: Ingredients) {
    this.origin = origin
    this.made = made
  }

  add(text: string): void {
    this.leaves.push(text)
    this.tree.add(toBytes(text))
  }

  sign(time: number): void {
    const { terms, key } = this.made
    const { size } = this.tree
    this.notes.push(key.note(terms.host, { origin: this.origin, size, root: this.tree.root(), time }))
  }

  get content(): Uint8Array {
    return toBytes(this.leaves.map((leaf) => `${leaf}\n`).join(''))
  }

  get checkpoints(): Uint8Array {
    return toBytes(this.notes.join('\n'))
  }
}

/** The logs and the files of a rehearsal, each leaf at its time of the plan. */
class Rehearsal {
  readonly files: Map<string, Uint8Array>
  private readonly made: Ingredients
  private readonly log: SignedLog
  private readonly register: SignedLog

  constructor(made: Ingredients) {
    this.made = made
    this.files = new Map([['README.txt', toBytes(made.readme)], ...made.texts])
    this.log = new SignedLog(originOf(made.terms), made)
    this.register = new SignedLog(registerOriginOf(made.terms), made)
  }

  /** @returns the hash of the file */
  file(name: string, content: Uint8Array): string {
    this.files.set(name, content)
    return toHex(sha256(content))
  }

  add(leaf: Leaf): this {
    const text = leafText(leaf, this.made.terms)
    if (leaf.type === 'open') this.register.add(termsLeaf({ ...this.made.terms, ...leaf }))
    if (isRegistered(leaf.type)) this.register.add(text)
    this.log.add(text)
    return this
  }

  /** Signs the log, and the register that fixes it. */
  sign(time: number): this {
    this.log.sign(time)
    this.register.add(logLeaf({ ...this.made.terms, size: this.size, root: this.root }))
    this.register.sign(time)
    return this
  }

  get size(): number {
    return this.log.tree.size
  }

  get root(): string {
    return toHex(this.log.tree.root())
  }

  /** Adds what grew. */
  finish(): void {
    this.file('log.txt', this.log.content)
    this.file('checkpoints.txt', this.log.checkpoints)
    this.file('register.txt', this.register.content)
    this.file('register-checkpoints.txt', this.register.checkpoints)
  }
}

/** Lets calls get a response between so many rows. */
const ROWS_BETWEEN_PAUSES = 2_000

/** Does something for each row without holding up the shop. */
async function eachRow<Row>(rows: readonly Row[], act: (row: Row) => void): Promise<void> {
  for (const [at, row] of rows.entries()) {
    act(row)
    if (at % ROWS_BETWEEN_PAUSES === ROWS_BETWEEN_PAUSES - 1) await setImmediate()
  }
}

/** Every file of a rehearsal. It draws as a real draw does; only where it is published differs. */
export async function makeRehearsal(made: Ingredients): Promise<RehearsalPack> {
  const { terms, entries, plan, rounds } = made
  const { rehearsal, contest } = terms
  const { chain } = terms.beacon
  const run = new Rehearsal(made)
  const content = termsFile(terms)
  // What a verifier would refuse is not made.
  parseTerms(content, sha256)
  const termsHash = run.file('terms.txt', content)
  run.add({ type: 'open', termsHash }).sign(plan.opens)
  await eachRow(entries, ({ number, kind, commitment }) =>
    run.add({ type: 'entry', number, kind, commitment }),
  )
  await eachRow(entries, ({ number, voided }) => {
    if (voided !== null) run.add({ type: 'void', number, reason: voided })
  })
  run.sign(plan.entered)
  run.add({ type: 'close', instant: terms.closes, pending: 0 }).sign(plan.closes)

  const valid = entries.filter(({ voided }) => voided === null)
  const of = (kind: ListRow['kind']): number => entries.filter((entry) => entry.kind === kind).length
  const counts = { paid: of('paid'), postal: of('postal'), demo: of('demo'), valid: valid.length }
  const texts = entries.map(rowText)
  const rows = toBytes(texts.map((text) => `${text}\n`).join(''))
  const trees = new ListTrees(sha256)
  await eachRow(texts, (text) => trees.add(toBytes(text)))
  const [listRoot, validRoot] = [trees.all, trees.valid].map((tree) => toHex(tree.root())) as [string, string]
  const list = (name: string) => {
    const logSize = run.size
    const { round } = plan
    const figures = { ...counts, rehearsal, contest, termsHash, logSize, logRoot: run.root, chain, round }
    return { logSize, hash: run.file(name, concatBytes(listHeader(figures), rows)) }
  }
  const provisional = list('provisional.txt')
  run.add({ type: 'list', listHash: provisional.hash }).sign(plan.listed)
  const sealed = list('list.txt')
  run.add({ type: 'seal', listHash: sealed.hash, listRoot, valid: valid.length, validRoot }).sign(plan.sealed)

  const attempts: PublicDraw['attempts'] = []
  let remaining = valid
  let winner: Result | undefined
  function drawIn(round: Ingredients['rounds'][number] | undefined, time: number): void {
    if (!round) throw new Error('a rehearsal lacks a round of the beacon')
    const attempt = attempts.length
    const { signature, randomness, relay } = round
    const selection = selectWinner(
      {
        attempt,
        randomness: fromHex(randomness),
        listHash: fromHex(sealed.hash),
        remaining: remaining.length,
      },
      sha256,
    )
    const { number, kind, commitment } = remaining[selection.index]!
    winner = {
      rehearsal,
      contest,
      attempt,
      listHash: sealed.hash,
      chain,
      round: round.round,
      signature,
      randomness,
      remaining: remaining.length,
      ...selection,
      number,
      kind,
      commitment,
    }
    run.file(`beacon-${attempt}.json`, beaconFile(winner))
    const hash = run.file(`result-${attempt}.txt`, resultFile(winner))
    run.add({ type: 'result', attempt, hash }).sign(time)
    attempts.push({
      attempt,
      round: round.round,
      round_at: iso(timeOfRound(terms.beacon, round.round)),
      drawn: {
        at: iso(time),
        relay,
        randomness,
        remaining: remaining.length,
        ...selection,
        number,
        winner: null,
        claim: null,
      },
      forfeited: null,
    })
    remaining = remaining.filter((row) => row.number !== number)
  }
  function forfeit({ number }: Result, published: number, round: number): void {
    const statement = run.file('statement-0.txt', toBytes(made.statement))
    const file = forfeitureFile({
      rehearsal,
      contest,
      attempt: 0,
      number,
      reason: 'unclaimed',
      statement,
      logSize: run.size,
      logRoot: run.root,
      published,
      chain,
      round,
    })
    run.add({ type: 'forfeit', attempt: 0, hash: run.file('forfeiture-0.txt', file) }).sign(published)
    attempts[0] = { ...attempts[0]!, forfeited: { reason: 'unclaimed', at: iso(published) } }
  }

  if (remaining.length > 0) drawIn(rounds[0], plan.resulted)
  if (winner && plan.alternate) {
    const { published, round, resulted } = plan.alternate
    forfeit(winner, published, round)
    winner = undefined
    if (remaining.length > 0) drawIn(rounds[1], resulted)
  }
  if (winner) {
    const { attempt, number } = winner
    const hash = toHex(sha256(toBytes(claimText({ ...CLAIM, contest, attempt, number }))))
    run.add({ type: 'claim', attempt, hash }).add({ type: 'award', attempt, number })
  } else run.add({ type: 'cancel', reason: 'no-entries' })
  run.sign(plan.ends).finish()

  const listed = { ...counts, root: null }
  const { objections, sealMargin: seal_margin, beaconPatience: beacon_patience, claim } = terms
  const durations = { objections, seal_margin, beacon_patience, claim }
  const latest = deadlinesOf(plan.draw * 1000, durations)
  const facts: RehearsalFacts = {
    state: winner ? 'drawn' : 'cancelled',
    published_at: iso(plan.opens),
    closes_at: iso(plan.closes),
    stopped: false,
    draw_at: iso(plan.draw),
    terms: { hash: termsHash },
    plan: {
      list_by: iso(latest.list / 1000),
      seal_at: iso(latest.seal / 1000),
      objections_over: true,
      ...durations,
    },
    log: { entries: entries.length, size: run.size, root: run.root, checkpoint_at: iso(plan.ends) },
    provisional: { ...listed, hash: provisional.hash, log_size: provisional.logSize, at: iso(plan.listed) },
    sealed: { ...counts, root: listRoot, hash: sealed.hash, log_size: sealed.logSize, at: iso(plan.sealed) },
    attempts,
    cancelled: winner ? null : { reason: 'no-entries', at: iso(plan.ends), words: '' },
    delay: null,
    beacon: beaconOf(terms),
    rules: rulesOf(terms),
    attested: null,
    stamped: null,
    changes: [],
    files: [...run.files]
      .filter(([name]) => name !== 'README.txt' && !GROWING.includes(name))
      .map(([name, file]) => ({ name, hash: toHex(sha256(file)) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
  return { files: run.files, facts }
}
