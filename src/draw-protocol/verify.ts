/** The steps of a verification (docs/draw-v1.md, section 13), from public files alone. */
import { type Awaited, awaitedIn, checkForfeitureLines, drawAttempt, signatureIn } from './attempts.ts'
import { timeOfRound } from './beacon.ts'
import { ByteReader } from './byte-reader.ts'
import { LF, type Sha256, sameBytes, toHex, toText } from './bytes.ts'
import {
  type Checkpoint,
  type VerifierKey,
  checkSignature,
  originOf,
  parseCheckpoints,
  parseVerifierKey,
  registerOriginOf,
} from './checkpoints.ts'
import { Confirmations } from './confirmations.ts'
import { DrawFault, type FaultCode, type FaultValues } from './faults.ts'
import { type CancelReason, type VoidReason, linesOf, tagOf, timeText } from './formats.ts'
import { parseLeaf } from './leaves.ts'
import { ListTrees, listHeader } from './lists.ts'
import { type ListLeaf, type LogState, type ScannedLog, scanLog } from './log.ts'
import { type Register, compareWithLog, scanRegister } from './register.ts'
import { type Forfeiture, parseForfeiture, resultFile } from './results.ts'
import { sha256 } from './sha256.ts'
import { type Stamp, canCheckStamps, parseAuthority } from './stamps.ts'
import { STEPS, type Step } from './steps.ts'
import { type Terms, parseTerms } from './terms.ts'
import { PolicyFault, type WitnessPolicy, parsePolicy } from './witness-policy.ts'

export { STEPS, type Step }

/** What a step found. Lines are counted from 1; 0 stands for the file as a whole. */
export type StepResult = { step: Step } & (
  | { outcome: 'passed' }
  | { outcome: 'failed'; code: FaultCode; file: string; line: number; values: FaultValues }
  | { outcome: 'skipped'; why: SkipReason }
)

/** `no-authority`: the terms name none; `unsupported`: nothing here checks stamps; a step: it did not pass. */
export type SkipReason = 'not-yet' | 'no-authority' | 'unsupported' | Step

export type RemarkCode =
  | 'rehearsal'
  | 'demonstration'
  | 'same-commitment'
  | 'kept-newer'
  | 'close-late'
  | 'entries-after-list'
  | 'objections-short'
  | 'seal-late'
  | 'forfeit-late'
  | 'forfeit-unconfirmed'
  | 'claimed'
  | 'cancel-late'
  | 'cancelled-after-seal'
  | 'silence-claimed'
  | 'result-late'
  | 'result-overdue'
  | 'terms-unconfirmed'
  | 'terms-late'
  | 'seal-unconfirmed'
  | 'cancelled-unconfirmed'
  | 'terms-unstamped'
  | 'seal-unstamped'

/** What people should know, and what does not make a step fail. */
export interface Remark {
  code: RemarkCode
  values: FaultValues
}

/** What an authority of time stamps has said in time. */
export interface Stamps {
  /** What its certificate calls it. */
  name: string
  /** When it stamped the terms, in Unix seconds. */
  opened: number
  /** When it stamped the sealed list; null while there is none. */
  sealed: number | null
}

/** Who vouches for the times. */
export type Voucher =
  | {
      by: 'witnesses'
      /** How many of them had signed in time, of how many. */
      count: number
      of: number
      /** When a quorum had confirmed the terms, in Unix seconds. */
      opened: number
      /** When a quorum had confirmed the sealed list; null while there is none. */
      sealed: number | null
      /** Null when there are no stamps, or not in time. */
      stamps: Stamps | null
    }
  /** For the times alone: an authority stamps all lists that it is sent. */
  | ({ by: 'stamps' } & Stamps)
  /** `no-policy`: nobody was asked; `unconfirmed`: the witnesses did not confirm in time. */
  | { by: 'shop'; why: 'no-policy' | 'unconfirmed' }

export interface Winner {
  attempt: number
  number: number
  kind: string
  commitment: string
  /** The round that decided. */
  round: number
  isClaimed: boolean
  isForfeited: boolean
}

/** What the files say of one number. */
export interface NumberEntry {
  /** The line of `log.txt`. */
  line: number
  /** The time of the first checkpoint that contains the line, in Unix seconds; null without valid checkpoints. */
  since: number | null
  commitment: string
  /** In the sealed list; null when there is none. */
  listed: 'valid' | VoidReason | null
  /** Why it is void by now. */
  voided: VoidReason | null
}

export interface Verification {
  steps: StepResult[]
  remarks: Remark[]
  /** Null when the step `register` did not pass, or `stamps` failed. */
  voucher: Voucher | null
  /** Who won, as far as it follows from the files. */
  winners: Winner[]
  /** How many results the log has. */
  results: number
  /** The round that is waited for; null when there is none, or it does not follow from the files. */
  awaited: Awaited | null
  terms: Terms | null
  termsHash: string | null
  listHash: string | null
  logSize: number | null
  /** The entry of the number that was asked for: null when the log has none, undefined when no valid log was read. */
  entry: NumberEntry | null | undefined
  /** How the contest has ended, by a log that keeps the rules; null while it goes on. */
  over: 'awarded' | 'cancelled' | null
  /** Why the contest was cancelled, by such a log. */
  cancelled: CancelReason | null
}

/** A file that is read in parts, such as one of an archive; what it throws as a DrawFault is a fault of this file. */
export interface FileInParts {
  size: number
  parts: () => AsyncIterable<Uint8Array>
}

/** The files of a pack by name: as bytes, as what gets them when they are needed, or in parts, for which little memory is used. */
export type DrawFiles = ReadonlyMap<
  string,
  Uint8Array | (() => Uint8Array | Promise<Uint8Array>) | FileInParts
>

export interface Progress {
  step: Step
  done: number
  total: number
}

interface Options {
  sha256?: Sha256
  /** Called as soon as the result of a step is known. */
  onStep?: (result: StepResult) => void
  /** Awaited often: a page draws its bar and gives other work its turn. */
  onProgress?: (progress: Progress) => void | Promise<void>
  /** What the reader kept: stronger than what the shop hands out. */
  kept?: { termsHash?: string; listHash?: string; checkpoints?: Uint8Array }
  /** A policy of the reader's own, which stands in the place of that of the terms. */
  policy?: string
  /** The folder of the archive that holds the files. */
  folder?: string
  /** The number whose entry is asked for. */
  number?: number
}

/** Runs every step that can be run, and never throws for what is in the files. */
export const verifyDraw = (files: DrawFiles, options: Options = {}): Promise<Verification> =>
  new Run(files, options).all()

/** What is found of an archive that cannot be read: nothing of it is. */
export const unreadablePack = (file: string, { code, line, values }: DrawFault): Verification => ({
  steps: STEPS.map((step) =>
    step === 'pack'
      ? { step, outcome: 'failed', code, file, line, values }
      : { step, outcome: 'skipped', why: 'pack' },
  ),
  remarks: [],
  voucher: null,
  winners: [],
  results: 0,
  awaited: null,
  terms: null,
  termsHash: null,
  listHash: null,
  logSize: null,
  entry: undefined,
  over: null,
  cancelled: null,
})

const GRACE = 60
/** How long after its round a result may come, or be missing, without a remark. */
const OVERDUE = 3600
const REGISTER = ['register.txt', 'register-checkpoints.txt'] as const
const STAMPS = ['authority.pem', 'terms.tsr', 'seal.tsr'] as const
const LEDGER = ['terms.txt', 'policy.txt', ...STAMPS, 'log.txt', 'checkpoints.txt', ...REGISTER] as const
const TEXT = /^text-([a-z]{2})\.txt$/
const LISTS = ['provisional.txt', 'list.txt'] as const
const OF_ATTEMPT = /^(?:beacon-(0|[1-9]\d*)\.json|(?:result|forfeiture|statement)-(0|[1-9]\d*)\.txt)$/
const STAFF_REASONS: readonly string[] = ['under-age', 'excluded', 'staff', 'postal-rule']

/** A fault with the name of its file. */
class FileFault extends Error {
  readonly file: string
  readonly fault: DrawFault

  constructor(file: string, fault: DrawFault) {
    super(`${file}: ${fault.message}`)
    this.name = 'FileFault'
    this.file = file
    this.fault = fault
  }
}

/** What a step needs did not pass. */
class Skip extends Error {
  readonly why: SkipReason

  constructor(why: SkipReason) {
    super(why)
    this.name = 'Skip'
    this.why = why
  }
}

const fail = (file: string, code: FaultCode, line: number, values: FaultValues = {}): never => {
  throw new FileFault(file, new DrawFault(code, line, values))
}

/** Gives the faults of `read` the name of the file. */
function within<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof DrawFault ? new FileFault(file, error) : error
  }
}

async function withinFile<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof DrawFault ? new FileFault(file, error) : error
  }
}

/** The parts of a file; their faults get its name. */
async function* partsOf(name: string, file: FileInParts): AsyncIterable<Uint8Array> {
  try {
    yield* file.parts()
  } catch (error) {
    throw error instanceof DrawFault ? new FileFault(name, error) : error
  }
}

/** The result of a step's part that a later step reports. */
type Outcome<T> = { value: T } | { error: unknown }

/** Who vouches for the times but for time stamps. */
type Confirmed = Omit<Extract<Voucher, { by: 'witnesses' }>, 'stamps'> | Extract<Voucher, { by: 'shop' }>

/** The checkpoints of the file, and those that the reader kept. */
interface Checkpoints {
  own: Checkpoint[]
  kept: Checkpoint[]
}

/** A log whose checkpoints are checked. */
interface SignedLog {
  origin: string
  size: number
  roots: ReadonlyMap<number, Uint8Array>
}

/** A register as it was read, and the checkpoints of it. */
interface ReadRegister extends Checkpoints {
  register: Register
}

class Run {
  private readonly files: DrawFiles
  private readonly sha256: Sha256
  private readonly options: Options
  private readonly steps: StepResult[] = []
  private readonly remarks: Remark[] = []
  private readonly winners: Winner[] = []
  private rehearsal = false
  private terms: Terms | null = null
  private key: VerifierKey | null = null
  private termsHash: string | null = null
  private log: { size: number; reader: ByteReader } | null = null
  private scan: ScannedLog | null = null
  /** A log that keeps the rules. */
  private state: LogState | null = null
  private checkpoints: Checkpoint[] | null = null
  /** What the witnesses say; null when the step `register` did not pass. */
  private confirmations: Confirmations | null = null
  /** Whether a policy asks for somebody; what is not known of it stands as true. */
  private asks = false
  /** What the step `register` says of it; null when it did not pass. */
  private confirmed: Confirmed | null = null
  /** What the authority has said in time; undefined when the step `stamps` failed. */
  private stamps: Stamps | null | undefined = null
  private listHash: string | null = null
  private forfeitures: Outcome<Forfeiture>[] = []
  private readonly signatures: string[] = []

  constructor(files: DrawFiles, options: Options) {
    this.files = files
    this.options = options
    this.sha256 = options.sha256 ?? sha256
  }

  async all(): Promise<Verification> {
    await this.step('pack', () => this.checkPack())
    await this.step('terms', () => this.checkTerms())
    const read = await this.readCheckpoints()
    const register = await this.readRegister(read)
    await this.step('log', () => this.checkLog(read, register))
    await this.step('checkpoints', () => this.checkCheckpoints(read))
    await this.step('register', () => this.checkRegister(register))
    await this.step('stamps', () => this.checkStamps())
    await this.step('list', () => this.checkLists())
    await this.step('seal', () => this.checkSeal())
    this.forfeitures = await this.readForfeitures()
    await this.step('beacon', () => this.checkBeacons())
    await this.step('winner', () => this.checkWinners())
    await this.step('forfeitures', () => this.checkForfeitures())
    await this.step('end', () => this.checkEnd())
    return {
      steps: this.steps,
      remarks: this.remarks,
      voucher: this.voucherOf(),
      winners: this.winners,
      results: this.state?.results.length ?? 0,
      awaited: this.state && awaitedIn(this.state, this.terms!, (attempt) => this.roundAfter(attempt)),
      terms: this.terms,
      termsHash: this.termsHash,
      listHash: this.listHash,
      logSize: this.scan?.size ?? null,
      entry: this.entryOf(this.options.number),
      over: this.state?.over ?? null,
      cancelled: this.state?.cancel?.reason ?? null,
    }
  }

  private async step(step: Step, check: () => Promise<void>): Promise<void> {
    try {
      await check()
      this.steps.push({ step, outcome: 'passed' })
    } catch (error) {
      if (error instanceof Skip) this.steps.push({ step, outcome: 'skipped', why: error.why })
      else if (error instanceof FileFault) {
        const { code, line, values } = error.fault
        this.steps.push({ step, outcome: 'failed', code, file: error.file, line, values })
      } else throw error
    }
    this.options.onStep?.(this.steps.at(-1)!)
  }

  private remark(code: RemarkCode, values: FaultValues = {}): void {
    this.remarks.push({ code, values })
  }

  private async pause(step: Step, done: number, total: number): Promise<void> {
    await this.options.onProgress?.({ step, done, total })
  }

  private async open(name: string): Promise<{ size: number; reader: ByteReader }> {
    const file = this.files.get(name) ?? fail(name, 'missing-file', 0)
    if ('parts' in file) return { size: file.size, reader: new ByteReader(partsOf(name, file)) }
    const bytes = typeof file === 'function' ? await file() : file
    return { size: bytes.length, reader: new ByteReader([bytes]) }
  }

  /** A whole file. Only the log and the lists can be large. */
  private async read(name: string): Promise<Uint8Array> {
    const { reader } = await this.open(name)
    return (await reader.rest(MOST_BYTES)) ?? fail(name, 'file-large', 0, { most: MOST_BYTES })
  }

  private async hashOf(bytes: Uint8Array, step: Step): Promise<string> {
    const hash = this.sha256.create()
    for (let at = 0; at < bytes.length; at += PART) {
      hash.update(bytes.subarray(at, at + PART))
      await this.pause(step, Math.min(at + PART, bytes.length), bytes.length)
    }
    return toHex(hash.digest())
  }

  private async checkPack(): Promise<void> {
    for (const name of this.files.keys()) {
      const known: readonly string[] = ['README.txt', ...LEDGER, 'question.txt', ...LISTS]
      if (!known.includes(name) && !TEXT.test(name) && !OF_ATTEMPT.test(name)) fail(name, 'unknown-file', 0)
    }
    if (!this.files.has('README.txt')) return
    const readme = await this.read('README.txt')
    const [first] = within('README.txt', () => proseLines(readme)) as [string]
    const isRehearsal = this.files.has('terms.txt') && startsAsRehearsal(await this.read('terms.txt'))
    const expected = tagOf('volant-evidence-v1', isRehearsal)
    if (first !== expected) fail('README.txt', 'tag', 1, { expected, found: first })
  }

  private async checkTerms(): Promise<void> {
    const bytes = await this.read('terms.txt')
    const terms = within('terms.txt', () => parseTerms(bytes, this.sha256))
    this.terms = terms
    this.rehearsal = terms.rehearsal
    this.key = parseVerifierKey(terms.logKey, this.sha256, 0)
    this.termsHash = await this.hashOf(bytes, 'terms')
    if (this.rehearsal) this.remark('rehearsal')
    if (terms.demonstration) this.remark('demonstration')
    const { folder, kept } = this.options
    if (folder !== undefined && folder !== terms.contest)
      fail('terms.txt', 'folder', CONTEST_LINE, { expected: terms.contest, found: folder })
    if (kept?.termsHash !== undefined && kept.termsHash !== this.termsHash)
      fail('terms.txt', 'kept-hash', 0, { expected: kept.termsHash, found: this.termsHash })
    if (this.files.has('log.txt')) {
      this.log = await this.open('log.txt')
      const opened = openedTerms(await this.firstLine(this.log.reader))
      if (opened !== null && opened !== this.termsHash)
        fail('terms.txt', 'file-hash', 0, { expected: opened, found: this.termsHash })
    }
    for (const name of this.files.keys()) {
      const language = TEXT.exec(name)?.[1]
      if (language === undefined && name !== 'question.txt') continue
      const expected = language === undefined ? terms.question : (terms.texts[language] ?? null)
      const found = await this.hashOf(await this.read(name), 'terms')
      if (found !== expected) fail(name, 'text-hash', 0, { expected: expected ?? 'none', found })
    }
  }

  /** The first line of the log; null when it cannot be read, which is a matter of the step `log`. */
  private async firstLine(log: ByteReader): Promise<Uint8Array | null> {
    try {
      return await log.peekLine()
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      this.log = null
      return null
    }
  }

  /** Before the log, because it says at which sizes roots are wanted. */
  private async readCheckpoints(): Promise<Outcome<Checkpoints>> {
    const { checkpoints } = this.options.kept ?? {}
    try {
      const bytes = await this.read('checkpoints.txt')
      const own = within('checkpoints.txt', () => parseCheckpoints(bytes))
      return { value: { own, kept: checkpoints ? within(KEPT, () => parseCheckpoints(checkpoints)) : [] } }
    } catch (error) {
      return { error }
    }
  }

  /** Before the log, too: its leaves name sizes of the log. Faults are those of the step `register`. */
  private async readRegister(read: Outcome<Checkpoints>): Promise<Outcome<ReadRegister>> {
    const { terms, termsHash } = this
    try {
      if (!terms || termsHash === null || 'error' in read) throw new Skip('checkpoints')
      const origin = registerOriginOf(terms)
      const kept = read.value.kept.filter((one) => one.origin === origin)
      const { size, reader } = await this.open('register.txt')
      const checkpoints = await this.readNotes('register-checkpoints.txt')
      const own = 'value' in checkpoints ? checkpoints.value : []
      const sizes = [...own, ...kept].map((one) => one.size)
      const asked = { terms, termsHash, sizes, sha256: this.sha256 }
      const register = await withinFile('register.txt', () =>
        scanRegister(reader, asked, (done) => this.pause('register', done, Math.max(done, size))),
      )
      if ('error' in checkpoints) throw checkpoints.error
      return { value: { own, kept, register } }
    } catch (error) {
      return { error }
    }
  }

  private async readNotes(file: string): Promise<Outcome<Checkpoint[]>> {
    try {
      const bytes = await this.read(file)
      return { value: within(file, () => parseCheckpoints(bytes)) }
    } catch (error) {
      return { error }
    }
  }

  private async checkLog(read: Outcome<Checkpoints>, register: Outcome<ReadRegister>): Promise<void> {
    const terms = this.terms ?? skip('terms')
    const log = this.log ?? (await this.open('log.txt'))
    this.log = null
    const sizes = [
      ...('value' in read ? [...read.value.own, ...read.value.kept] : []),
      ...('value' in register ? register.value.register.logs : []),
    ].map(({ size }) => size)
    this.scan = await scanLog(log.reader, { terms, sizes, sha256: this.sha256 }, (done) =>
      this.pause('log', done, Math.max(done, log.size)),
    )
    const { fault, state } = this.scan
    if (fault) throw new FileFault('log.txt', fault)
    this.state = state
    const same = state.entries.sameCommitment()
    if (same) this.remark('same-commitment', { number: same[0], other: same[1] })
  }

  private async checkCheckpoints(read: Outcome<Checkpoints>): Promise<void> {
    if (!this.terms) throw new Skip('terms')
    const { size: logSize } = this.scan ?? skip('log')
    if ('error' in read) throw read.error
    const { own } = read.value
    const kept = read.value.kept.filter(({ origin }) => origin !== registerOriginOf(this.terms!))
    const log = { origin: originOf(this.terms), size: logSize, roots: this.scan!.roots }
    await this.compareCheckpoints('checkpoints', 'checkpoints.txt', { own, kept }, log)
    for (const checkpoint of kept) if (checkpoint.size <= logSize) this.checkKeptTime(checkpoint, own)
    checkOrder(own, kept)
    this.checkpoints = own
  }

  /** Signatures, order and roots of checkpoints of a log, and of those of it that the reader kept. */
  private async compareCheckpoints(
    step: 'checkpoints' | 'register',
    file: string,
    { own, kept }: Checkpoints,
    log: SignedLog,
  ): Promise<void> {
    for (const [at, checkpoint] of own.entries()) {
      await this.pause(step, at, own.length)
      this.checkCheckpoint(file, checkpoint, log, own[at - 1])
    }
    const last = own.at(-1)
    if (last?.size !== log.size)
      fail(file, 'log-not-covered', last?.line ?? 0, { found: last?.size ?? 0, expected: log.size })
    for (const [at, checkpoint] of kept.entries()) {
      await this.pause(step, at, kept.length)
      this.checkKept(checkpoint, own, log)
    }
  }

  private checkCheckpoint(file: string, checkpoint: Checkpoint, log: SignedLog, before?: Checkpoint): void {
    const { size, root, time, line } = checkpoint
    within(file, () => checkSignature(checkpoint, this.key!, log.origin))
    if (before && size < before.size) fail(file, 'size-fell', line + 1, { before: before.size, found: size })
    if (before && time < before.time)
      fail(file, 'time-fell', line + 3, { before: timeText(before.time), found: timeText(time) })
    if (size > log.size) fail(file, 'size-beyond-log', line + 1, { found: size, most: log.size })
    const expected = log.roots.get(size)!
    if (!sameBytes(expected, root))
      fail(file, 'root', line + 2, {
        size,
        agreed: before?.size ?? 0,
        found: toHex(root),
        expected: toHex(expected),
      })
  }

  /** Compares a checkpoint that the reader kept with the file, which may be older than it. */
  private checkKept(kept: Checkpoint, own: readonly Checkpoint[], log: SignedLog): void {
    if (kept.size <= log.size || kept.time <= own.at(-1)!.time) {
      this.checkCheckpoint(KEPT, kept, log)
      return
    }
    within(KEPT, () => checkSignature(kept, this.key!, log.origin))
    this.remark('kept-newer', { size: kept.size, time: timeText(kept.time) })
  }

  /** Refuses a kept checkpoint that contains a leaf before the file says that the leaf was there. */
  private checkKeptTime(kept: Checkpoint, own: readonly Checkpoint[]): void {
    // Times of leaves never fall: the last leaf that it contains is the one to compare.
    const last = this.scan!.state.milestones.findLast((index) => index < kept.size)
    if (last === undefined) return
    const first = own.find(({ size }) => size > last)!
    if (kept.time < first.time)
      fail(KEPT, 'kept-earlier', kept.line + 3, {
        leaf: last + 1,
        found: timeText(kept.time),
        file: timeText(first.time),
      })
  }

  private async checkRegister(read: Outcome<ReadRegister>): Promise<void> {
    const { terms } = this
    this.asks = this.options.policy !== undefined || (terms !== null && terms.witnessPolicy !== null)
    const state = this.state ?? skip('log')
    if (!this.checkpoints) throw new Skip('checkpoints')
    const policy = await this.readPolicy()
    this.asks = policy.quorum !== null
    if ('error' in read) throw read.error
    const { register, own, kept } = read.value
    const { size, roots } = this.scan!
    compareWithLog(register, { state, size, roots, terms: terms! }, (file, fault) => {
      throw new FileFault(file, fault)
    })
    const log = { origin: registerOriginOf(terms!), size: register.size, roots: register.roots }
    await this.compareCheckpoints('register', 'register-checkpoints.txt', { own, kept }, log)
    checkOrder(own, kept)
    const confirmations = new Confirmations(policy, register)
    const verifyMlDsa = policy.witnesses.some(({ key }) => key.kind === 'ml-dsa-44')
      ? (await import('./ml-dsa.ts')).verifyMlDsa
      : undefined
    for (const [at, checkpoint] of own.entries()) {
      within('register-checkpoints.txt', () => confirmations.add(checkpoint, verifyMlDsa))
      await this.pause('register', at + 1, own.length)
    }
    this.confirmations = confirmations
    this.confirmed = this.confirmedOf(policy, confirmations, state)
  }

  /** The policy that counts: the reader's, or that of the terms, which has their hash. */
  private async readPolicy(): Promise<WitnessPolicy> {
    const { witnessPolicy } = this.terms!
    let policy: WitnessPolicy = { witnesses: [], quorum: null }
    if (witnessPolicy !== null) {
      const bytes = await this.read('policy.txt')
      const found = await this.hashOf(bytes, 'register')
      if (found !== witnessPolicy) fail('policy.txt', 'text-hash', 0, { expected: witnessPolicy, found })
      policy = within('policy.txt', () => policyOf(linesOf(bytes).join('\n'), this.sha256))
    } else if (this.files.has('policy.txt')) fail('policy.txt', 'unknown-file', 0)
    const { policy: own } = this.options
    return own === undefined ? policy : within(KEPT, () => policyOf(own, this.sha256))
  }

  private confirmedOf(
    { witnesses, quorum }: WitnessPolicy,
    confirmed: Confirmations,
    state: LogState,
  ): Confirmed {
    if (quorum === null) return { by: 'shop', why: 'no-policy' }
    const { closes, draw } = this.terms!
    const { seal } = state
    const opened = confirmed.of(0)
    const isOpen = opened !== null && opened < closes
    if (!isOpen) this.remark('terms-unconfirmed')
    const late = opened === null ? 0 : opened - this.timeOf({ index: 0 })
    if (late > OVERDUE) this.remark('terms-late', { time: timeText(opened!), seconds: late })
    const sealed = seal ? confirmed.of(seal.index) : null
    const isSealed = !seal || (sealed !== null && sealed < draw)
    if (!isSealed) this.remark('seal-unconfirmed')
    if (!isOpen || !isSealed) return { by: 'shop', why: 'unconfirmed' }
    const count = seal ? confirmed.signers(seal.index, draw) : confirmed.signers(0, closes)
    return { by: 'witnesses', count, of: witnesses.length, opened, sealed }
  }

  private voucherOf(): Voucher | null {
    const { confirmed, stamps } = this
    if (!confirmed || stamps === undefined) return null
    if (confirmed.by === 'witnesses') return { ...confirmed, stamps }
    return stamps ? { by: 'stamps', ...stamps } : confirmed
  }

  /** The stamps of an authority that the terms name. */
  private async checkStamps(): Promise<void> {
    const { seal } = this.state ?? skip('log')
    const { stampAuthority, closes, draw } = this.terms!
    if (stampAuthority === null) {
      for (const name of STAMPS) if (this.files.has(name)) fail(name, 'unknown-file', 0)
      throw new Skip('no-authority')
    }
    const isGiven = this.files.has('terms.tsr') || this.files.has('seal.tsr')
    if (isGiven && !canCheckStamps()) throw new Skip('unsupported')
    this.stamps = undefined
    let opened: Stamp | null = null
    let sealed: Stamp | null = null
    try {
      const check = await this.stampsOf(stampAuthority)
      if (!seal && this.files.has('seal.tsr')) fail('seal.tsr', 'unknown-file', 0)
      opened = await check('terms.tsr', this.termsHash!)
      if (seal) sealed = await check('seal.tsr', seal.listHash)
      this.stamps = null
    } finally {
      const isOpened = opened !== null && opened.time < closes
      const isSealed = !seal || (sealed !== null && sealed.time < draw)
      if (!isOpened) this.remark('terms-unstamped')
      if (!isSealed) this.remark('seal-unstamped')
      if (this.stamps === null && opened && isOpened && isSealed)
        this.stamps = { name: opened.name, opened: opened.time, sealed: sealed?.time ?? null }
    }
    if (!isGiven) throw new Skip('not-yet')
  }

  /** What checks a stamp of the authority whose certificates have a hash; null for one that is not there. */
  private async stampsOf(
    stampAuthority: string,
  ): Promise<(name: (typeof STAMPS)[number], hash: string) => Promise<Stamp | null>> {
    const file = await this.read('authority.pem')
    const found = await this.hashOf(file, 'stamps')
    if (found !== stampAuthority) fail('authority.pem', 'text-hash', 0, { expected: stampAuthority, found })
    const certificates = within('authority.pem', () => parseAuthority(file))
    return async (name, hash) => {
      if (!this.files.has(name)) return null
      const bytes = await this.read(name)
      const { checkStamp } = await import('./stamp-tokens.ts')
      return await withinFile(name, () => checkStamp(bytes, { certificates, hash }))
    }
  }

  /** T(leaf): the time of the first checkpoint that contains the leaf. */
  private timeOf({ index }: { index: number }): number {
    return this.checkpoints!.find(({ size }) => size > index)!.time
  }

  private entryOf(number: number | undefined): NumberEntry | null | undefined {
    const { state } = this
    if (!state || number === undefined) return undefined
    if (!state.entries.has(number)) return null
    const index = state.indexOf(number)
    return {
      line: index + 1,
      since: this.checkpoints ? this.timeOf({ index }) : null,
      commitment: toHex(state.entries.of(number).commitment),
      ...state.standingOf(number),
    }
  }

  private async checkLists(): Promise<void> {
    const state = this.state ?? skip('log')
    for (const [name, leaf] of [
      ['provisional.txt', state.list],
      ['list.txt', state.seal],
    ] as const) {
      if (!leaf) {
        if (this.files.has(name)) fail(name, 'unknown-file', 0)
        continue
      }
      const trees = leaf === state.seal ? new ListTrees(this.sha256) : null
      const hash = await this.compareList(name, leaf, trees)
      const equal = (code: FaultCode, found: string | number, expected: string | number): void => {
        if (found !== expected) fail('log.txt', code, leaf.index + 1, { expected, found })
      }
      equal('file-hash', leaf.listHash, hash)
      if (!trees) continue
      const { listRoot, valid, validRoot } = state.seal!
      equal('root', listRoot, toHex(trees.all.root()))
      equal('valid-count', valid, trees.valid.size)
      equal('valid-root', validRoot, toHex(trees.valid.root()))
    }
    if (!state.list) throw new Skip('not-yet')
    const { kept } = this.options
    if (state.seal && kept?.listHash !== undefined && kept.listHash !== state.seal.listHash)
      fail('list.txt', 'kept-hash', 0, { expected: kept.listHash, found: state.seal.listHash })
    if (state.list && state.seal) {
      const count = state.seal.entries - state.list.entries
      if (count > 0) this.remark('entries-after-list', { count })
    }
    this.listHash = state.seal?.listHash ?? null
  }

  /** Makes a list again from the log and compares it with the file, some rows at a time. */
  private async compareList(file: string, leaf: ListLeaf, trees: ListTrees | null): Promise<string> {
    const [state, terms] = [this.state!, this.terms!]
    const { size, reader } = await this.open(file)
    const header = listHeader({
      rehearsal: this.rehearsal,
      contest: terms.contest,
      termsHash: this.termsHash!,
      logSize: leaf.index,
      logRoot: toHex(this.scan!.roots.get(leaf.index)!),
      ...state.entries.kindsOf(leaf.entries),
      valid: state.validNumbers(leaf).length,
      chain: terms.beacon.chain,
      round: terms.beacon.round,
    })
    const hash = this.sha256.create()
    let line = 1
    const compare = async (expected: Uint8Array): Promise<Uint8Array> => {
      const found = await reader.peek(expected.length)
      if (!sameBytes(expected, found))
        differs(file, line, expected, await reader.peek(expected.length + LONGEST_LINE))
      hash.update(found)
      await reader.take(found.length)
      await this.pause('list', reader.at, Math.max(reader.at, size))
      return found
    }
    await compare(header)
    line += 13
    for (const { bytes, rows } of state.rows(leaf)) {
      const found = await compare(bytes)
      for (let [from, to] = [0, 0]; trees && from < found.length; from = to + 1) {
        to = found.indexOf(LF, from)
        trees.add(found.subarray(from, to))
      }
      line += rows
    }
    if ((await reader.peek(1)).length > 0) fail(file, 'too-long', line)
    return toHex(hash.digest())
  }

  private async checkSeal(): Promise<void> {
    const state = this.state ?? skip('log')
    if (!this.checkpoints) throw new Skip('checkpoints')
    const { closes, draw, sealMargin, objections } = this.terms!
    const { close, list, seal } = state
    const opened = this.timeOf({ index: 0 })
    if (opened >= closes)
      fail('log.txt', 'open-late', 1, { found: timeText(opened), closes: timeText(closes) })
    if (!close) throw new Skip('not-yet')
    const closed = this.timeOf(close)
    if (closed < closes)
      fail('log.txt', 'close-early', close.index + 1, { found: timeText(closed), least: timeText(closes) })
    if (closed > closes + GRACE)
      this.remark('close-late', { time: timeText(closed), seconds: closed - closes })
    if (!list || !seal) throw new Skip('not-yet')
    const sealed = this.timeOf(seal)
    if (sealed >= draw)
      fail('log.txt', 'seal-after-draw', seal.index + 1, { found: timeText(sealed), draw: timeText(draw) })
    if (sealed > draw - sealMargin)
      this.remark('seal-late', { time: timeText(sealed), seconds: sealed - (draw - sealMargin) })
    const listed = this.timeOf(list)
    if (sealed < listed + objections)
      this.remark('objections-short', { seconds: sealed - listed, least: objections })
  }

  /** The forfeitures of the log, each as the file that its leaf names. */
  private async readForfeitures(): Promise<Outcome<Forfeiture>[]> {
    const read: Outcome<Forfeiture>[] = []
    for (const [attempt, { hash }] of (this.state?.forfeits ?? []).entries()) {
      const file = `forfeiture-${attempt}.txt`
      try {
        const bytes = await this.read(file)
        const value = within(file, () => parseForfeiture(bytes))
        const found = await this.hashOf(bytes, 'forfeitures')
        if (found !== hash) fail(file, 'file-hash', 0, { expected: hash, found })
        read.push({ value })
      } catch (error) {
        read.push({ error })
      }
    }
    return read
  }

  /** The round that a forfeiture names; one that is not the log's names none. */
  private roundAfter(attempt: number): number | null {
    const read = this.forfeitures[attempt]!
    return 'value' in read ? read.value.round : null
  }

  /** The round of an attempt. */
  private roundOf(attempt: number): number {
    return attempt === 0 ? this.terms!.beacon.round : (this.roundAfter(attempt - 1) ?? skip('forfeitures'))
  }

  /** Refuses files of attempts that no leaf names. */
  private refuseUnnamed(kinds: readonly string[], count: number): void {
    for (const name of this.files.keys()) {
      const [, ofBeacon, ofOther] = OF_ATTEMPT.exec(name) ?? []
      const attempt = ofBeacon ?? ofOther
      if (
        attempt !== undefined &&
        kinds.some((kind) => name.startsWith(`${kind}-`)) &&
        Number(attempt) >= count
      )
        fail(name, 'unknown-file', 0)
    }
  }

  private async checkBeacons(): Promise<void> {
    const { results } = this.state ?? skip('log')
    const { key } = this.terms!.beacon
    this.refuseUnnamed(['beacon'], results.length)
    if (results.length === 0) throw new Skip('not-yet')
    for (const attempt of results.keys()) {
      const round = this.roundOf(attempt)
      const file = `beacon-${attempt}.json`
      const bytes = await this.read(file)
      this.signatures.push(within(file, () => signatureIn(bytes, { key, round }, this.sha256)))
      await this.pause('beacon', attempt + 1, results.length)
    }
  }

  private async checkWinners(): Promise<void> {
    const state = this.state ?? skip('log')
    this.refuseUnnamed(['result'], state.results.length)
    if (state.results.length === 0) throw new Skip('not-yet')
    if (!this.listHash) throw new Skip('list')
    let remaining = state.validNumbers(state.seal!)
    for (const [attempt, { hash, index }] of state.results.entries()) {
      const signature = this.signatures[attempt] ?? skip('beacon')
      const file = `result-${attempt}.txt`
      if (remaining.length === 0) fail(file, 'unknown-file', 0)
      const [round, listHash] = [this.roundOf(attempt), this.listHash]
      const made = drawAttempt(
        { terms: this.terms!, listHash, attempt, round, signature, remaining: remaining.length },
        (at) => {
          const { commitment, ...winner } = state.entries.of(remaining[at]!)
          return { ...winner, commitment: toHex(commitment) }
        },
        this.sha256,
      )
      const [expected, found] = [resultFile(made), await this.read(file)]
      if (!sameBytes(expected, found)) differs(file, 1, expected, found)
      const own = toHex(this.sha256(found))
      if (own !== hash) fail('log.txt', 'file-hash', index + 1, { expected: own, found: hash })
      const { number, kind, commitment } = made
      if (this.checkpoints) this.checkResultTime(attempt, this.timeOf({ index }), round)
      const [isClaimed, isForfeited] = [state.claimed.has(attempt), attempt < state.forfeits.length]
      this.winners.push({ attempt, number, kind, commitment, round, isClaimed, isForfeited })
      remaining = remaining.copyWithin(made.index, made.index + 1).subarray(0, -1)
      await this.pause('winner', attempt + 1, state.results.length)
    }
    if (!this.checkpoints) throw new Skip('checkpoints')
  }

  private checkResultTime(attempt: number, time: number, round: number): void {
    const out = timeOfRound(this.terms!.beacon, round)
    const { index } = this.state!.results[attempt]!
    if (time < out)
      fail('log.txt', 'result-before-round', index + 1, { found: timeText(time), least: timeText(out) })
    if (time > out + OVERDUE) this.remark('result-late', { attempt, seconds: time - out })
  }

  private async checkForfeitures(): Promise<void> {
    const { forfeits } = this.state ?? skip('log')
    this.refuseUnnamed(['forfeiture', 'statement'], forfeits.length)
    if (forfeits.length === 0) throw new Skip('not-yet')
    if (!this.checkpoints) throw new Skip('checkpoints')
    let decided = 0
    for (const [attempt, read] of this.forfeitures.entries()) {
      const winner = this.winners[attempt] ?? skip('winner')
      if ('error' in read) throw read.error
      if (read.value.reason === 'voided' && this.asks && !this.confirmations) throw new Skip('register')
      await this.checkStatement(attempt, read.value)
      if (this.checkForfeiture(attempt, read.value, winner.number)) decided += 1
      if (decided > this.terms!.alternatesDecided)
        fail(`forfeiture-${attempt}.txt`, 'decided-limit', 5, { most: this.terms!.alternatesDecided })
    }
  }

  private async checkStatement(attempt: number, { statement }: Forfeiture): Promise<void> {
    const name = `statement-${attempt}.txt`
    if (statement === null) {
      if (this.files.has(name)) fail(name, 'unknown-file', 0)
      return
    }
    const found = await this.hashOf(await this.read(name), 'forfeitures')
    if (found !== statement) fail(name, 'statement-hash', 0, { expected: statement, found })
  }

  /** Checks every line of a forfeiture; returns whether the shop decided it. */
  private checkForfeiture(attempt: number, forfeiture: Forfeiture, winner: number): boolean {
    const [state, terms] = [this.state!, this.terms!]
    const { index } = state.forfeits[attempt]!
    const { reason, published } = forfeiture
    const file = `forfeiture-${attempt}.txt`
    const bad = (code: FaultCode, line: number, values: FaultValues = {}): never =>
      fail(file, code, line, values)
    const logRoot = toHex(this.scan!.roots.get(index)!)
    within(file, () => checkForfeitureLines(forfeiture, { terms, attempt, winner, index, logRoot }))
    const time = this.timeOf({ index })
    const out = timeOfRound(terms.beacon, forfeiture.round)
    if (time < published)
      bad('forfeit-before-published', 9, { found: timeText(published), checkpoint: timeText(time) })
    if (time >= out) bad('forfeit-after-round', 11, { round: forfeiture.round, checkpoint: timeText(time) })
    if (time > published + GRACE) this.remark('forfeit-late', { attempt, seconds: time - published })
    if (this.isUnconfirmed({ index }, out - 1))
      this.remark('forfeit-unconfirmed', { attempt, time: timeText(out) })
    if (reason === 'voided') return this.isDecidedVoid(attempt, winner, index)
    if (reason !== 'unclaimed') return true
    const isClaimed = state.claimed.has(attempt)
    const least = this.timeOf(state.results[attempt]!) + terms.claim * (isClaimed ? 2 : 1)
    if (published < least) bad('unclaimed-early', 9, { found: timeText(published), least: timeText(least) })
    if (isClaimed) this.remark('claimed', { attempt, number: winner })
    return isClaimed
  }

  /** The last instant at which the shop may void or cancel before a round is known. */
  private noticeOf(round: number): number {
    const { beacon, notice } = this.terms!
    return timeOfRound(beacon, round) - notice
  }

  /** When a leaf is known to have been there: by the witnesses when a policy asks for somebody, else by the shop. */
  private knownAt(leaf: { index: number }): number {
    return this.asks ? (this.confirmations!.of(leaf.index) ?? Infinity) : this.timeOf(leaf)
  }

  /** Whether a policy asks for somebody, and nobody says that a leaf was there at a time. */
  private isUnconfirmed(leaf: { index: number }, until: number): boolean {
    return this.asks && this.confirmations !== null && this.knownAt(leaf) > until
  }

  /** Whether the shop can have known the winner when it voided the entry, or had a reason of its own. */
  private isDecidedVoid(attempt: number, number: number, index: number): boolean {
    const state = this.state!
    const voided = state.voids.get(number)
    if (!voided || voided.index < state.seal!.index || voided.index > index)
      return fail(`forfeiture-${attempt}.txt`, 'void-missing', 5, { number })
    return (
      STAFF_REASONS.includes(voided.reason) ||
      voided.index > state.results[attempt]!.index ||
      this.knownAt(voided) > this.noticeOf(this.roundOf(attempt))
    )
  }

  /** A shop that dislikes a winner could publish nothing. */
  private remarkOverdue({ seal, results, forfeits }: LogState): void {
    const before = this.forfeitures.at(-1)
    if (!seal || !this.checkpoints || results.length > forfeits.length || (before && 'error' in before))
      return
    const round = this.roundOf(results.length)
    const late = this.checkpoints.at(-1)!.time - timeOfRound(this.terms!.beacon, round)
    if (late > OVERDUE) this.remark('result-overdue', { round, seconds: late })
  }

  private async checkEnd(): Promise<void> {
    const state = this.state ?? skip('log')
    const { award, cancel, results } = state
    if (!award && !cancel) {
      this.remarkOverdue(state)
      throw new Skip('not-yet')
    }
    if (award) {
      if (!this.steps.some(({ step, outcome }) => step === 'winner' && outcome === 'passed'))
        throw new Skip('winner')
      const { number } = this.winners[award.attempt]!
      if (award.number !== number)
        fail('log.txt', 'award-number', award.index + 1, { expected: number, found: award.number })
    }
    if (!cancel) return
    if (!this.checkpoints) throw new Skip('checkpoints')
    const time = this.timeOf(cancel)
    const line = cancel.index + 1
    switch (cancel.reason) {
      case 'shop': {
        const { draw, beacon } = this.terms!
        const most = this.noticeOf(beacon.round)
        if (state.seal) {
          if (time > most)
            fail('log.txt', 'cancelled-late', line, { found: timeText(time), most: timeText(most) })
          this.remark('cancelled-after-seal', { time: timeText(time) })
        } else if (time > draw) this.remark('cancel-late', { time: timeText(time), seconds: time - draw })
        if (this.isUnconfirmed(cancel, most)) this.remark('cancelled-unconfirmed', { time: timeText(most) })
        return
      }
      case 'no-entries': {
        const left = state.validNumbers(state.seal!).length - results.length
        if (left !== 0) fail('log.txt', 'rows-left', line, { count: left })
        return
      }
      case 'beacon-silent': {
        const round = this.roundOf(results.length)
        const least = timeOfRound(this.terms!.beacon, round) + this.terms!.beaconPatience
        if (time < least)
          fail('log.txt', 'silence-too-short', line, { found: timeText(time), least: timeText(least) })
        this.remark('silence-claimed', { round })
      }
    }
  }
}

/** Refuses a kept checkpoint beside which sizes or times of the others fall. */
function checkOrder(own: readonly Checkpoint[], kept: readonly Checkpoint[]): void {
  const ofReader = new Set(kept)
  const sorted = [...own, ...kept].toSorted((a, b) => a.time - b.time || a.size - b.size)
  for (const [at, checkpoint] of sorted.entries()) {
    const before = sorted[at - 1]
    if (!before || checkpoint.size >= before.size) continue
    const { line, size, time } = ofReader.has(checkpoint) ? checkpoint : before
    const other = ofReader.has(checkpoint) ? before : checkpoint
    fail(KEPT, 'kept-order', line, {
      size,
      time: timeText(time),
      other: other.size,
      otherTime: timeText(other.time),
    })
  }
}

/** The name under which faults of the checkpoints that the reader kept are reported. */
const KEPT = 'kept'
const PART = 1 << 20
/** Of a file that is read as a whole. */
const MOST_BYTES = 64 << 20
/** How much of a line that differs is looked at beyond the one that was expected. */
const LONGEST_LINE = 200
/** The line of `terms.txt` that names the contest. */
const CONTEST_LINE = 2

function skip(why: SkipReason): never {
  throw new Skip(why)
}

/** Reads a policy; throws a DrawFault. */
function policyOf(text: string, sha256: Sha256): WitnessPolicy {
  try {
    return parsePolicy(text, sha256)
  } catch (error) {
    throw error instanceof PolicyFault ? new DrawFault('policy', error.line) : error
  }
}

/** Lines of a text that people wrote: any UTF-8, with the line ends of other files. Throws a DrawFault. */
function proseLines(bytes: Uint8Array): string[] {
  const lines = toText(bytes).split('\n')
  for (const [at, line] of lines.entries())
    if (/[\r\uFFFD]/.test(line)) throw new DrawFault('character', at + 1)
  if (lines.pop() !== '') throw new DrawFault('no-final-newline', lines.length + 1)
  return lines
}

const startsAsRehearsal = (bytes: Uint8Array): boolean => toText(bytes.subarray(0, 10)) === tagOf('', true)

/** The terms hash in the first leaf; null when there is none to read, which is a matter of the step `log`. */
function openedTerms(line: Uint8Array | null): string | null {
  try {
    const leaf = parseLeaf(toText(line ?? new Uint8Array()), 1)
    return leaf.type === 'open' ? leaf.termsHash : null
  } catch (error) {
    if (error instanceof DrawFault) return null
    throw error
  }
}

/** Names the first line in which the bytes that were found differ from those that follow. */
function differs(file: string, firstLine: number, expected: Uint8Array, found: Uint8Array): never {
  const wanted = toText(expected).split('\n')
  const there = toText(found).split('\n')
  const at = wanted.findIndex((text, line) => text !== there[line])
  return fail(file, there[at] === undefined ? 'too-short' : 'line', firstLine + Math.max(at, 0), {
    expected: wanted[at] ?? '',
    found: there[at] ?? '',
  })
}
