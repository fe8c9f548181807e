import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'
import { type ZipMember, evidenceZip, zipOf } from '../../test/support/zip.ts'
import { toBytes, toText } from './bytes.ts'
import {
  type LeafResponse,
  type LeafQuestion,
  type PackOutcome,
  type PackQuestion,
  checkLeaf,
  checkPack,
} from './check.ts'
import { proofFragment } from './commitments.ts'
import { LOSER } from './cheats.test-support.ts'
import { TERMS, TestDraw, leafResponse, sealedDraw, secretOf, wholeDraw } from './draw.test-support.ts'

const draw = wholeDraw()
const pack = draw.pack()
const SLUG = TERMS.contest
const NOTHING = { termsHash: '', listHash: '', checkpoints: '', policy: '' }

const check = (files: Record<string, Uint8Array>, rest: Partial<PackQuestion> = {}): Promise<PackOutcome> =>
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

const firstFault = ({ steps }: PackOutcome): string | null => {
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
  const outcome = await check({ 'x.zip': archive() })
  expect(outcome.verdict).toBe('failed')
  expect(firstFault(outcome)).toContain(fault)
})

test('another folder is no fault of the files within it', async () => {
  const { steps } = await check({ 'x.zip': evidenceZip(pack, 'verline-rouge') })
  expect(steps.filter(({ outcome }) => outcome !== 'passed').map(({ step }) => step)).toEqual(['terms'])
})

test('single files pass too, and one that is missing is not given', async () => {
  const files = Object.fromEntries(pack)
  expect((await check(files)).verdict).toBe('passed')
  const { 'log.txt': _, ...others } = files
  const outcome = await check(others)
  expect(outcome.verdict).toBe('incomplete')
  expect(outcome.steps.find(({ step }) => step === 'log')).toEqual({
    step: 'log',
    outcome: 'skipped',
    why: 'not-given',
    file: 'log.txt',
  })
  const { 'forfeiture-0.txt': __, ...fewer } = files
  expect((await check(fewer)).verdict).toBe('incomplete')
})

const verdictWithout = async (of: TestDraw, ...names: string[]): Promise<PackOutcome['verdict']> => {
  const files = Object.fromEntries(of.pack())
  for (const name of names) {
    expect(files).toHaveProperty([name])
    delete files[name]
  }
  return (await check(files)).verdict
}

test('a draw does not pass as long as a file of its last forfeiture is not given', async () => {
  const published = TERMS.draw + 10 + TERMS.claim
  const waiting = sealedDraw()
    .result()
    .checkpoint(TERMS.draw + 10)
  waiting.forfeit('unclaimed', published, { text: 'Nobody claimed.\n' }).checkpoint(published)
  expect(await verdictWithout(waiting)).toBe('passed')
  expect(await verdictWithout(waiting, 'forfeiture-0.txt')).toBe('incomplete')
  expect(await verdictWithout(waiting, 'statement-0.txt')).toBe('incomplete')
})

test('a contest that is cancelled by its rules is validly cancelled, whole or in single files', async () => {
  const { closes, draw: at, beaconPatience, notice } = TERMS
  const selling = new TestDraw().entry(7).add({ type: 'cancel', reason: 'shop' })
  selling.void(7).checkpoint(closes - 60)
  const sealed = sealedDraw()
    .add({ type: 'cancel', reason: 'shop' })
    .checkpoint(at - notice)
  const silent = sealedDraw().add({ type: 'cancel', reason: 'beacon-silent' })
  silent.checkpoint(at + beaconPatience)
  const drawn = sealedDraw()
    .result()
    .checkpoint(at + 10)
    .forfeit('staff', at + 20)
    .checkpoint(at + 20)
  drawn.add({ type: 'cancel', reason: 'beacon-silent' }).checkpoint(at + 86_500 + beaconPatience)
  const empty = new TestDraw()
    .checkpoint(closes - 60)
    .close()
    .list('list')
    .checkpoint(closes)
  empty
    .list('seal')
    .add({ type: 'cancel', reason: 'no-entries' })
    .checkpoint(closes + 3600)
  for (const [of, reason] of [
    [selling, 'shop'],
    [sealed, 'shop'],
    [silent, 'beacon-silent'],
    [drawn, 'beacon-silent'],
    [empty, 'no-entries'],
  ] as const) {
    const outcome = await check({ 'x.zip': evidenceZip(of.pack(), SLUG) })
    expect([outcome.verdict, outcome.cancelled]).toEqual(['cancelled', reason])
    expect(await verdictWithout(of)).toBe('cancelled')
    for (const file of ['terms.txt', 'log.txt', 'checkpoints.txt'])
      expect(await verdictWithout(of, file)).toBe('incomplete')
  }
  expect(await verdictWithout(sealed, 'provisional.txt')).toBe('incomplete')
  expect(await verdictWithout(drawn, 'forfeiture-0.txt')).toBe('incomplete')
  const late = sealedDraw()
    .add({ type: 'cancel', reason: 'shop' })
    .checkpoint(at - notice + 1)
  expect(await verdictWithout(late)).toBe('failed')
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

  test.each([
    fragmentOf(LOSER),
    fragmentOf(LOSER).slice(1),
    `${LINK}${fragmentOf(LOSER)}`,
    `${LINK}?lang=nl${fragmentOf(LOSER)}`,
  ])('%s finds its line of the log', async (proof) => {
    expect(await ticket(proof)).toEqual({
      outcome: 'found',
      number: LOSER,
      line: draw.leaves.findIndex((leaf) => leaf.includes(`\t${LOSER}\t`)) + 1,
      since: TERMS.closes - 3600,
      listed: 'valid',
      voided: null,
      end: 'lost',
    })
  })

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

describe('a leaf with its proofs', () => {
  const questionOf = (of: TestDraw, number: number, secret = number): LeafQuestion => ({
    contest: SLUG,
    terms: of.files.get('terms.txt')!,
    response: leafResponse(of, number),
    proof: fragmentOf(number, secret),
  })
  const found = (of: TestDraw, number: number) => checkLeaf(questionOf(of, number), sha256)
  const [first, second] = draw.results.map(({ number }) => number) as [number, number]
  const { closes } = TERMS

  test('is found, since the first checkpoint that contains it', () => {
    expect(found(draw, LOSER)).toEqual({
      outcome: 'found',
      number: LOSER,
      line: draw.leaves.findIndex((leaf) => leaf.includes(`\t${LOSER}\t`)) + 1,
      since: closes - 3600,
      listed: 'valid',
      voided: null,
      end: 'lost',
    })
    // Three checkpoints, each with the first entry that it contains.
    expect([7, 3, 40].map((number) => found(draw, number))).toMatchObject([
      { since: closes - 3600 },
      { since: closes + 2 },
      { since: closes + 300 },
    ])
  })

  const open = () => {
    const one = new TestDraw().entry(7).entry(9)
    return one.void(9, 'withdrawn').checkpoint(closes - 60)
  }
  const sealed = sealedDraw()
  const drawn = sealedDraw()
  drawn.result().checkpoint(TERMS.draw + 10)
  const waiting = sealedDraw()
  waiting.result().forfeit('unclaimed', TERMS.draw + 10 + TERMS.claim)
  waiting.checkpoint(TERMS.draw + 20 + TERMS.claim)
  const cancelled = new TestDraw().entry(7).add({ type: 'cancel', reason: 'shop' }).void(7)
  cancelled.checkpoint(closes - 60)
  const voided = sealedDraw()
    .void(LOSER, 'disputed')
    .checkpoint(TERMS.draw - 60)

  test.each<[what: string, of: TestDraw, number: number, expected: Record<string, unknown>]>([
    ['before the seal', open(), 7, { listed: null, voided: null, end: 'undrawn' }],
    ['voided before the seal', open(), 9, { listed: null, voided: 'withdrawn', end: 'out' }],
    ['in the sealed list', sealed, LOSER, { listed: 'valid', voided: null, end: 'undrawn' }],
    ['void in the sealed list', sealed, 31, { listed: 'refunded', voided: 'refunded', end: 'out' }],
    ['voided after the seal', voided, LOSER, { listed: 'valid', voided: 'disputed', end: 'undrawn' }],
    ['that is drawn', drawn, first, { listed: 'valid', end: 'won' }],
    ['whose winner forfeited', waiting, first, { end: 'forfeited' }],
    ['while an alternate is waited for', waiting, LOSER, { end: 'waiting' }],
    ['of the alternate', draw, second, { end: 'won' }],
    ['of the winner before it', draw, first, { end: 'forfeited' }],
    ['of a cancelled contest', cancelled, 7, { listed: null, voided: 'refunded', end: 'cancelled' }],
  ])('says what became of an entry %s', (_, of, number, expected) => {
    expect(found(of, number)).toMatchObject({ outcome: 'found', number, ...expected })
  })

  test('and a pack says the same of the same draw', async () => {
    for (const [of, number] of [
      [draw, first],
      [draw, second],
      [draw, 31],
      [waiting, LOSER],
      [waiting, first],
      [voided, LOSER],
    ] as const) {
      const archive = { 'x.zip': evidenceZip(of.pack(), SLUG) }
      expect((await check(archive, { proof: fragmentOf(number) })).ticket).toEqual(found(of, number))
    }
  })

  const whole = questionOf(draw, LOSER)
  const of = (number: number, changes: Partial<LeafResponse>): LeafQuestion => {
    const question = questionOf(draw, number)
    return { ...question, response: { ...question.response, ...changes } }
  }
  const changed = (changes: Partial<LeafResponse>): LeafQuestion => of(LOSER, changes)
  const { index, row, last, steps, checkpoint, proof } = whole.response
  const shorter = (nodes: readonly string[]) => nodes.slice(1)
  const withSteps = (change: (step: LeafResponse['steps'][number]) => LeafResponse['steps'][number] | null) =>
    changed({ steps: steps.flatMap((step) => change(step) ?? []) })
  const isSeal = ({ leaf }: { leaf: string }): boolean => leaf.startsWith('volant-seal')

  test.each<[what: string, question: LeafQuestion]>([
    ['another index', changed({ index: index + 1 })],
    ['another size', changed({ size: whole.response.size - 1 })],
    ['a shorter proof', changed({ proof: shorter(proof) })],
    ['a proof that is no hexadecimal', changed({ proof: ['zz'] })],
    ['another leaf', changed({ leaf: draw.leaves[index + 1]! })],
    ['a leaf that is none', changed({ leaf: 'x' })],
    ['a forged signature', changed({ checkpoint: checkpoint.replace(/.{6}\n$/, 'AAAAA=\n') })],
    [
      'a forged last signature',
      changed({ last: { ...last, checkpoint: last.checkpoint.replace(/.{6}\n$/, 'AAAAA=\n') } }),
    ],
    ['checkpoints that do not belong together', changed({ last: { ...last, proof: shorter(last.proof) } })],
    ['two checkpoints', changed({ checkpoint: toText(pack.get('checkpoints.txt')!) })],
    ['the terms of nobody', { ...whole, terms: toBytes('x\n') }],
    [
      'terms that the log was not opened with',
      { ...whole, terms: toBytes(toText(whole.terms).replace('tickets: 50', 'tickets: 51')) },
    ],
    ['another contest', { ...whole, contest: 'verline-rouge' }],
    ['no row in a list that is there', changed({ row: null })],
    ['a row before there is a list', withSteps((step) => (isSeal(step) ? null : step))],
    ['the row of another ticket', changed({ row: leafResponse(draw, 7).row })],
    [
      'another status in its row',
      changed({ row: { ...row!, row: row!.row.replace('valid', 'void:refunded') } }),
    ],
    ['a shorter proof of its row', changed({ row: { ...row!, proof: shorter(row!.proof) } })],
    ['a row that is void without a leaf', of(31, { void: null })],
    ['the void of another number', changed({ void: leafResponse(draw, 31).void })],
    [
      'a step with another proof',
      withSteps((step) => (isSeal(step) ? { ...step, proof: shorter(step.proof) } : step)),
    ],
    ['a log without its first leaf', changed({ steps: steps.slice(1) })],
    ['steps in another order', changed({ steps: [steps[0]!, ...steps.slice(1).toReversed()] })],
    [
      'another result than its leaf names',
      withSteps((step) => ({
        ...step,
        file: step.file?.replace(/^number: .*$/m, `number: ${LOSER}`) ?? null,
      })),
    ],
    ['a result without its file', withSteps((step) => ({ ...step, file: null }))],
  ])('is not proven by %s', (_, changed) => {
    expect(changed).not.toEqual(whole)
    const number = Number(/\d+/.exec(changed.proof)?.[0])
    expect(checkLeaf(changed, sha256)).toEqual({ outcome: 'unproven', number })
  })

  test('belongs to one ticket', () => {
    expect(checkLeaf(questionOf(draw, LOSER, 7), sha256)).toEqual({ outcome: 'other', number: LOSER })
    expect(checkLeaf({ ...whole, proof: '#1' }, sha256)).toEqual({ outcome: 'malformed' })
  })
})
