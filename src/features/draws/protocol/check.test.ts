import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'
import { type ZipMember, evidenceZip, zipOf } from '../../../../test/support/zip.ts'
import { toBytes, toHex, toText } from './bytes.ts'
import { type LeafQuestion, type PackAnswer, type PackQuestion, checkLeaf, checkPack } from './check.ts'
import { proofFragment } from './commitments.ts'
import { LOSER } from './cheats.test-pack.ts'
import { TERMS, secretOf, wholeDraw } from './draw.test-pack.ts'
import { leafHash, nodeHash } from './merkle.ts'

const draw = wholeDraw()
const pack = draw.pack()
const SLUG = TERMS.contest
const NOTHING = { termsHash: '', listHash: '', checkpoints: '' }

const check = (files: Record<string, Uint8Array>, rest: Partial<PackQuestion> = {}): Promise<PackAnswer> =>
  checkPack(
    {
      files: Object.entries(files).map(([name, bytes]) => ({ name, content: new Blob([bytes as BlobPart]) })),
      kept: NOTHING,
      proof: '',
      ...rest,
    },
    sha256,
    { onProgress: () => undefined, onStep: () => undefined },
  )

const firstFault = ({ steps }: PackAnswer): string | null => {
  const failed = steps.find((one) => one.outcome === 'failed')
  return failed?.outcome === 'failed' ? `${failed.step}: ${failed.code} in ${failed.file}` : null
}

const members = (changes: Partial<ZipMember> = {}, of = 'log.txt'): ZipMember[] =>
  [...pack].map(([name, content]) => ({
    name: `${SLUG}/${name}`,
    content,
    ...(name === of && changes),
  }))

test('an archive passes, packed or stored', async () => {
  const packed = await check({ 'x.zip': evidenceZip(pack, SLUG) })
  expect([packed.verdict, firstFault(packed)]).toEqual(['passed', null])
  const stored = await check({ 'x.zip': zipOf(members().map((one) => ({ ...one, method: 0 }))) })
  expect(stored.verdict).toBe('passed')
  const withFolder = await check({
    'x.zip': zipOf([{ name: `${SLUG}/`, content: new Uint8Array(), method: 0 }, ...members()]),
  })
  expect(withFolder.verdict).toBe('passed')
})

test.each<[what: string, archive: () => Uint8Array, fault: string]>([
  ['no archive', () => toBytes('PK, as it happens'), 'pack: archive in x.zip'],
  ['an empty archive', () => zipOf([]), 'pack: archive in x.zip'],
  ['half an archive', () => zipOf(members()).subarray(0, 3000), 'pack: archive in x.zip'],
  [
    'a directory that is cut short',
    () => {
      const zip = zipOf(members())
      zip.writeUInt32LE(60, zip.length - 10)
      return zip
    },
    'pack: archive in x.zip',
  ],
  ['a file outside the folder', () => zipOf(members({ name: 'log.txt' })), 'pack: archive-path in x.zip'],
  ['a path upwards', () => zipOf(members({ name: `${SLUG}/../log.txt` })), 'pack: archive-path in x.zip'],
  ['two folders', () => zipOf(members({ name: 'other/log.txt' })), 'pack: archive-path in x.zip'],
  [
    'a file twice',
    () => zipOf([...members(), { name: `${SLUG}/log.txt`, content: toBytes('x') }]),
    'pack: file-twice in log.txt',
  ],
  ['an encrypted file', () => zipOf(members({ flags: 1 })), 'pack: archive-method in log.txt'],
  ['a rare compression', () => zipOf(members({ method: 14 })), 'pack: archive-method in log.txt'],
  ['a size beyond all', () => zipOf(members({ size: 0xffff_ffff })), 'pack: file-large in log.txt'],
  ['another size', () => zipOf(members({ size: 10 })), 'log: archive in log.txt'],
  ['another checksum', () => zipOf(members({ checksum: 1 })), 'log: archive in log.txt'],
  ['bytes that do not unpack', () => zipOf(members()).fill(0xff, 54, 60), 'pack: archive in README.txt'],
  [
    'two names of one file',
    () => zipOf(members({ localName: `${SLUG}/loh.txt` })),
    'log: archive in log.txt',
  ],
  ['the folder of another contest', () => evidenceZip(pack, 'verline-rouge'), 'terms: folder in terms.txt'],
])('%s is refused', async (_, archive, fault) => {
  const answer = await check({ 'x.zip': archive() })
  expect(answer.verdict).toBe('failed')
  expect(firstFault(answer)).toContain(fault)
})

test('single files pass too, and one that is missing is not given', async () => {
  const files = Object.fromEntries(pack)
  expect((await check(files)).verdict).toBe('passed')
  const { 'log.txt': _, ...others } = files
  const answer = await check(others)
  expect(answer.verdict).toBe('incomplete')
  expect(answer.steps.find(({ step }) => step === 'log')).toEqual({
    step: 'log',
    outcome: 'skipped',
    why: 'not-given',
    file: 'log.txt',
  })
  const { 'forfeiture-0.txt': __, ...fewer } = files
  expect((await check(fewer)).verdict).toBe('incomplete')
})

test('what the reader kept is compared', async () => {
  const kept = { ...NOTHING, termsHash: '00'.repeat(32) }
  expect(firstFault(await check(Object.fromEntries(pack), { kept }))).toBe('terms: kept-hash in terms.txt')
})

const LINK = `https://volant.example/draws/${SLUG}`
const fragmentOf = (number: number, secret = number): string => proofFragment({ number, ...secretOf(secret) })

describe('a proof link beside the files', () => {
  const ticket = async (proof: string, files = pack) =>
    (await check({ 'x.zip': evidenceZip(files, SLUG) }, { proof })).ticket
  const [first, second] = draw.results.map(({ number }) => number) as [number, number]

  test.each([fragmentOf(LOSER), fragmentOf(LOSER).slice(1), `${LINK}${fragmentOf(LOSER)}`])(
    '%s finds its line of the log',
    async (proof) => {
      expect(await ticket(proof)).toEqual({
        outcome: 'found',
        number: LOSER,
        line: draw.leaves.findIndex((leaf) => leaf.includes(`\t${LOSER}\t`)) + 1,
        since: TERMS.closes - 3600,
        listed: 'valid',
        voided: null,
      })
    },
  )

  test('each entry has the line that the log has it in', async () => {
    for (const number of [7, 31, 12, 3, 40, 21, first, second])
      expect(await ticket(fragmentOf(number))).toMatchObject({
        line:
          draw.leaves.findIndex((leaf) => leaf.startsWith('volant-entry') && leaf.includes(`\t${number}\t`)) +
          1,
      })
    expect(await ticket(fragmentOf(31))).toMatchObject({ listed: 'refunded', voided: 'refunded' })
  })

  test('another one is named as such', async () => {
    expect(await ticket('#7.abc')).toEqual({ outcome: 'malformed' })
    expect(await ticket(fragmentOf(LOSER, 9))).toEqual({ outcome: 'other', number: LOSER })
    expect(await ticket(fragmentOf(1))).toEqual({ outcome: 'absent', number: 1 })
    expect(await ticket(`https://volant.example/draws/other${fragmentOf(LOSER)}`)).toMatchObject({
      outcome: 'foreign',
      found: 'volant.example/draws/other',
    })
    const broken = new Map(pack).set('log.txt', toBytes('nothing\n'))
    expect(await ticket(fragmentOf(LOSER), broken)).toEqual({ outcome: 'unproven', number: LOSER })
  })
})

describe('a leaf with its proof', () => {
  /** The proof of a leaf in a tree, made the slow way (RFC 9162, section 2.1.3.1). */
  const proofIn = (leaves: Uint8Array[], index: number): Uint8Array[] => {
    if (leaves.length === 1) return []
    const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
    const [left, right] = [leaves.slice(0, half), leaves.slice(half)]
    return index < half
      ? [...proofIn(left, index), rootOf(right)]
      : [...proofIn(right, index - half), rootOf(left)]
  }
  const rootOf = (leaves: Uint8Array[]): Uint8Array => {
    if (leaves.length === 1) return leaves[0]!
    const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
    return nodeHash(sha256, rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)))
  }
  const leaves = draw.leaves.map((leaf) => leafHash(sha256, toBytes(leaf)))
  const index = draw.leaves.findIndex((leaf) => leaf.includes(`\t${LOSER}\t`))
  const checkpoint = toText(pack.get('checkpoints.txt')!).split('\n\n').slice(-2).join('\n\n')
  const row = toText(pack.get('list.txt')!)
    .split('\n')
    .find((line) => line.startsWith(`${LOSER}\t`))!
  const question: LeafQuestion = {
    contest: SLUG,
    terms: pack.get('terms.txt')!,
    answer: {
      index,
      leaf: draw.leaves[index]!,
      size: leaves.length,
      proof: proofIn(leaves, index).map(toHex),
      checkpoint,
    },
    row,
    proof: fragmentOf(LOSER),
  }
  const answer = (changes: Partial<LeafQuestion['answer']>): LeafQuestion => ({
    ...question,
    answer: { ...question.answer, ...changes },
  })

  test('is found, with its status in the sealed list', () => {
    const found = { outcome: 'found', number: LOSER, line: index + 1, listed: 'valid', voided: null }
    expect(checkLeaf(question, sha256)).toMatchObject(found)
    expect(checkLeaf({ ...question, row: null }, sha256)).toMatchObject({ ...found, listed: null })
    const voided = row.replace('valid', 'void:refunded')
    expect(checkLeaf({ ...question, row: voided }, sha256)).toMatchObject({ listed: 'refunded' })
  })

  test.each<[what: string, question: LeafQuestion]>([
    ['another index', answer({ index: index + 1 })],
    ['another size', answer({ size: leaves.length - 1 })],
    ['a shorter proof', answer({ proof: question.answer.proof.slice(1) })],
    ['a proof that is no hexadecimal', answer({ proof: ['zz'] })],
    ['another leaf', answer({ leaf: draw.leaves[index + 1]! })],
    ['a leaf that is none', answer({ leaf: 'x' })],
    ['a forged signature', answer({ checkpoint: checkpoint.replace(/.{6}\n$/, 'AAAAA=\n') })],
    ['two checkpoints', answer({ checkpoint: toText(pack.get('checkpoints.txt')!) })],
    ['the terms of nobody', { ...question, terms: toBytes('x\n') }],
    ['another contest', { ...question, contest: 'verline-rouge' }],
    ['no row in a list that is there', { ...question, row: '' }],
    ['the row of another ticket', { ...question, row: row.replace(/\t[0-9a-f]{2}/, '\t00') }],
  ])('is not proven by %s', (_, changed) => {
    expect(checkLeaf(changed, sha256)).toEqual({ outcome: 'unproven', number: LOSER })
  })

  test('belongs to one ticket', () => {
    expect(checkLeaf({ ...question, proof: fragmentOf(LOSER, 7) }, sha256)).toEqual({
      outcome: 'other',
      number: LOSER,
    })
    expect(checkLeaf({ ...question, proof: '#1' }, sha256)).toEqual({ outcome: 'malformed' })
  })
})
