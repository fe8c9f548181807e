import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { QUICKNET, roundAt, timeOfRound } from './beacon.ts'
import { fromHex, toBytes, toHex } from './bytes.ts'
import { commitmentOf, proofFragment } from './commitments.ts'
import { LOG_KEY, PUBLIC_ROUND, TERMS, secretOf, wholeDraw } from './draw.test-support.ts'
import { timeText } from './formats.ts'
import { MerkleRoots, leafHash } from './merkle.ts'
import { seedOf, selectIndex } from './selection.ts'
import { TileBuilder, consistencyProof, inclusionProof } from './tiles.ts'
import { verifyDraw } from './verify.ts'

const VECTORS = '../../db/draw-v1-vectors.json'
const hexes = (hashes: readonly Uint8Array[]): string[] => hashes.map(toHex)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Every kind of value of docs/draw-v1.md, made by this code; `vitest -u` writes them. */
async function vectors(): Promise<unknown> {
  const draw = wholeDraw()
  const pack = draw.pack()
  const verification = await verifyDraw(pack)
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
      return { salt: toHex(salt), ticketId, commitment, fragment: proofFragment({ number, salt, ticketId }) }
    }),
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
    draw: {
      files: Object.fromEntries([...pack].map(([name, bytes]) => [name, textOf(bytes)])),
      termsHash: verification.termsHash,
      listHash: verification.listHash,
      steps: verification.steps,
      remarks: verification.remarks.map(({ code }) => code),
      winners: verification.winners.map(({ attempt, number, kind, commitment, isForfeited }) => ({
        attempt,
        number,
        kind,
        commitment,
        isForfeited,
      })),
    },
  }
}

test('the vectors are what this code makes', async () => {
  await expect(`${JSON.stringify(await vectors(), null, 2)}\n`).toMatchFileSnapshot(VECTORS)
})

test('the vectors stand without this code', async () => {
  const { readFile } = await import('node:fs/promises')
  const known = JSON.parse(await readFile(new URL(VECTORS, import.meta.url), 'utf8')) as {
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
  expect(hash(known.draw.files['list.txt']!)).toBe(known.draw.listHash)
  const [note = '', line = ''] = known.draw.files['checkpoints.txt']!.split('\n\n')
  const signature = Buffer.from(line.split(' ')[2]!, 'base64').subarray(4)
  expect(ed25519.verify(signature, toBytes(`${note}\n`), LOG_KEY)).toBe(true)
  expect(fromHex(known.draw.listHash).length).toBe(32)
})
