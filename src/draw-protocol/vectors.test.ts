import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { isExtended } from '../../test/support/tier.ts'
import { QUICKNET, roundAt, timeOfRound } from './beacon.ts'
import { fromBase64, fromHex, sameBytes, toBase64, toBytes, toHex } from './bytes.ts'
import { CHEATS, CLAIM_CHEATS, STAMP_CHEATS, VOUCHED } from './cheats.test-support.ts'
import { claimText } from './claims.ts'
import { commitmentOf } from './commitments.ts'
import {
  LOG_KEY,
  POLICY,
  PUBLIC_ROUND,
  TERMS,
  claimOf,
  fragmentOf,
  secretOf,
  wholeDraw,
} from './draw.test-support.ts'
import { timeText } from './formats.ts'
import { MerkleRoots, leafHash } from './merkle.ts'
import { seedOf, selectIndex } from './selection.ts'
import { TileBuilder, consistencyProof, inclusionProof } from './tiles.ts'
import { STEPS, type Verification, verifyDraw } from './verify.ts'

const VECTORS = '../../db/draw-v1-vectors.json'
const hexes = (hashes: readonly Uint8Array[]): string[] => hashes.map(toHex)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

type Pack = ReadonlyMap<string, Uint8Array>
/** How many lines of the draw's file of this name come first, and what follows them; null for a file that is not there. */
type Edit = [lines: number, then: string] | null
/** A pack as changes of another. */
type Changed = { what: string; of: 'draw' | 'witnessed' | 'stamped'; files: Record<string, Edit> }
type Refused = Changed & { step: string; code: string; file: string; line: number }
type Vouched = Changed & Pick<Verification, 'voucher'> & { remarks: string[] }

/** A file as JSON has it: time stamps, which are no text, in base64. */
const written = (name: string, bytes: Uint8Array | undefined = new Uint8Array()): string =>
  name.endsWith('.tsr') ? toBase64(bytes) : textOf(bytes)
const bytesOf = (name: string, text: string): Uint8Array =>
  name.endsWith('.tsr') ? fromBase64(text)! : toBytes(text)
const linesOf = (name: string, bytes: Uint8Array | undefined): string[] =>
  written(name, bytes).split(/(?<=\n)/)

/** What makes a pack of that of the draw. */
function editsOf(draw: Pack, pack: Pack): Record<string, Edit> {
  const edits = [...new Set([...draw.keys(), ...pack.keys()])].flatMap((name): [string, Edit][] => {
    const bytes = pack.get(name)
    if (!bytes) return [[name, null]]
    if (!draw.has(name)) return [[name, [0, written(name, bytes)]]]
    const [old, lines] = [linesOf(name, draw.get(name)), linesOf(name, bytes)]
    const first = lines.findIndex((line, at) => line !== old[at])
    const kept = first === -1 ? lines.length : first
    return kept === old.length && kept === lines.length ? [] : [[name, [kept, lines.slice(kept).join('')]]]
  })
  return Object.fromEntries(edits)
}

function edited(draw: Pack, edits: Record<string, Edit>): Map<string, Uint8Array> {
  const pack = new Map(draw)
  for (const [name, edit] of Object.entries(edits)) {
    if (edit)
      pack.set(name, bytesOf(name, linesOf(name, draw.get(name)).slice(0, edit[0]).join('') + edit[1]))
    else pack.delete(name)
  }
  return pack
}

/** The changes of the draw to which fewer are needed. */
function changed(what: string, draws: Record<Changed['of'], Pack>, pack: Pack): Changed {
  const [made] = (['draw', 'witnessed', 'stamped'] as const)
    .map((of) => ({ what, of, files: editsOf(draws[of], pack) }))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const again = edited(draws[made!.of], made!.files)
  expect([...again.keys()].toSorted()).toEqual([...pack.keys()].toSorted())
  return made!
}

const sizeOf = ({ files }: Pick<Changed, 'files'>): number => JSON.stringify(files).length
const MOST_BYTES = 8000

/**
 * Of the draws that cheat, the one with the smallest files for each fault that comes first; of those about claims, valid
 * rows and time stamps, each.
 */
function refusedPacks(draws: Record<Changed['of'], Pack>): Refused[] {
  const smallest = new Map<string, Refused>()
  for (const cheat of CHEATS) {
    const [what, files, [fault = '']] = cheat
    const [, step = '', code = '', file = '', line] = /^(\S+): (\S+) in (\S+):(\d+)$/.exec(fault) ?? []
    const pack = files()
    const made = { ...changed(what, draws, pack), step, code, file, line: Number(line) }
    // Bytes that are no text have no place in JSON.
    const isText = [...edited(draws[made.of], made.files)].every(([name, bytes]) =>
      sameBytes(bytes, pack.get(name)!),
    )
    if (CLAIM_CHEATS.includes(cheat) || STAMP_CHEATS.includes(cheat)) smallest.set(what, made)
    const other = smallest.get(`${step} ${code}`)
    if (isText && sizeOf(made) < (other ? sizeOf(other) : MOST_BYTES)) smallest.set(`${step} ${code}`, made)
  }
  return [...new Set(smallest.values())]
}

/** Draws in which nothing is false, with who vouches for their times; without those with many signatures of their own. */
async function vouchedPacks(draws: Record<Changed['of'], Pack>): Promise<Vouched[]> {
  const packs = VOUCHED.map(([what, files, voucher]) => {
    const pack = files()
    return { pack, voucher, ...changed(what, draws, pack) }
  })
  return Promise.all(
    packs
      .filter((made) => sizeOf(made) < MOST_BYTES)
      .map(async ({ pack, ...made }) => {
        const { remarks } = await verifyDraw(pack)
        return { ...made, remarks: remarks.map(({ code }) => code) }
      }),
  )
}

/** A whole draw with what a verifier finds in it. */
async function foundIn(pack: Pack): Promise<unknown> {
  const { termsHash, listHash, steps, remarks, voucher, winners } = await verifyDraw(pack)
  return {
    files: Object.fromEntries([...pack].map(([name, bytes]) => [name, written(name, bytes)])),
    termsHash,
    listHash,
    steps,
    remarks: remarks.map(({ code }) => code),
    voucher,
    winners: winners.map(({ attempt, number, kind, commitment, isForfeited }) => ({
      attempt,
      number,
      kind,
      commitment,
      isForfeited,
    })),
  }
}

/** Every kind of value of docs/draw-v1.md, made by this code; `vitest -u` writes them. */
async function vectors(): Promise<unknown> {
  const draw = wholeDraw()
  const pack = draw.pack()
  const witnessed = wholeDraw({}, { policy: POLICY }).pack()
  const stamped = wholeDraw({}, { authority: {} }).pack()
  const claim = claimOf(draw.terms.contest, 1, draw.results[1]!.number)
  const leaves = draw.leaves.map((leaf) => leafHash(sha256, toBytes(leaf)))
  const builder = await TileBuilder.resume(0, () => new Uint8Array(), sha256)
  const tree = new MerkleRoots(sha256)
  const roots = leaves.map((leaf) => {
    builder.add(leaf)
    tree.addHash(leaf)
    return toHex(tree.root())
  })
  const [tile] = builder.takeChanged()
  const read = (): Uint8Array => tile!.hashes
  const size = leaves.length
  const inclusion = [0, 7, size - 1].map(async (index) => ({
    index,
    size,
    proof: hexes(await inclusionProof(index, size, read, sha256)),
  }))
  const consistency = [1, 8, 13].map(async (first) => ({
    first,
    second: size,
    proof: hexes(await consistencyProof(first, size, read, sha256)),
  }))
  const randomness = sha256(toBytes('randomness'))
  const listHash = sha256(toBytes('list'))
  return {
    about:
      'Test vectors of docs/draw-v1.md. Keys and draws are of tests; the beacon of "beacon" is the public one.',
    commitments: [7, 44].map((number) => {
      const { salt, ticketId } = secretOf(number)
      const commitment = toHex(commitmentOf({ salt, ticketId }, sha256))
      return { salt: toHex(salt), ticketId, commitment, fragment: fragmentOf(draw, number) }
    }),
    claim: { file: claimText(claim), hash: toHex(sha256(toBytes(claimText(claim)))) },
    rounds: [QUICKNET.genesis, 1_800_000_000, 1_800_000_001, 1_800_000_002].map((at) => {
      const round = roundAt(QUICKNET, at)!
      return { time: timeText(at), round, timeOfRound: timeText(timeOfRound(QUICKNET, round)) }
    }),
    beacon: {
      ...QUICKNET,
      ...PUBLIC_ROUND,
      randomness: 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd',
    },
    selections: [0, 1, 12].flatMap((attempt) =>
      [1, 2, 3, 1000, 10_000_000].map((remaining) => ({
        attempt,
        randomness: toHex(randomness),
        listHash: toHex(listHash),
        remaining,
        ...selectIndex(seedOf(attempt, randomness, listHash), remaining, sha256),
      })),
    ),
    logKey: TERMS.logKey,
    tree: {
      leaves: draw.leaves,
      leafHashes: hexes(leaves),
      roots,
      inclusion: await Promise.all(inclusion),
      consistency: await Promise.all(consistency),
    },
    draw: await foundIn(pack),
    aboutWitnessed:
      'The same draw with witnesses: its terms name policy.txt, and its register has their signatures.',
    witnessed: await foundIn(witnessed),
    aboutStamped:
      'The same draw with time stamps and without witnesses. Files whose names end with .tsr are in base64, here and below.',
    stamped: await foundIn(stamped),
    aboutRefused:
      'Packs that a verifier refuses, with the first step that fails, the file and the line (0 for the file as a whole); the code is the name of the fault in our code. Each is the pack of "draw", "witnessed" or "stamped", as "of" says, with changes: of a file that "files" names, the first lines of that of the draw, so many as it says, and then the text; null means that the pack has no such file.',
    refused: refusedPacks({ draw: pack, witnessed, stamped }),
    aboutVouched:
      'Packs in which no step fails, made of the others in the same way, with who vouches for their times (in Unix seconds) and all remarks.',
    vouched: await vouchedPacks({ draw: pack, witnessed, stamped }),
  }
}

test('the vectors are what this code makes', async () => {
  await expect(`${JSON.stringify(await vectors(), null, 2)}\n`).toMatchFileSnapshot(VECTORS)
})

test('the vectors stand without this code', async () => {
  const { readFile } = await import('node:fs/promises')
  const known = JSON.parse(await readFile(new URL(VECTORS, import.meta.url), 'utf8')) as {
    claim: { file: string }
    commitments: { salt: string; ticketId: string; commitment: string }[]
    selections: { attempt: number; randomness: string; listHash: string; remaining: number; index: number }[]
    draw: { files: Record<string, string>; listHash: string }
  }
  const hash = (...parts: (string | Buffer)[]): string => {
    const sum = createHash('sha256')
    for (const part of parts) sum.update(part)
    return sum.digest('hex')
  }
  for (const { salt, ticketId, commitment } of known.commitments)
    expect(hash('volant-commitment-v1', Buffer.from(salt, 'hex'), ticketId)).toBe(commitment)
  for (const { attempt, randomness, listHash, remaining, index } of known.selections) {
    const tag = attempt === 0 ? 'volant-draw-v1' : `volant-alternate-v1-${attempt}-`
    const first = hash(tag, Buffer.from(randomness, 'hex'), Buffer.from(listHash, 'hex'), Buffer.alloc(8))
    // A value is skipped less than once in 2^200 for so few rows.
    expect(Number(BigInt(`0x${first}`) % BigInt(remaining))).toBe(index)
  }
  const { 'log.txt': log, 'list.txt': list } = known.draw.files
  expect(log).toContain(`volant-claim-v1\tberline-bleue\t1\t${hash(known.claim.file)}\n`)
  expect(log).toContain(`\t${list!.match(/\tvalid$/gm)!.length}\t`)
  expect(hash(known.draw.files['list.txt']!)).toBe(known.draw.listHash)
  const [note = '', line = ''] = known.draw.files['checkpoints.txt']!.split('\n\n')
  const signature = Buffer.from(line.split(' ')[2]!, 'base64').subarray(4)
  expect(ed25519.verify(signature, toBytes(`${note}\n`), LOG_KEY)).toBe(true)
  expect(fromHex(known.draw.listHash).length).toBe(32)
})

test.runIf(isExtended)(
  'the packs to refuse are refused at the step, file and line that the vectors name',
  async () => {
    const { readFile } = await import('node:fs/promises')
    const { draw, witnessed, stamped, refused, vouched } = JSON.parse(
      await readFile(new URL(VECTORS, import.meta.url), 'utf8'),
    ) as Record<Changed['of'], { files: Record<string, string> }> & {
      refused: Refused[]
      vouched: Vouched[]
    }
    const whole = ({ files }: { files: Record<string, string> }): Pack =>
      new Map(Object.entries(files).map(([name, text]) => [name, bytesOf(name, text)]))
    const draws = { draw: whole(draw), witnessed: whole(witnessed), stamped: whole(stamped) }
    for (const { what, of, files, voucher } of vouched)
      expect([what, (await verifyDraw(edited(draws[of], files))).voucher]).toEqual([what, voucher])
    for (const { what, of, files, ...expected } of refused) {
      const { steps } = await verifyDraw(edited(draws[of], files))
      expect([what, steps.find(({ outcome }) => outcome === 'failed')]).toMatchObject([what, expected])
    }
    expect(new Set(refused.map(({ step }) => step))).toEqual(new Set(STEPS))
  },
)
