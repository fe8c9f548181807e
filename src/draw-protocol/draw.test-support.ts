/** Small draws with a log key and a beacon of their own, honest or not, for tests and for the vectors. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { ml_dsa44 as mlDsa } from '@noble/post-quantum/ml-dsa.js'
import { indexAmongValid } from './attempts.ts'
import { QUICKNET, roundAt, timeOfRound } from './beacon.ts'
import { concatBytes, fromHex, toBase64, toBytes, toHex, toText, u64be } from './bytes.ts'
import type { LeafResponse } from './check.ts'
import {
  type CheckpointBody,
  checkpointFile,
  checkpointText,
  checkpointsFile,
  keyIdOf,
  keyNameOf,
  originOf,
  registerOriginOf,
  signatureLine,
  verifierKeyText,
} from './checkpoints.ts'
import { type ClaimFile, claimText } from './claims.ts'
import { commitmentOf, proofFragment } from './commitments.ts'
import { type WitnessKey, cosignedMessage, witnessKey } from './cosignatures.ts'
import type { Kind } from './formats.ts'
import { type Leaf, leafText } from './leaves.ts'
import { type ListRow, ListTrees, listHeader, rowText, rowsFile } from './lists.ts'
import { MerkleRoots, leafHash, nodeHash } from './merkle.ts'
import { logLeaf, termsLeaf, verifierLeaf } from './register.ts'
import { type Forfeiture, type Result, beaconFile, forfeitureFile, resultFile } from './results.ts'
import { selectWinner } from './selection.ts'
import { type Authority, type AuthorityOptions, authorityOf } from './stamps.test-support.ts'
import { type Terms, termsFile } from './terms.ts'

const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const LOG_SECRET = sha256(toBytes('volant test: key of the log'))
const BEACON_SECRET = Uint8Array.of(0, ...sha256(toBytes('volant test: key of the beacon')).subarray(1))
export const LOG_KEY = ed25519.getPublicKey(LOG_SECRET)
export const BEACON = {
  chain: toHex(sha256(toBytes('volant test: chain'))),
  key: bls12_381.shortSignatures.getPublicKey(BEACON_SECRET).toHex(true),
  genesis: 1_700_000_001,
  period: 3,
}

const signatures = new Map<number, string>()

/** The test beacon's signature of a round. */
export function signRound(round: number): string {
  const { shortSignatures } = bls12_381
  const made =
    signatures.get(round) ??
    shortSignatures.sign(shortSignatures.hash(sha256(u64be(round)), DST), BEACON_SECRET).toHex(true)
  signatures.set(round, made)
  return made
}

const HOST = 'volant.example'
const CLOSES = 1_800_000_000
const DRAW = CLOSES + 90_000

export const TERMS: Terms = {
  rehearsal: false,
  contest: 'berline-bleue',
  host: HOST,
  demonstration: true,
  tickets: 50,
  kinds: ['paid', 'postal'],
  perPerson: 10,
  postReserve: 5,
  price: 500,
  prizeValue: 3_500_000,
  closes: CLOSES,
  objections: 3600,
  sealMargin: 7200,
  draw: DRAW,
  beacon: { ...BEACON, round: roundAt(BEACON, DRAW)! },
  beaconPatience: 604_800,
  notice: 3600,
  logKey: verifierKeyText(keyNameOf(HOST), LOG_KEY, sha256),
  witnessPolicy: null,
  stampAuthority: null,
  claim: 604_800,
  alternateDelay: 86_400,
  alternatesDecided: 1,
  voidReasons: ['refunded', 'disputed', 'under-age', 'excluded', 'staff', 'postal-rule'],
  forfeitReasons: ['unclaimed', 'voided', 'under-age', 'excluded', 'staff', 'postal-rule'],
  question: toHex(sha256(toBytes('Combien de roues ?\nTrois\nQuatre\n'))),
  texts: { fr: null, nl: null, en: toHex(sha256(toBytes('Further terms.\n'))) },
}

/** The public chain's signature of its round 1000. */
export const PUBLIC_ROUND = {
  round: 1000,
  signature:
    'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
}
const PUBLIC_DRAW = timeOfRound(QUICKNET, PUBLIC_ROUND.round)

/** Changes that make the terms those of a shop in which something can be won: its round is one of the public chain. */
export const LIVE: Partial<Terms> = {
  demonstration: false,
  closes: PUBLIC_DRAW - (DRAW - CLOSES),
  draw: PUBLIC_DRAW,
  beacon: { ...QUICKNET, round: PUBLIC_ROUND.round },
}

/** What the holder of a number knows in these draws. */
export const secretOf = (number: number): { salt: Uint8Array; ticketId: string } => ({
  salt: sha256(toBytes(`volant test: salt ${number}`)),
  ticketId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
})

/** The proof link of a number of these draws. @param secret whose secret it has; that of the number by default */
export const fragmentOf = (draw: TestDraw, number: number, secret = number): string =>
  proofFragment({ number, ...secretOf(secret), termsHash: draw.termsHash })

/** What the winner of an attempt claims. */
export const claimOf = (contest: string, attempt: number, number: number): ClaimFile => ({
  contest,
  attempt,
  number,
  salt: toHex(sha256(toBytes(`volant test: claim ${attempt}`))),
  name: 'Zoé Peeters',
  address: ['Rue Haute 1', 'Boîte 3'],
  postcode: '1000',
  city: 'Bruxelles',
  country: 'BE',
  phone: null,
})

interface TestWitness {
  key: WitnessKey
  sign: (message: Uint8Array) => Uint8Array
}

function witnessOf(name: string): TestWitness {
  const secret = sha256(toBytes(`volant test: witness ${name}`))
  return {
    key: witnessKey(name, 'ed25519', ed25519.getPublicKey(secret), sha256),
    sign: (message) => ed25519.sign(message, secret),
  }
}

function quantumWitnessOf(name: string): TestWitness {
  const { publicKey, secretKey } = mlDsa.keygen(sha256(toBytes(`volant test: witness ${name}`)))
  return {
    key: witnessKey(name, 'ml-dsa-44', publicKey, sha256),
    // The same bytes each time.
    sign: (message) => mlDsa.sign(message, secretKey, { extraEntropy: false }),
  }
}

export const WITNESSES: readonly TestWitness[] = [
  ...['north.example', 'east.example', 'south.example'].map(witnessOf),
  quantumWitnessOf('west.example'),
]

const keyText = ({ name, id, kind, publicKey }: WitnessKey): string =>
  `${name}+${toHex(id)}+${toBase64(concatBytes(Uint8Array.of(kind === 'ed25519' ? 4 : 6), publicKey))}`

/** A policy that asks so many of these witnesses. */
export const policyOf = (quorum: string, witnesses = WITNESSES): string =>
  [
    '# Who confirms the register.',
    ...witnesses.map(({ key }) => `witness ${key.name.split('.')[0]!} ${keyText(key)} https://${key.name}/`),
    ...(quorum === 'none' ? [] : [`group most ${quorum} north east south west`]),
    `quorum ${quorum === 'none' ? quorum : 'most'}`,
    '',
  ].join('\n')
export const POLICY = policyOf('3')

/** When a witness signs a checkpoint of the register, in Unix seconds; null for never. */
export type Signing = (witness: string, checkpoint: { time: number; seals: boolean }) => number | null

/** Two sign always, one all but the seal, and one that alone: it is the seal's third. */
export const honestly: Signing = (witness, { time, seals }) => {
  if (witness === 'south.example') return seals ? null : time + 3
  if (witness === 'west.example') return seals ? time + 4 : null
  return time + (witness === 'north.example' ? 1 : 2)
}

export interface Witnessed {
  /** `policy.txt`; without one the terms name none. */
  policy?: string
  sign?: Signing
  /** Another key of the log. */
  secret?: Uint8Array
  /** An authority of time stamps; without one the terms name none. */
  authority?: AuthorityOptions
}

const cosigned = new Map<string, Uint8Array>()

/** The line of a witness under a checkpoint. */
export function cosignatureLine({ key, sign }: TestWitness, time: number, body: CheckpointBody): Uint8Array {
  const message = cosignedMessage(key, time, { ...body, text: checkpointText(body) })
  const text = `${key.name} ${toHex(message)}`
  const signature = cosigned.get(text) ?? sign(message)
  cosigned.set(text, signature)
  return signatureLine(key.name, key.id, concatBytes(u64be(time), signature))
}

const REPEATED = /^(?:rehearsal-)?volant-(?:seal|result|forfeit|award|cancel)-v1\t/

export class TestDraw {
  readonly terms: Terms
  readonly termsHash: string
  readonly files = new Map<string, Uint8Array>()
  readonly leaves: string[] = []
  readonly results: Result[] = []
  /** Leaves of the register, and its checkpoints. */
  readonly register: string[] = []
  readonly registerNotes: Uint8Array[] = []
  private readonly checkpoints: Uint8Array[] = []
  private readonly sign: Signing
  private readonly secret: Uint8Array
  private registered = 0
  private readonly authority: Authority | null
  rows: ListRow[] = []
  private voided = new Map<number, Extract<Leaf, { type: 'void' }>['reason']>()
  listHash = ''

  constructor(
    changes: Partial<Terms> = {},
    { policy, sign = honestly, secret = LOG_SECRET, authority }: Witnessed = {},
  ) {
    const witnessPolicy = policy === undefined ? null : toHex(sha256(toBytes(policy)))
    const logKey = verifierKeyText(keyNameOf(HOST), ed25519.getPublicKey(secret), sha256)
    this.authority = authority === undefined ? null : authorityOf(authority)
    const stampAuthority = this.authority && toHex(sha256(this.authority.file))
    this.terms = { ...TERMS, logKey, witnessPolicy, stampAuthority, ...changes }
    this.sign = sign
    this.secret = secret
    const terms = termsFile(this.terms)
    const termsHash = toHex(sha256(terms))
    this.termsHash = termsHash
    this.files.set('terms.txt', terms)
    if (policy !== undefined) this.files.set('policy.txt', toBytes(policy))
    if (this.authority) this.files.set('authority.pem', this.authority.file)
    const { contest, rehearsal } = this.terms
    if (!rehearsal) {
      const other = leafText({ type: 'cancel', reason: 'shop' }, { contest: 'coupe-rouge', rehearsal })
      this.register.push(verifierLeaf({ name: 'verify.html', hash: '00'.repeat(32) }), other)
    }
    this.register.push(termsLeaf({ contest, termsHash, rehearsal }))
    this.add({ type: 'open', termsHash })
  }

  add(leaf: Leaf): this {
    this.leaves.push(leafText(leaf, this.terms))
    if (leaf.type === 'void') this.voided.set(leaf.number, leaf.reason)
    return this
  }

  entry(number: number, kind: Kind = 'paid'): this {
    const commitment = toHex(commitmentOf(secretOf(number), sha256))
    this.rows.push({ number, kind, commitment, voided: null })
    return this.add({ type: 'entry', number, kind, commitment })
  }

  void(number: number, reason: Extract<Leaf, { type: 'void' }>['reason'] = 'refunded'): this {
    return this.add({ type: 'void', number, reason })
  }

  close(pending = 0): this {
    return this.add({ type: 'close', instant: this.terms.closes, pending })
  }

  root(size = this.leaves.length, leaves = this.leaves): string {
    const tree = new MerkleRoots(sha256)
    for (const leaf of leaves.slice(0, size)) tree.add(toBytes(leaf))
    return toHex(tree.root())
  }

  private signed(body: CheckpointBody): Uint8Array {
    const name = keyNameOf(this.terms.host)
    const signature = ed25519.sign(checkpointText(body), this.secret)
    return signatureLine(name, keyIdOf(name, ed25519.getPublicKey(this.secret), sha256), signature)
  }

  /** Adds leaves to the register that do not follow from the log. */
  alsoRegister(...leaves: string[]): this {
    this.register.push(...leaves)
    return this
  }

  /** Brings the register up to date with the log. */
  bringUp(): this {
    const { contest, rehearsal } = this.terms
    const fresh = this.leaves.slice(this.registered)
    if (fresh.length === 0) return this
    this.registered = this.leaves.length
    this.register.push(...fresh.filter((leaf) => REPEATED.test(leaf)))
    this.register.push(logLeaf({ contest, size: this.registered, root: this.root(), rehearsal }))
    return this
  }

  /** Signs the register as it is now, and has the witnesses sign it. */
  signRegister(time: number, changes: Partial<CheckpointBody> = {}, sign = this.sign): this {
    const size = this.register.length
    const root = fromHex(this.root(size, this.register))
    const body = { origin: registerOriginOf(this.terms), size, root, time, ...changes }
    const signedBefore = Number(toText(this.registerNotes.at(-1) ?? new Uint8Array()).split('\n')[1] ?? 0)
    const seals = this.register.slice(signedBefore).some((leaf) => leaf.startsWith('volant-seal-'))
    const lines = this.files.has('policy.txt')
      ? WITNESSES.flatMap((witness) => {
          const at = sign(witness.key.name, { time, seals })
          return at === null ? [] : [cosignatureLine(witness, at, body)]
        })
      : []
    this.registerNotes.push(checkpointFile(checkpointText(body), [this.signed(body), ...lines]))
    return this
  }

  /** Signs the log as it is now, and the register with it. */
  checkpoint(time: number, changes: { size?: number; root?: string } = {}): this {
    const size = changes.size ?? this.leaves.length
    const root = fromHex(changes.root ?? this.root(size))
    const body = { origin: originOf(this.terms), size, root, time }
    this.checkpoints.push(checkpointFile(checkpointText(body), [this.signed(body)]))
    return 'size' in changes || 'root' in changes ? this : this.bringUp().signRegister(time)
  }

  /** The authority stamps the terms or the sealed list, when there is one. @param hash of another file */
  stamp(name: 'terms.tsr' | 'seal.tsr', time: number, hash?: string): this {
    const own = name === 'terms.tsr' ? this.termsHash : this.listHash
    if (this.authority) this.files.set(name, this.authority.stamp(hash ?? own, time))
    return this
  }

  /** Publishes the list that follows from the log, or another one. @param sealed what the leaf of a seal says instead */
  list(
    type: 'list' | 'seal',
    change: (rows: ListRow[]) => ListRow[] = (rows) => rows,
    sealed: Partial<Extract<Leaf, { type: 'seal' }>> = {},
  ): this {
    const rows = change(
      this.rows
        .map((row) => ({ ...row, voided: this.voided.get(row.number) ?? null }))
        .toSorted((a, b) => a.number - b.number),
    )
    const counts = (kind: Kind): number => rows.filter((row) => row.kind === kind).length
    const header = listHeader({
      rehearsal: this.terms.rehearsal,
      contest: this.terms.contest,
      termsHash: this.termsHash,
      logSize: this.leaves.length,
      logRoot: this.root(),
      paid: counts('paid'),
      postal: counts('postal'),
      demo: counts('demo'),
      valid: rows.filter((row) => row.voided === null).length,
      chain: this.terms.beacon.chain,
      round: this.terms.beacon.round,
    })
    const file = concatBytes(header, rowsFile(rows))
    this.files.set(type === 'list' ? 'provisional.txt' : 'list.txt', file)
    const listHash = toHex(sha256(file))
    if (type === 'list') return this.add({ type: 'list', listHash })
    this.rows = rows
    this.listHash = listHash
    const trees = new ListTrees(sha256)
    for (const row of rows) trees.add(toBytes(rowText(row)))
    const [listRoot, validRoot] = [trees.all, trees.valid].map((tree) => toHex(tree.root())) as [
      string,
      string,
    ]
    return this.add({ type: 'seal', listHash, listRoot, valid: trees.valid.size, validRoot, ...sealed })
  }

  /** Draws the next attempt, in the round that follows or in another one. */
  result(round = this.nextRound(), changes: Partial<Result> = {}): this {
    const attempt = this.results.length
    const signature =
      this.terms.beacon.chain === QUICKNET.chain && round === PUBLIC_ROUND.round
        ? PUBLIC_ROUND.signature
        : signRound(round)
    const randomness = sha256(fromHex(signature))
    const remaining = this.rows.filter(
      ({ voided, number }) => voided === null && this.results.every((one) => one.number !== number),
    )
    const selection = selectWinner(
      { attempt, randomness, listHash: fromHex(this.listHash), remaining: remaining.length },
      sha256,
    )
    const { number, kind, commitment } = remaining[selection.index]!
    const result: Result = {
      rehearsal: this.terms.rehearsal,
      contest: this.terms.contest,
      attempt,
      listHash: this.listHash,
      chain: this.terms.beacon.chain,
      round,
      signature,
      randomness: toHex(randomness),
      remaining: remaining.length,
      ...selection,
      number,
      kind,
      commitment,
      ...changes,
    }
    this.results.push(result)
    const file = resultFile(result)
    this.files.set(`result-${attempt}.txt`, file)
    this.files.set(`beacon-${attempt}.json`, beaconFile(result))
    return this.add({ type: 'result', attempt, hash: toHex(sha256(file)) })
  }

  private lastForfeiture: Forfeiture | null = null

  private nextRound(): number {
    return this.lastForfeiture?.round ?? this.terms.beacon.round
  }

  /** The last winner forfeits. */
  forfeit(
    reason: Forfeiture['reason'],
    published: number,
    changes: Partial<Forfeiture> & { text?: string } = {},
  ): this {
    const { text, ...rest } = changes
    const { attempt, number } = this.results.at(-1)!
    this.lastForfeiture = {
      rehearsal: this.terms.rehearsal,
      contest: this.terms.contest,
      attempt,
      number,
      reason,
      statement: text === undefined ? null : toHex(sha256(toBytes(text))),
      logSize: this.leaves.length,
      logRoot: this.root(),
      published,
      chain: this.terms.beacon.chain,
      round: roundAt(this.terms.beacon, published + this.terms.alternateDelay)!,
      ...rest,
    }
    const file = forfeitureFile(this.lastForfeiture)
    this.files.set(`forfeiture-${attempt}.txt`, file)
    if (text !== undefined) this.files.set(`statement-${attempt}.txt`, toBytes(text))
    return this.add({ type: 'forfeit', attempt, hash: toHex(sha256(file)) })
  }

  /** The last winner claims the prize. */
  claim(): this {
    const { attempt, number } = this.results.at(-1)!
    const hash = toHex(sha256(toBytes(claimText(claimOf(this.terms.contest, attempt, number)))))
    return this.add({ type: 'claim', attempt, hash })
  }

  award(): this {
    const { attempt, number } = this.results.at(-1)!
    return this.add({ type: 'award', attempt, number })
  }

  /** Signed checkpoints, the oldest first. */
  get notes(): string[] {
    return this.checkpoints.map(toText)
  }

  /** The files of the evidence pack. */
  pack(): Map<string, Uint8Array> {
    const prefix = this.terms.rehearsal ? 'rehearsal-' : ''
    return new Map([
      ['README.txt', toBytes(`${prefix}volant-evidence-v1\n`)],
      ...this.files,
      ['log.txt', toBytes(this.leaves.map((leaf) => `${leaf}\n`).join(''))],
      ['checkpoints.txt', checkpointsFile(this.checkpoints)],
      ['register.txt', toBytes(this.register.map((leaf) => `${leaf}\n`).join(''))],
      ['register-checkpoints.txt', checkpointsFile(this.registerNotes)],
    ])
  }
}

/** An inclusion proof, made the slow way (RFC 9162, section 2.1.3.1), nearest to the leaf first. */
function proofIn(hashes: Uint8Array[], index: number): Uint8Array[] {
  if (hashes.length === 1) return []
  const half = splitOf(hashes)
  const [left, right] = [hashes.slice(0, half), hashes.slice(half)]
  return index < half
    ? [...proofIn(left, index), rootOf(right)]
    : [...proofIn(right, index - half), rootOf(left)]
}

/** A consistency proof, made the slow way (section 2.1.4.1). @param isWhole whether the first tree is all of this one */
function consistencyIn(hashes: Uint8Array[], first: number, isWhole = true): Uint8Array[] {
  if (first === hashes.length) return isWhole ? [] : [rootOf(hashes)]
  const half = splitOf(hashes)
  const [left, right] = [hashes.slice(0, half), hashes.slice(half)]
  return first <= half
    ? [...consistencyIn(left, first, isWhole), rootOf(right)]
    : [...consistencyIn(right, first - half, false), rootOf(left)]
}

const splitOf = (hashes: Uint8Array[]): number => 2 ** Math.ceil(Math.log2(hashes.length) - 1)
const hashesOf = (texts: readonly string[]): Uint8Array[] =>
  texts.map((text) => leafHash(sha256, toBytes(text)))

function rootOf(hashes: Uint8Array[]): Uint8Array {
  if (hashes.length === 1) return hashes[0]!
  const half = splitOf(hashes)
  return nodeHash(sha256, rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half)))
}

/** What a shop hands out of an entry of this draw. */
export function leafResponse(draw: TestDraw, number: number): LeafResponse {
  const { leaves, notes } = draw
  const pack = draw.pack()
  const sizeOf = (note: string): number => Number(note.split('\n')[1])
  const index = leaves.findIndex((leaf) => leaf.startsWith('volant-entry') && leaf.includes(`\t${number}\t`))
  const first = notes.find((note) => sizeOf(note) > index)!
  const last = notes.at(-1)!
  const signed = hashesOf(leaves.slice(0, sizeOf(last)))
  const prove = (at: number) => ({
    index: at,
    leaf: leaves[at]!,
    proof: proofIn(signed, at).map(toHex),
  })
  const voidIndex = leaves.findIndex((leaf) =>
    leaf.startsWith(`volant-void-v1\t${draw.terms.contest}\t${number}\t`),
  )
  const isSealed = pack.has('list.txt')
  const rows = isSealed ? draw.rows.map(rowText) : []
  const valid = draw.rows.filter(({ voided }) => voided === null).map(rowText)
  const drawn: number[] = []
  const at = rows.findIndex((row) => row.startsWith(`${number}\t`))
  const amongValid = (index: number) => ({
    index,
    row: valid[index]!,
    proof: proofIn(hashesOf(valid), index).map(toHex),
  })
  const own = isSealed ? valid.indexOf(rows[at]!) : -1
  return {
    index,
    leaf: leaves[index]!,
    size: sizeOf(first),
    proof: proofIn(signed.slice(0, sizeOf(first)), index).map(toHex),
    checkpoint: first,
    last: {
      size: sizeOf(last),
      checkpoint: last,
      proof: consistencyIn(signed, sizeOf(first)).map(toHex),
    },
    void: voidIndex === -1 ? null : prove(voidIndex),
    steps: leaves.flatMap((leaf, one) => (/^volant-(?:entry|void)-/.test(leaf) ? [] : [prove(one)])),
    row:
      at === -1
        ? null
        : { index: at, size: rows.length, row: rows[at]!, proof: proofIn(hashesOf(rows), at).map(toHex) },
    valid: own === -1 ? null : amongValid(own),
    attempts: draw.results.map(({ attempt, index: chosen }) => {
      const row = indexAmongValid(chosen, drawn)
      drawn.push(row)
      const forfeiture = pack.get(`forfeiture-${attempt}.txt`)
      return {
        beacon: toText(pack.get(`beacon-${attempt}.json`)!),
        row: amongValid(row),
        forfeiture: forfeiture ? toText(forfeiture) : null,
      }
    }),
  }
}

/** A contest up to the seal: 12 entries, one of them void before the list and one after it. */
export function sealedDraw(changes: Partial<Terms> = {}, witnessed: Witnessed = {}): TestDraw {
  const draw = new TestDraw(changes, witnessed)
  const { closes, draw: at, sealMargin } = draw.terms
  for (const number of [7, 31, 2, 50, 18, 44, 9, 27]) draw.entry(number)
  draw
    .entry(12, 'postal')
    .void(31)
    .checkpoint(closes - 3600)
    .stamp('terms.tsr', closes - 3590)
  draw
    .entry(3)
    .close(1)
    .checkpoint(closes + 2)
    .entry(40)
    .list('list')
    .checkpoint(closes + 300)
  draw.entry(21, 'postal').void(9, 'disputed').list('seal')
  return draw.checkpoint(at - sealMargin - 60).stamp('seal.tsr', at - sealMargin - 50)
}

/** A whole draw: the first winner does not claim, the second one gets the prize. */
export function wholeDraw(changes: Partial<Terms> = {}, witnessed: Witnessed = {}): TestDraw {
  const draw = sealedDraw(changes, witnessed)
  const { draw: at, claim, alternateDelay } = draw.terms
  draw.result().checkpoint(at + 10)
  const published = at + 10 + claim
  draw.forfeit('unclaimed', published, { text: 'Nobody claimed the prize.\n' }).checkpoint(published + 5)
  return draw
    .result()
    .claim()
    .award()
    .checkpoint(published + alternateDelay + 10)
}
