import { createHash } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test, vi } from 'vitest'
import { sized } from '../../../../test/support/tier.ts'
import { timeOfRound } from './beacon.ts'
import { TERMS, TestDraw, sealedDraw, wholeDraw } from './draw.test-pack.ts'
import { leafText } from './leaves.ts'
import { type DrawFiles, type Verification, verifyDraw } from './verify.ts'

/** Answers of the same question are kept: these tests verify almost the same draw hundreds of times. */
const memory = vi.hoisted(() => {
  const answers = new Map<string, boolean>()
  return <A extends unknown[]>(ask: (...args: A) => boolean) =>
    (...args: A): boolean => {
      const key = JSON.stringify(args, (_, value: unknown) =>
        value instanceof Uint8Array ? [...value] : value,
      )
      if (!answers.has(key)) answers.set(key, ask(...args))
      return answers.get(key)!
    }
})
vi.mock('./beacon.ts', async (original) => {
  const beacon = await original<typeof import('./beacon.ts')>()
  const ask = memory((question: Parameters<typeof beacon.isRoundSignature>[0]) =>
    beacon.isRoundSignature(question, sha256),
  )
  return { ...beacon, isRoundSignature: ask }
})
vi.mock('@noble/curves/ed25519.js', async (original) => {
  const { ed25519 } = await original<typeof import('@noble/curves/ed25519.js')>()
  return { ed25519: { ...ed25519, verify: memory(ed25519.verify) } }
})

const outcomes = ({ steps }: Verification): string[] =>
  steps.map((one) =>
    one.outcome === 'failed'
      ? `${one.step}: ${one.code} in ${one.file}:${one.line}`
      : one.outcome === 'skipped'
        ? `${one.step}: skipped, ${one.why}`
        : one.step,
  )

const failures = (verification: Verification): string[] =>
  outcomes(verification).filter((line) => line.includes(' in '))

const PASSED = [
  'pack',
  'terms',
  'log',
  'checkpoints',
  'list',
  'seal',
  'beacon',
  'winner',
  'forfeitures',
  'end',
]

test('a whole draw passes every step and says who won', async () => {
  const draw = wholeDraw()
  const verification = await verifyDraw(draw.pack())
  expect(outcomes(verification)).toEqual(PASSED)
  expect(verification.remarks.map(({ code }) => code)).toEqual(['chain-unknown', 'entries-after-list'])
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
  [/^(provisional|list)\.txt$/, 'list'],
  [/^beacon-\d\.json$/, 'beacon'],
  [/^result-\d\.txt$/, 'winner'],
  [/^(forfeiture|statement)-\d\.txt$/, 'forfeitures'],
]

const linesOf = (bytes: Uint8Array): { start: number; end: number }[] => {
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
  return ends.map((end, line) => ({ start: line === 0 ? 0 : ends[line - 1]! + 1, end: end + 1 }))
}

test('a changed byte in any line of any file fails the step of that file', async () => {
  const pack = wholeDraw().pack()
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
    for (const [line, { start, end }] of linesOf(bytes).entries()) {
      const places = sized({
        short: [start + random(end - start)],
        extended: Array.from({ length: end - start }, (_, at) => start + at),
      })
      for (const at of places) {
        const changed = bytes.slice()
        changed[at] = changed[at] === 0x31 ? 0x32 : 0x31
        const verification = await verifyDraw(new Map(pack).set(file, changed), { sha256: nodeSha256 })
        const first = verification.steps.find(({ outcome }) => outcome === 'failed')
        const what = `byte ${at} of ${file}, line ${line + 1}: ${failures(verification).join(', ')}`
        if (first?.outcome !== 'failed') throw new Error(`not found: ${what}`)
        const isNamed =
          file === 'log.txt'
            ? ['terms', 'log', 'checkpoints'].includes(first.step)
            : first.step === step && first.file === file
        const hasLine = !/^(provisional|list|result-\d)\.txt$/.test(file) || first.line === line + 1
        expect(isNamed && hasLine, what).toBe(true)
      }
    }
  }
})

test('a rehearsal passes and is called one', async () => {
  const verification = await verifyDraw(wholeDraw({ rehearsal: true }).pack())
  expect(outcomes(verification)).toEqual(PASSED)
  expect(verification.remarks[0]!.code).toBe('rehearsal')
})

const { closes: CLOSES, draw: DRAW, claim: CLAIM, alternateDelay: DELAY } = TERMS
const NEXT = DRAW + 10 + CLAIM
const edited = (pack: Map<string, Uint8Array>, file: string, edit: (text: string) => string): DrawFiles => {
  const text = new TextDecoder().decode(pack.get(file))
  const changed = edit(text)
  expect(changed).not.toBe(text)
  return new Map(pack).set(file, new TextEncoder().encode(changed))
}
const without = (draw: TestDraw, file: string): DrawFiles => {
  const pack = draw.pack()
  expect(pack.delete(file)).toBe(true)
  return pack
}
/** Who wins the sealed draw in which the shop may decide no forfeiture, and a number that wins neither. */
const STRICT_WINNER = sealedDraw({ alternatesDecided: 0 }).result().results[0]!.number
const LOSER = 44

const CHEATS: [what: string, files: () => DrawFiles, faults: string[]][] = [
  [
    'an entry that is added to the past',
    () =>
      edited(wholeDraw().pack(), 'log.txt', (log) =>
        log.replace(
          /(.*\t44\t.*\n)/,
          `$1${leafText({ type: 'entry', number: 45, kind: 'paid', commitment: '00'.repeat(32) }, TERMS)}\n`,
        ),
      ),
    ['checkpoints: root in checkpoints.txt:3', 'list: line in provisional.txt:4'],
  ],
  [
    'an entry that is left out',
    () => edited(wholeDraw().pack(), 'log.txt', (log) => log.replace(/.*\t44\t.*\n/, '')),
    ['checkpoints: root in checkpoints.txt:3', 'list: line in provisional.txt:4'],
  ],
  [
    'an entry whose commitment is exchanged',
    () => edited(wholeDraw().pack(), 'log.txt', (log) => log.replace(/(\t44\tpaid\t)../, '$100')),
    ['checkpoints: root in checkpoints.txt:3', 'list: line in provisional.txt:5'],
  ],
  [
    'a number that is given twice',
    () =>
      new TestDraw()
        .entry(7)
        .entry(8)
        .entry(7)
        .checkpoint(CLOSES - 1)
        .pack(),
    ['log: number-twice in log.txt:4'],
  ],
  [
    'a number beyond the tickets',
    () =>
      new TestDraw()
        .entry(51)
        .checkpoint(CLOSES - 1)
        .pack(),
    ['log: number-range in log.txt:2'],
  ],
  [
    'an entry given away that the terms do not know',
    () =>
      new TestDraw()
        .entry(7, 'demo')
        .checkpoint(CLOSES - 1)
        .pack(),
    ['log: kind-of-terms in log.txt:2'],
  ],
  [
    'more late entries than there were payments under way',
    () =>
      new TestDraw()
        .close(1)
        .entry(1)
        .entry(2, 'postal')
        .entry(3)
        .checkpoint(CLOSES + 9)
        .pack(),
    ['log: late-entry in log.txt:5'],
  ],
  [
    'an entry after the seal',
    () =>
      sealedDraw()
        .entry(1)
        .checkpoint(DRAW - 7200)
        .pack(),
    ['log: after-seal in log.txt:19'],
  ],
  [
    'a void without an entry',
    () => new TestDraw().void(7).checkpoint(1).pack(),
    ['log: void-without-entry in log.txt:2'],
  ],
  [
    'a second void',
    () => new TestDraw().entry(7).void(7).void(7).checkpoint(1).pack(),
    ['log: void-twice in log.txt:4'],
  ],
  [
    'a void for a reason that the terms do not have',
    () => new TestDraw({ voidReasons: ['refunded'] }).entry(7).void(7, 'staff').checkpoint(1).pack(),
    ['log: reason-of-terms in log.txt:3'],
  ],
  [
    'a void after the seal that takes a row from the list',
    () =>
      edited(
        sealedDraw()
          .void(44)
          .checkpoint(DRAW - 7200)
          .pack(),
        'list.txt',
        (list) => list.replace(/(\n44\t.*\t)valid/, '$1void:refunded'),
      ),
    ['list: line in list.txt:24'],
  ],
  [
    'a list with an entry more than the log',
    () =>
      sealedWith((rows) =>
        [...rows, { number: 1, kind: 'paid' as const, commitment: '00'.repeat(32), voided: null }].toSorted(
          (a, b) => a.number - b.number,
        ),
      ),
    ['list: line in list.txt:6'],
  ],
  [
    'a list with an entry less than the log',
    () => sealedWith((rows) => rows.filter(({ number }) => number !== LOSER)),
    ['list: line in list.txt:6'],
  ],
  [
    'a list with a void entry as a valid one',
    () => sealedWith((rows) => rows.map((row) => ({ ...row, voided: null }))),
    ['list: line in list.txt:9'],
  ],
  [
    'a seal after the draw instant',
    () => halfDraw().list('seal').checkpoint(DRAW).pack(),
    ['seal: seal-after-draw in log.txt:6'],
  ],
  [
    'a sale that is closed before its time',
    () =>
      new TestDraw()
        .entry(1)
        .close()
        .checkpoint(CLOSES - 1)
        .pack(),
    ['seal: close-early in log.txt:3'],
  ],
  [
    'another closing instant',
    () =>
      new TestDraw()
        .add({ type: 'close', instant: CLOSES - 1, pending: 0 })
        .checkpoint(CLOSES)
        .pack(),
    ['log: close-instant in log.txt:2'],
  ],
  [
    'a replaced beacon with a round that is known already',
    () =>
      new TestDraw()
        .add({ type: 'beacon', ...TERMS.beacon, round: 1000 })
        .checkpoint(1)
        .pack(),
    ['log: round in log.txt:2'],
  ],
  [
    'a replaced beacon after the close',
    () =>
      new TestDraw()
        .close()
        .add({ type: 'beacon', ...TERMS.beacon })
        .checkpoint(CLOSES)
        .pack(),
    ['log: after-close in log.txt:3'],
  ],
  [
    'another round',
    () =>
      sealedDraw()
        .result(TERMS.beacon.round + 1)
        .checkpoint(DRAW + 10)
        .pack(),
    ['beacon: round in beacon-0.json:1'],
  ],
  [
    'another round under the name of the right one',
    () =>
      edited(
        sealedDraw()
          .result(TERMS.beacon.round + 1)
          .checkpoint(DRAW + 10)
          .pack(),
        'beacon-0.json',
        (json) => json.replace(/\d+/, String(TERMS.beacon.round)),
      ),
    ['beacon: beacon-signature in beacon-0.json:1'],
  ],
  [
    'another winner',
    () =>
      sealedDraw()
        .result(undefined, { number: LOSER })
        .checkpoint(DRAW + 10)
        .pack(),
    ['winner: line in result-0.txt:13'],
  ],
  [
    'a value that was taken although it was not the first',
    () =>
      sealedDraw()
        .result(undefined, { tries: 2 })
        .checkpoint(DRAW + 10)
        .pack(),
    ['winner: line in result-0.txt:10'],
  ],
  [
    'a result without its file',
    () =>
      without(
        sealedDraw()
          .result()
          .checkpoint(DRAW + 10),
        'result-0.txt',
      ),
    ['winner: missing-file in result-0.txt:0'],
  ],
  [
    'a result without the answer of the beacon',
    () =>
      without(
        sealedDraw()
          .result()
          .checkpoint(DRAW + 10),
        'beacon-0.json',
      ),
    ['beacon: missing-file in beacon-0.json:0'],
  ],
  [
    'a result that no leaf names',
    () => new Map([...sealedDraw().pack(), ['result-0.txt', wholeDraw().pack().get('result-0.txt')!]]),
    ['winner: unknown-file in result-0.txt:0'],
  ],
  [
    'a second draw without a forfeiture',
    () =>
      sealedDraw()
        .result()
        .result()
        .checkpoint(DRAW + 10)
        .pack(),
    ['log: order in log.txt:20'],
  ],
  [
    'a draw before the seal',
    () =>
      new TestDraw()
        .close()
        .add({ type: 'result', attempt: 0, hash: '00'.repeat(32) })
        .checkpoint(DRAW)
        .pack(),
    ['log: order in log.txt:3'],
  ],
  [
    'a forfeiture before the claim ran out',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('unclaimed', NEXT - 1)
        .checkpoint(NEXT)
        .pack(),
    ['forfeitures: unclaimed-early in forfeiture-0.txt:9'],
  ],
  [
    'a forfeiture that is dated back until its round is known',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('unclaimed', NEXT)
        .checkpoint(NEXT + DELAY + 2)
        .pack(),
    ['forfeitures: forfeit-after-round in forfeiture-0.txt:11'],
  ],
  [
    'a forfeiture that is dated forward',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', NEXT)
        .checkpoint(NEXT - 1)
        .pack(),
    ['forfeitures: forfeit-before-published in forfeiture-0.txt:9'],
  ],
  [
    'a round of the shop’s choice for the alternate',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('unclaimed', NEXT, { round: 40_000_000 })
        .checkpoint(NEXT)
        .pack(),
    ['forfeitures: line in forfeiture-0.txt:11'],
  ],
  [
    'a forfeiture of somebody else',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20, { number: LOSER })
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: line in forfeiture-0.txt:4'],
  ],
  [
    'a forfeiture over another log',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20, { logSize: 18 })
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: line in forfeiture-0.txt:7'],
  ],
  [
    'a forfeiture for a reason that the terms do not have',
    () =>
      sealedDraw({ forfeitReasons: ['unclaimed', 'voided'] })
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: reason-of-terms in forfeiture-0.txt:5'],
  ],
  [
    'a void as the reason without a void',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: void-missing in forfeiture-0.txt:5'],
  ],
  [
    'more forfeitures by staff than the terms allow',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('staff', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a refund of the winner after the draw, to draw again',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .result()
        .void(STRICT_WINNER)
        .checkpoint(DRAW + 10)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a result that is dated before its round',
    () =>
      sealedDraw()
        .result()
        .checkpoint(DRAW - 1)
        .pack(),
    ['winner: result-before-round in log.txt:19'],
  ],
  [
    'a void of the winner after the result, both dated before the round',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .result()
        .void(STRICT_WINNER)
        .checkpoint(DRAW - 1)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['winner: result-before-round in log.txt:19', 'forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a void before the result, but after the round is known',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .void(STRICT_WINNER)
        .result()
        .checkpoint(DRAW + 10)
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a void by staff before the draw, to draw again',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .void(STRICT_WINNER, 'staff')
        .checkpoint(DRAW - 9)
        .result()
        .forfeit('voided', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['forfeitures: decided-limit in forfeiture-0.txt:5'],
  ],
  [
    'a list that no leaf names',
    () => new Map(new TestDraw().checkpoint(1).pack()).set('list.txt', sealedDraw().pack().get('list.txt')!),
    ['list: unknown-file in list.txt:0'],
  ],
  [
    'an answer of the beacon that no leaf names',
    () => new Map(sealedDraw().pack()).set('beacon-0.json', wholeDraw().pack().get('beacon-0.json')!),
    ['beacon: unknown-file in beacon-0.json:0'],
  ],
  [
    'a forfeiture that no leaf names',
    () => new Map(wholeDraw().pack()).set('forfeiture-1.txt', wholeDraw().pack().get('forfeiture-0.txt')!),
    ['forfeitures: unknown-file in forfeiture-1.txt:0'],
  ],
  [
    'a statement that no leaf names',
    () => new Map(wholeDraw().pack()).set('statement-1.txt', new Uint8Array()),
    ['forfeitures: unknown-file in statement-1.txt:0'],
  ],
  [
    'a silence of the beacon after a winner who has not forfeited',
    () =>
      sealedDraw()
        .result()
        .add({ type: 'cancel', reason: 'beacon-silent' })
        .checkpoint(DRAW + 700_000)
        .pack(),
    ['log: order in log.txt:20'],
  ],
  [
    'a statement that is exchanged',
    () => edited(wholeDraw().pack(), 'statement-0.txt', (text) => text.replace('Nobody', 'Somebody')),
    ['forfeitures: statement-hash in statement-0.txt:0'],
  ],
  [
    'a prize for somebody else',
    () =>
      sealedDraw()
        .result()
        .add({ type: 'award', attempt: 0, number: LOSER })
        .checkpoint(DRAW + 10)
        .pack(),
    ['end: award-number in log.txt:20'],
  ],
  [
    'a forfeiture after the prize was given',
    () =>
      sealedDraw()
        .result()
        .award()
        .forfeit('staff', DRAW + 20)
        .checkpoint(DRAW + 20)
        .pack(),
    ['log: after-end in log.txt:21'],
  ],
  [
    'a cancellation once the winner is known',
    () => sealedDraw().add({ type: 'cancel', reason: 'shop' }).checkpoint(DRAW).pack(),
    ['end: cancelled-after-draw in log.txt:19'],
  ],
  [
    'a cancellation of a draw with a result',
    () => sealedDraw().result().add({ type: 'cancel', reason: 'shop' }).checkpoint(DRAW).pack(),
    ['log: order in log.txt:20'],
  ],
  [
    'a beacon that is called silent too soon',
    () =>
      sealedDraw()
        .add({ type: 'cancel', reason: 'beacon-silent' })
        .checkpoint(DRAW + 600)
        .pack(),
    ['end: silence-too-short in log.txt:19'],
  ],
  [
    'rows that are left although there are none',
    () =>
      sealedDraw()
        .add({ type: 'cancel', reason: 'no-entries' })
        .checkpoint(DRAW - 7200)
        .pack(),
    ['end: rows-left in log.txt:19'],
  ],
  [
    'a checkpoint of another tree',
    () => new TestDraw().checkpoint(1, { root: '00'.repeat(32) }).pack(),
    ['checkpoints: root in checkpoints.txt:3'],
  ],
  [
    'a checkpoint of more leaves than there are',
    () =>
      edited(new TestDraw().entry(1).checkpoint(1).pack(), 'log.txt', (log) =>
        log.slice(0, log.indexOf('\n') + 1),
      ),
    ['checkpoints: size-beyond-log in checkpoints.txt:2'],
  ],
  [
    'leaves that no checkpoint covers',
    () => new TestDraw().checkpoint(1).entry(1).pack(),
    ['checkpoints: log-not-covered in checkpoints.txt:1'],
  ],
  [
    'a checkpoint that is dated before the one before it',
    () => new TestDraw().checkpoint(2).entry(1).checkpoint(1).pack(),
    ['checkpoints: time-fell in checkpoints.txt:11'],
  ],
  [
    'a smaller checkpoint after a larger one',
    () => new TestDraw().entry(1).checkpoint(1).checkpoint(2, { size: 1 }).checkpoint(3).pack(),
    ['checkpoints: size-fell in checkpoints.txt:9'],
  ],
  [
    'a checkpoint of another contest',
    () =>
      edited(new TestDraw().checkpoint(1).pack(), 'checkpoints.txt', (text) =>
        text.replace('bleue', 'rouge'),
      ),
    ['checkpoints: origin in checkpoints.txt:1'],
  ],
  [
    'a checkpoint that another key has signed',
    () =>
      edited(new TestDraw().checkpoint(1).pack(), 'checkpoints.txt', (text) => text.replace('jhdG', 'AAAA')),
    ['checkpoints: signature-missing in checkpoints.txt:1'],
  ],
  [
    'a checkpoint with two signatures of the key',
    () =>
      edited(new TestDraw().checkpoint(1).pack(), 'checkpoints.txt', (text) =>
        text.replace(/(— .*\n)/, '$1$1'),
      ),
    ['checkpoints: signature-twice in checkpoints.txt:7'],
  ],
  [
    'a leaf of another contest',
    () =>
      edited(new TestDraw().entry(1).checkpoint(1).pack(), 'log.txt', (log) =>
        log.replace(/(entry-v1\t)berline/, '$1verline'),
      ),
    ['log: contest in log.txt:2', 'checkpoints: root in checkpoints.txt:3'],
  ],
  [
    'a rehearsal among the leaves',
    () =>
      edited(new TestDraw().entry(1).checkpoint(1).pack(), 'log.txt', (log) =>
        log.replace('volant-entry', 'rehearsal-volant-entry'),
      ),
    ['log: mixed-rehearsal in log.txt:2', 'checkpoints: root in checkpoints.txt:3'],
  ],
  [
    'a rehearsal as a draw',
    () =>
      new Map(wholeDraw({ rehearsal: true }).pack()).set(
        'README.txt',
        new TextEncoder().encode('volant-evidence-v1\n'),
      ),
    ['pack: tag in README.txt:1'],
  ],
  [
    'other terms than those of the log',
    () =>
      new Map(new TestDraw().checkpoint(1).pack()).set(
        'terms.txt',
        new TestDraw({ price: 400 }).pack().get('terms.txt')!,
      ),
    ['terms: file-hash in terms.txt:0'],
  ],
  [
    'a file that nobody knows',
    () => new Map(wholeDraw().pack()).set('result-01.txt', new Uint8Array()),
    ['pack: unknown-file in result-01.txt:0'],
  ],
  [
    'an empty log',
    () => new Map(new TestDraw().checkpoint(1).pack()).set('log.txt', new Uint8Array()),
    ['log: first-leaf in log.txt:1', 'checkpoints: size-beyond-log in checkpoints.txt:2'],
  ],
]

test.each(CHEATS)('%s is found', async (_, files, faults) => {
  const found = failures(await verifyDraw(files()))
  expect(found.slice(0, faults.length)).toEqual(faults)
})

function halfDraw(): TestDraw {
  return new TestDraw()
    .entry(7)
    .entry(9)
    .close()
    .list('list')
    .checkpoint(CLOSES + 1)
}
function sealedWith(change: Parameters<TestDraw['list']>[1]): DrawFiles {
  const draw = new TestDraw().entry(7).entry(LOSER).entry(9).void(9).close().list('list')
  return draw
    .checkpoint(CLOSES + 1)
    .list('seal', change)
    .checkpoint(DRAW - 7200)
    .pack()
}

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
    [late.pack(), ['chain-unknown', 'entries-after-list', 'seal-late', 'forfeit-late']],
    [
      new TestDraw()
        .close()
        .checkpoint(CLOSES + 61)
        .pack(),
      ['chain-unknown', 'close-late'],
    ],
    [
      new TestDraw().close().list('list').list('seal').checkpoint(CLOSES).pack(),
      ['chain-unknown', 'objections-short'],
    ],
    [silent.checkpoint(DRAW + 604_801).pack(), ['chain-unknown', 'entries-after-list', 'silence-claimed']],
    [
      new TestDraw().add({ type: 'cancel', reason: 'shop' }).checkpoint(DRAW).pack(),
      ['chain-unknown', 'cancel-late'],
    ],
    [
      sealedDraw()
        .checkpoint(OUT + 3600)
        .pack(),
      ['chain-unknown', 'entries-after-list'],
    ],
    [
      sealedDraw()
        .checkpoint(OUT + 3601)
        .pack(),
      ['chain-unknown', 'entries-after-list', 'result-overdue'],
    ],
    [
      sealedDraw()
        .result()
        .checkpoint(OUT)
        .checkpoint(OUT + 3601)
        .pack(),
      ['chain-unknown', 'entries-after-list'],
    ],
    [overdue.pack(), ['chain-unknown', 'entries-after-list', 'result-overdue']],
    [sameTicket.pack(), ['chain-unknown', 'same-commitment']],
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
    .checkpoint(DRAW - 9)
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

test('a void after the seal leaves the number among the rows of every attempt', async () => {
  const draw = sealedDraw()
    .void(LOSER)
    .checkpoint(DRAW - 9)
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
  const draw = new TestDraw().entry(7).void(7).close().list('list').checkpoint(CLOSES).list('seal')
  draw
    .checkpoint(CLOSES + 3600)
    .add({ type: 'cancel', reason: 'no-entries' })
    .checkpoint(DRAW - 7200)
  expect(failures(await verifyDraw(draw.pack()))).toEqual([])
  const last = new TestDraw()
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
  expect(outcomes(await verifyDraw(new TestDraw().entry(1).checkpoint(1).pack())).slice(4)).toEqual(
    ['list', 'seal', 'beacon', 'winner', 'forfeitures', 'end'].map((step) => `${step}: ${later}`),
  )
  expect(outcomes(await verifyDraw(sealedDraw().pack())).slice(4)).toEqual([
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
    ['list', 'seal', 'beacon', 'winner', 'forfeitures', 'end'].map((step) => `${step}: skipped, log`),
  )
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

test('files are read when they are needed, and progress is told', async () => {
  const pack = wholeDraw().pack()
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
  expect([...steps]).toEqual(['terms', 'log', 'checkpoints', 'list', 'forfeitures', 'beacon', 'winner'])
})
