import { createHash } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sized } from '../../test/support/tier.ts'
import { timeOfRound } from './beacon.ts'
import { fromHex, toBytes } from './bytes.ts'
import { CHEATS, LOSER, STRICT_WINNER, VOUCHED, halfDraw, without } from './cheats.test-support.ts'
import {
  LIVE,
  POLICY,
  TERMS,
  TestDraw,
  WITNESSES,
  policyOf,
  sealedDraw,
  wholeDraw,
} from './draw.test-support.ts'
import type { Terms } from './terms.ts'
import { type DrawFiles, STEPS, type Verification, verifyDraw } from './verify.ts'

// These tests verify almost the same draw hundreds of times.
vi.mock('./beacon.ts', async (original) =>
  (await import('./memory.test-support.ts')).rememberingBeacon(original),
)
vi.mock('@noble/curves/ed25519.js', async (original) =>
  (await import('./memory.test-support.ts')).rememberingEd25519(original),
)

vi.mock('./ml-dsa.ts', async (original) =>
  (await import('./memory.test-support.ts')).rememberingMlDsa(original),
)

const outcomes = ({ steps }: Verification): string[] =>
  steps.map((one) =>
    one.outcome === 'failed'
      ? `${one.step}: ${one.code} in ${one.file}:${one.line}`
      : one.outcome === 'skipped'
        ? `${one.step}: skipped, ${one.why}`
        : one.step,
  )

/** All steps pass of a draw whose terms name no authority. */
const UNSTAMPED = STEPS.map((step) => (step === 'stamps' ? 'stamps: skipped, no-authority' : step))

const failures = (verification: Verification): string[] =>
  outcomes(verification).filter((line) => line.includes(' in '))

test('a whole draw passes every step and says who won', async () => {
  const draw = wholeDraw()
  const verification = await verifyDraw(draw.pack())
  expect(outcomes(verification)).toEqual(UNSTAMPED)
  expect(verification.remarks.map(({ code }) => code)).toEqual(['demonstration', 'entries-after-list'])
  expect(verification.winners.map(({ number, isForfeited }) => [number, isForfeited])).toEqual([
    [draw.results[0]!.number, true],
    [draw.results[1]!.number, false],
  ])
})

/** Node's SHA-256 in the form that the core takes. */
const nodeSha256 = Object.assign(
  (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest(),
  { create: () => createHash('sha256') },
)

/** The first step that must fail when a file is changed, and where the fault is then. */
const STEP_OF: [RegExp, string][] = [
  [/^README\.txt$/, 'pack'],
  [/^(terms|question|text-en)\.txt$/, 'terms'],
  [/^log\.txt$/, 'log'],
  [/^checkpoints\.txt$/, 'checkpoints'],
  [/^(policy|register|register-checkpoints)\.txt$/, 'register'],
  [/^(provisional|list)\.txt$/, 'list'],
  [/^beacon-\d\.json$/, 'beacon'],
  [/^result-\d\.txt$/, 'winner'],
  [/^(forfeiture|statement)-\d\.txt$/, 'forfeitures'],
]

const linesOf = (bytes: Uint8Array): { start: number; end: number }[] => {
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
  return ends.map((end, line) => ({ start: line === 0 ? 0 : ends[line - 1]! + 1, end: end + 1 }))
}

/** How many bytes name a witness and its key in a line: a line of a key that nobody knows is ignored. */
const nameOfWitness = (line: Uint8Array): number => {
  const [name = ''] = /^— \w+\.example .{6}/.exec(new TextDecoder().decode(line)) ?? []
  return new TextEncoder().encode(name).length
}

test('a changed byte in any line of any file fails the step of that file', async () => {
  const pack = wholeDraw({}, { policy: POLICY }).pack()
  pack.set('question.txt', new TextEncoder().encode('Combien de roues ?\nTrois\nQuatre\n'))
  pack.set('text-en.txt', new TextEncoder().encode('Further terms.\n'))
  expect(failures(await verifyDraw(pack))).toEqual([])
  let seed = 1
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (const [file, bytes] of pack) {
    const step = STEP_OF.find(([pattern]) => pattern.test(file))![1]
    for (const [line, { start: first, end }] of linesOf(bytes).entries()) {
      const start = first + nameOfWitness(bytes.subarray(first, end))
      const places = sized({
        short: [start + random(end - start)],
        // A signature of ML-DSA-44 is one line of thousands of bytes.
        extended: Array.from({ length: Math.min(end - start, 400) }, (_, at) => start + at),
      })
      for (const at of places) {
        const changed = bytes.slice()
        changed[at] = changed[at] === 0x31 ? 0x32 : 0x31
        const verification = await verifyDraw(new Map(pack).set(file, changed), { sha256: nodeSha256 })
        const failed = verification.steps.find(({ outcome }) => outcome === 'failed')
        const what = `byte ${at} of ${file}, line ${line + 1}: ${failures(verification).join(', ')}`
        if (failed?.outcome !== 'failed') throw new Error(`not found: ${what}`)
        const isNamed =
          file === 'log.txt'
            ? ['terms', 'log', 'checkpoints'].includes(failed.step)
            : failed.step === step && (failed.file === file || file === 'register.txt')
        const hasLine = !/^(provisional|list|result-\d)\.txt$/.test(file) || failed.line === line + 1
        expect(isNamed && hasLine, what).toBe(true)
      }
    }
  }
})

test('without the functions that check stamps, a stamped draw is as good as one without', async () => {
  const files = wholeDraw({}, { authority: {} }).pack()
  vi.stubGlobal('crypto', {})
  onTestFinished(() => void vi.unstubAllGlobals())
  const verification = await verifyDraw(files)
  expect(outcomes(verification)).toEqual(
    STEPS.map((step) => (step === 'stamps' ? 'stamps: skipped, unsupported' : step)),
  )
  expect(verification.voucher).toEqual({ by: 'shop', why: 'no-policy' })
  expect(verification.remarks.filter(({ code }) => code.endsWith('unstamped'))).toEqual([])
})

test('a rehearsal passes and is called one', async () => {
  const verification = await verifyDraw(wholeDraw({ rehearsal: true }).pack())
  expect(outcomes(verification)).toEqual(UNSTAMPED)
  expect(verification.remarks[0]!.code).toBe('rehearsal')
})

const { closes: CLOSES, draw: DRAW, alternateDelay: DELAY, notice: NOTICE } = TERMS
/** A contest that has begun. */
const opened = (changes: Partial<Terms> = {}): TestDraw => new TestDraw(changes).checkpoint(1)

test.each(CHEATS)('%s is found', async (_, files, faults) => {
  const found = failures(await verifyDraw(files()))
  expect(found.slice(0, faults.length)).toEqual(faults)
})

test.each(VOUCHED)('%s: the voucher is named', async (_, files, voucher, remarks) => {
  const verification = await verifyDraw(files())
  expect(failures(verification)).toEqual([])
  expect(verification.voucher).toEqual(voucher)
  const known = ['demonstration', 'entries-after-list']
  const codes = verification.remarks.map(({ code }) => code)
  expect(codes.filter((code) => !known.includes(code))).toEqual(remarks)
})

test('a policy of the reader’s own stands in the place of that of the terms', async () => {
  const pack = wholeDraw({}, { policy: POLICY }).pack()
  const voucherUnder = async (policy: string, files = pack) => (await verifyDraw(files, { policy })).voucher
  expect(await voucherUnder(policyOf('4'))).toEqual({ by: 'shop', why: 'unconfirmed' })
  expect(await voucherUnder(policyOf('none'))).toEqual({ by: 'shop', why: 'no-policy' })
  expect(await voucherUnder(policyOf('1'))).toMatchObject({
    by: 'witnesses',
    count: 3,
    opened: CLOSES - 3599,
  })
  const alone = policyOf('none', WITNESSES.slice(1, 2)).replace('quorum none', 'quorum east')
  expect(await voucherUnder(alone)).toMatchObject({ by: 'witnesses', count: 1, of: 1, opened: CLOSES - 3598 })
  expect(await voucherUnder(alone, wholeDraw().pack())).toEqual({ by: 'shop', why: 'unconfirmed' })
  const failed = await verifyDraw(pack, { policy: 'witness x\n' })
  expect(failures(failed)).toEqual(['register: policy in kept:1'])
  expect(failed.voucher).toBeNull()
})

test('a register that did not pass vouches for nothing, and no void is taken for one in time', async () => {
  const [, voided] = VOUCHED.find(([what]) => what.startsWith('a void in time'))!
  const pack = voided()
  pack.delete('register.txt')
  const verification = await verifyDraw(pack)
  expect(verification.voucher).toBeNull()
  expect(outcomes(verification).slice(-3)).toEqual([
    'winner',
    'forfeitures: skipped, register',
    'end: skipped, not-yet',
  ])
  const unwitnessed = sealedDraw()
    .void(sealedDraw().result().results[0]!.number)
    .checkpoint(DRAW - NOTICE)
  const files = unwitnessed
    .result()
    .checkpoint(DRAW + 9)
    .forfeit('voided', DRAW + 20)
    .checkpoint(DRAW + 20)
    .pack()
  files.delete('register.txt')
  expect(outcomes(await verifyDraw(files)).slice(-2)).toEqual(['forfeitures', 'end: skipped, not-yet'])
})

test('delays and a claimed silence are remarks, and nothing fails', async () => {
  const late = halfDraw()
    .entry(8, 'postal')
    .list('seal')
    .checkpoint(DRAW - 1)
    .result()
    .checkpoint(DRAW + 5)
  late.forfeit('staff', DRAW + 10).checkpoint(DRAW + 71)
  const OUT = timeOfRound(TERMS.beacon, TERMS.beacon.round)
  const overdue = sealedDraw().result().checkpoint(OUT)
  overdue
    .forfeit('staff', OUT + 9)
    .checkpoint(OUT + 9)
    .checkpoint(OUT + DELAY + 3700)
  const { commitment } = sealedDraw().result().results[0]!
  const sameTicket = new TestDraw()
    .entry(1)
    .add({ type: 'entry', number: 2, kind: 'paid', commitment })
    .entry(3)
    .add({ type: 'entry', number: 4, kind: 'paid', commitment })
    .checkpoint(1)
  const silent = sealedDraw().add({ type: 'cancel', reason: 'beacon-silent' })
  const cases: [DrawFiles, string[]][] = [
    [late.pack(), ['demonstration', 'entries-after-list', 'seal-late', 'forfeit-late']],
    [
      opened()
        .close()
        .checkpoint(CLOSES + 61)
        .pack(),
      ['demonstration', 'close-late'],
    ],
    [
      opened().close().list('list').list('seal').checkpoint(CLOSES).pack(),
      ['demonstration', 'objections-short'],
    ],
    [silent.checkpoint(DRAW + 604_801).pack(), ['demonstration', 'entries-after-list', 'silence-claimed']],
    [
      opened()
        .add({ type: 'cancel', reason: 'shop' })
        .checkpoint(DRAW + 1)
        .pack(),
      ['demonstration', 'cancel-late'],
    ],
    [opened().add({ type: 'cancel', reason: 'shop' }).checkpoint(DRAW).pack(), ['demonstration']],
    [
      sealedDraw()
        .add({ type: 'cancel', reason: 'shop' })
        .checkpoint(OUT - NOTICE)
        .pack(),
      ['demonstration', 'entries-after-list', 'cancelled-after-seal'],
    ],
    [
      sealedDraw()
        .result()
        .checkpoint(OUT + 3600)
        .pack(),
      ['demonstration', 'entries-after-list'],
    ],
    [
      sealedDraw()
        .result()
        .checkpoint(OUT + 3601)
        .pack(),
      ['demonstration', 'entries-after-list', 'result-late'],
    ],
    [
      sealedDraw(LIVE)
        .result()
        .checkpoint(LIVE.draw! + 10)
        .pack(),
      ['entries-after-list'],
    ],
    [
      sealedDraw()
        .checkpoint(OUT + 3600)
        .pack(),
      ['demonstration', 'entries-after-list'],
    ],
    [
      sealedDraw()
        .checkpoint(OUT + 3601)
        .pack(),
      ['demonstration', 'entries-after-list', 'result-overdue'],
    ],
    [
      sealedDraw()
        .result()
        .checkpoint(OUT)
        .checkpoint(OUT + 3601)
        .pack(),
      ['demonstration', 'entries-after-list'],
    ],
    [overdue.pack(), ['demonstration', 'entries-after-list', 'result-overdue']],
    [sameTicket.pack(), ['demonstration', 'same-commitment']],
  ]
  for (const [files, remarks] of cases) {
    const verification = await verifyDraw(files)
    expect(failures(verification)).toEqual([])
    expect(verification.remarks.map(({ code }) => code)).toEqual(remarks)
  }
})

test('a void that was published before the draw forfeits without the shop’s decision', async () => {
  const draw = sealedDraw({ alternatesDecided: 0 })
    .void(STRICT_WINNER)
    .checkpoint(DRAW - NOTICE)
    .result()
    .checkpoint(DRAW + 9)
  draw
    .forfeit('voided', DRAW + 20)
    .checkpoint(DRAW + 20)
    .result()
    .checkpoint(DRAW + DELAY + 60)
  const verification = await verifyDraw(draw.pack())
  expect(failures(verification)).toEqual([])
  expect(verification.winners.map(({ isForfeited }) => isForfeited)).toEqual([true, false])
})

test('an entry whose holder left forfeits like any other void', async () => {
  const changes = { alternatesDecided: 0, voidReasons: ['withdrawn'] } as const
  const sealed = (): TestDraw => {
    const draw = opened(changes)
    for (const number of [7, 31, 2, 50]) draw.entry(number)
    draw
      .void(2, 'withdrawn')
      .close()
      .checkpoint(CLOSES)
      .list('list')
      .checkpoint(CLOSES + 300)
    return draw.list('seal').checkpoint(DRAW - 7200)
  }
  const { number } = sealed().result().results[0]!
  const draw = sealed()
    .void(number, 'withdrawn')
    .checkpoint(DRAW - NOTICE)
    .result()
    .checkpoint(DRAW + 9)
    .forfeit('voided', DRAW + 20)
    .checkpoint(DRAW + 20)
    .result()
    .checkpoint(DRAW + DELAY + 60)
  const verification = await verifyDraw(draw.pack())
  expect(failures(verification)).toEqual([])
  expect(verification.winners.map(({ isForfeited }) => isForfeited)).toEqual([true, false])
})

test('a void after the seal leaves the number among the rows of every attempt', async () => {
  const draw = sealedDraw()
    .void(LOSER)
    .checkpoint(DRAW - NOTICE)
    .result()
    .checkpoint(DRAW + 9)
  draw
    .forfeit('staff', DRAW + 20)
    .checkpoint(DRAW + 20)
    .result()
    .checkpoint(DRAW + DELAY + 60)
  expect(failures(await verifyDraw(draw.pack()))).toEqual([])
  expect(draw.results.map(({ remaining }) => remaining)).toEqual([10, 9])
})

test('a contest without rows ends without a draw', async () => {
  const draw = opened().entry(7).void(7).close().list('list').checkpoint(CLOSES).list('seal')
  draw
    .checkpoint(CLOSES + 3600)
    .add({ type: 'cancel', reason: 'no-entries' })
    .checkpoint(DRAW - 7200)
  expect(failures(await verifyDraw(draw.pack()))).toEqual([])
  const last = opened()
    .entry(7)
    .close()
    .list('list')
    .checkpoint(CLOSES)
    .list('seal')
    .checkpoint(DRAW - 7200)
  last
    .result()
    .checkpoint(DRAW)
    .forfeit('staff', DRAW + 9)
    .add({ type: 'cancel', reason: 'no-entries' })
  expect(failures(await verifyDraw(last.checkpoint(DRAW + 9).pack()))).toEqual([])
})

test('what is not there yet is skipped, and what needs a failed step too', async () => {
  const later = 'skipped, not-yet'
  expect(outcomes(await verifyDraw(new TestDraw().entry(1).checkpoint(1).pack())).slice(4)).toEqual([
    'register',
    'stamps: skipped, no-authority',
    ...['list', 'seal', 'beacon', 'winner', 'forfeitures', 'end'].map((step) => `${step}: ${later}`),
  ])
  expect(outcomes(await verifyDraw(sealedDraw().pack())).slice(4)).toEqual([
    'register',
    'stamps: skipped, no-authority',
    'list',
    'seal',
    ...['beacon', 'winner', 'forfeitures', 'end'].map((step) => `${step}: ${later}`),
  ])
  const noTerms = outcomes(await verifyDraw(without(wholeDraw(), 'terms.txt')))
  expect(noTerms.slice(1, 4)).toEqual([
    'terms: missing-file in terms.txt:0',
    'log: skipped, terms',
    'checkpoints: skipped, terms',
  ])
  expect(noTerms.slice(4)).toEqual(
    ['register', 'stamps', 'list', 'seal', 'beacon', 'winner', 'forfeitures', 'end'].map(
      (step) => `${step}: skipped, log`,
    ),
  )
  const noLog = wholeDraw().pack()
  noLog.delete('log.txt')
  noLog.set('checkpoints.txt', new Uint8Array())
  expect(outcomes(await verifyDraw(noLog)).slice(1, 4)).toEqual([
    'terms',
    'log: missing-file in log.txt:0',
    'checkpoints: skipped, log',
  ])
  const whole = wholeDraw()
  for (const [file, changes, expected] of [
    [
      'checkpoints.txt',
      { 'forfeiture-0.txt': 'x\n' },
      ['beacon: skipped, forfeitures', 'winner: skipped, beacon', 'forfeitures: skipped, checkpoints'],
    ],
    ['checkpoints.txt', {}, ['beacon', 'winner: skipped, checkpoints', 'forfeitures: skipped, checkpoints']],
    [
      'beacon-1.json',
      {},
      ['beacon: missing-file in beacon-1.json:0', 'winner: skipped, beacon', 'forfeitures'],
    ],
    [
      'forfeiture-0.txt',
      {},
      [
        'beacon: skipped, forfeitures',
        'winner: skipped, beacon',
        'forfeitures: missing-file in forfeiture-0.txt:0',
      ],
    ],
  ] as const) {
    const pack = without(whole, file)
    for (const [name, text] of Object.entries(changes)) pack.set(name, new TextEncoder().encode(text))
    expect(outcomes(await verifyDraw(pack)).slice(8)).toEqual([...expected, 'end: skipped, winner'])
  }
})

test('what the reader kept is compared', async () => {
  const pack = wholeDraw().pack()
  const whole = await verifyDraw(pack)
  const checkpoints = sealedDraw().pack().get('checkpoints.txt')!
  const kept = { termsHash: whole.termsHash!, listHash: whole.listHash!, checkpoints }
  expect(failures(await verifyDraw(pack, { kept }))).toEqual([])
  const other = new TestDraw()
    .entry(6)
    .checkpoint(CLOSES - 3600)
    .pack()
    .get('checkpoints.txt')!
  const forged = new TextEncoder().encode(new TextDecoder().decode(checkpoints).replace('T07', 'T06'))
  for (const [wrong, fault] of [
    [{ termsHash: '00' }, 'terms: kept-hash in terms.txt:0'],
    [{ listHash: '00' }, 'list: kept-hash in list.txt:0'],
    [{ checkpoints: other }, 'checkpoints: root in kept:3'],
    [{ checkpoints: forged }, 'checkpoints: signature in kept:6'],
  ] as const)
    expect(failures(await verifyDraw(pack, { kept: wrong }))[0]).toBe(fault)
})

test('kept checkpoints show a seal that is dated back, lost leaves and one that is left out', async () => {
  const keptOf = (time: number, size: number): Uint8Array =>
    sealedDraw().checkpoint(time, { size }).pack().get('checkpoints.txt')!
  const [listed, sealed] = [TERMS.closes + 300, TERMS.draw - TERMS.sealMargin - 60]
  const pack = sealedDraw().pack()
  const cases: [checkpoints: Uint8Array, fault: string | null][] = [
    [keptOf(sealed - 1, 17), null],
    [keptOf(sealed, 17), null],
    [keptOf(sealed + 1, 17), 'checkpoints: kept-order in kept:29'],
    [keptOf(DRAW + 5, 17), 'checkpoints: kept-order in kept:29'],
    [keptOf(CLOSES - 3601, 12), 'checkpoints: kept-earlier in kept:32'],
    // The entry before the close may be in an earlier checkpoint than that of the file, the close may not.
    [keptOf(CLOSES - 1, 12), null],
    [keptOf(CLOSES - 1, 13), 'checkpoints: kept-earlier in kept:32'],
    [keptOf(listed - 1, 14), null],
    [keptOf(listed - 1, 15), 'checkpoints: kept-earlier in kept:32'],
  ]
  for (const [checkpoints, fault] of cases)
    expect(failures(await verifyDraw(pack, { kept: { checkpoints } }))).toEqual(fault ? [fault] : [])

  const longer = (time: number): Uint8Array =>
    sealedDraw().void(LOSER).checkpoint(time).pack().get('checkpoints.txt')!
  const lost = await verifyDraw(pack, { kept: { checkpoints: longer(sealed) } })
  expect(failures(lost)).toEqual(['checkpoints: size-beyond-log in kept:30'])
  const newer = await verifyDraw(pack, { kept: { checkpoints: longer(sealed + 1) } })
  expect(failures(newer)).toEqual([])
  expect(newer.remarks.map(({ code }) => code)).toContain('kept-newer')
  const forged = longer(sealed + 1)
  forged[forged.length - 9]! ^= 1
  expect(failures(await verifyDraw(pack, { kept: { checkpoints: forged } }))).toEqual([
    'checkpoints: signature in kept:34',
  ])
})

test('the checkpoint that a winner got with a claim shows a log that denies the claim', async () => {
  const drawn = (): TestDraw =>
    sealedDraw()
      .result()
      .checkpoint(DRAW + 10)
  const [claimed, forfeited] = [DRAW + 60, DRAW + 10 + TERMS.claim]
  const kept = { checkpoints: toBytes(drawn().claim().checkpoint(claimed).notes.at(-1)!) }
  const cases: [what: string, draw: TestDraw, fault: string | null][] = [
    ['a log with the claim', drawn().claim().checkpoint(claimed), null],
    [
      'a log that goes on after the claim',
      drawn()
        .claim()
        .checkpoint(claimed)
        .award()
        .checkpoint(claimed + 9),
      null,
    ],
    ['a log without it', drawn().checkpoint(claimed + 1), 'checkpoints: size-beyond-log in kept:2'],
    [
      'the winner who has not claimed',
      drawn().forfeit('unclaimed', forfeited).checkpoint(forfeited),
      'checkpoints: root in kept:3',
    ],
    [
      'another claim',
      drawn()
        .add({ type: 'claim', attempt: 0, hash: '00'.repeat(32) })
        .checkpoint(claimed),
      'checkpoints: root in kept:3',
    ],
    [
      'a claim that is said to be late',
      drawn().claim().checkpoint(forfeited),
      'checkpoints: kept-earlier in kept:4',
    ],
  ]
  for (const [what, draw, fault] of cases) {
    expect(failures(await verifyDraw(draw.pack())), what).toEqual([])
    expect(failures(await verifyDraw(draw.pack(), { kept })), what).toEqual(fault ? [fault] : [])
  }
})

test('kept checkpoints of the register are compared with it', async () => {
  const pack = sealedDraw().pack()
  const last = TERMS.draw - TERMS.sealMargin - 60
  const notesOf = (draw: TestDraw): Uint8Array => draw.pack().get('register-checkpoints.txt')!
  const later = (time: number): Uint8Array => notesOf(sealedDraw().void(LOSER).checkpoint(time))
  const smaller = sealedDraw()
  smaller.signRegister(last + 1, { size: 4, root: fromHex(smaller.root(4, smaller.register)) })
  const other = new TestDraw()
  other.register[0] = 'volant-verifier-v1\tverify.html\t'.padEnd(95, 'f')
  const forged = new TextEncoder().encode(
    new TextDecoder().decode(notesOf(sealedDraw())).replace('T07', 'T06'),
  )
  const cases: [checkpoints: Uint8Array, fault: string | null][] = [
    [notesOf(sealedDraw()), null],
    [notesOf(other.checkpoint(CLOSES - 9000)), 'register: root in kept:3'],
    [forged, 'register: signature in kept:6'],
    [notesOf(smaller), 'register: kept-order in kept:29'],
    [later(last), 'register: size-beyond-log in kept:30'],
  ]
  for (const [checkpoints, fault] of cases)
    expect(failures(await verifyDraw(pack, { kept: { checkpoints } }))).toEqual(fault ? [fault] : [])
  const newer = await verifyDraw(pack, { kept: { checkpoints: later(last + 1) } })
  expect(failures(newer)).toEqual([])
  expect(newer.remarks.map(({ code }) => code)).toContain('kept-newer')
})

test('files are read when they are needed, and progress is told', async () => {
  const pack = wholeDraw({}, { authority: {} }).pack()
  const reads: string[] = []
  const files = new Map(
    [...pack].map(([name, bytes]) => [name, () => (reads.push(name), Promise.resolve(bytes))] as const),
  )
  const steps = new Set<string>()
  const { steps: results } = await verifyDraw(files, {
    onProgress: ({ step, done, total }) => {
      expect(done).toBeLessThanOrEqual(total)
      steps.add(step)
    },
  })
  expect(results.every(({ outcome }) => outcome === 'passed')).toBe(true)
  expect(reads.filter((name) => name === 'log.txt')).toEqual(['log.txt'])
  expect([...steps]).toEqual([
    'terms',
    'register',
    'log',
    'checkpoints',
    'stamps',
    'list',
    'forfeitures',
    'beacon',
    'winner',
  ])
})
