/** Draws that cheat, for the tests of both verifiers. */
import { LIVE, TERMS, TestDraw, sealedDraw, wholeDraw } from './draw.test-support.ts'
import { leafText } from './leaves.ts'

type Pack = Map<string, Uint8Array>

const { closes: CLOSES, draw: DRAW, claim: CLAIM, alternateDelay: DELAY, notice: NOTICE } = TERMS
const NEXT = DRAW + 10 + CLAIM
const edited = (pack: Pack, file: string, edit: (text: string) => string): Pack => {
  const text = new TextDecoder().decode(pack.get(file))
  const changed = edit(text)
  if (changed === text) throw new Error(`nothing changed in ${file}`)
  return new Map(pack).set(file, new TextEncoder().encode(changed))
}
export const without = (draw: TestDraw, file: string): Pack => {
  const pack = draw.pack()
  if (!pack.delete(file)) throw new Error(`there is no ${file}`)
  return pack
}
/** Who wins the sealed draw in which the shop may decide no forfeiture, and a number that wins neither. */
export const STRICT_WINNER = sealedDraw({ alternatesDecided: 0 }).result().results[0]!.number
export const LOSER = 44

/** Draws with something false in them, and the first faults that a verifier must name. */
export const CHEATS: [what: string, files: () => Pack, faults: string[]][] = [
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
    'terms that are fixed once the sale is over',
    () => new TestDraw().checkpoint(CLOSES).pack(),
    ['seal: open-late in log.txt:1'],
  ],
  [
    'a chain of the shop’s own in a draw with a prize',
    () => new TestDraw({ demonstration: false }).checkpoint(1).pack(),
    ['terms: chain-unknown in terms.txt:16'],
  ],
  [
    'tickets given away in a draw with a prize',
    () => new TestDraw({ ...LIVE, kinds: ['paid', 'demo'] }).checkpoint(1).pack(),
    ['terms: words in terms.txt:6'],
  ],
  [
    'terms that let the shop void and cancel until the draw',
    () => new TestDraw({ ...LIVE, notice: 3599 }).checkpoint(1).pack(),
    ['terms: range in terms.txt:23'],
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
    ['winner: result-before-round in log.txt:19'],
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
    'a void of the winner later than the notice allows',
    () =>
      sealedDraw({ alternatesDecided: 0 })
        .void(STRICT_WINNER)
        .checkpoint(DRAW - NOTICE + 1)
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
        .checkpoint(DRAW - NOTICE)
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
    ['end: cancelled-late in log.txt:19'],
  ],
  [
    'a cancellation of a sealed draw later than the notice allows',
    () =>
      sealedDraw()
        .add({ type: 'cancel', reason: 'shop' })
        .checkpoint(DRAW - NOTICE + 1)
        .pack(),
    ['end: cancelled-late in log.txt:19'],
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
  ...['volant-evidence-v1\n\xFF\n', 'volant-evidence-v1\r\n', '\xEF\xBB\xBFvolant-evidence-v1\n'].map(
    (text, at): (typeof CHEATS)[number] => [
      `a README of other bytes (${at + 1})`,
      () =>
        new Map(wholeDraw().pack()).set(
          'README.txt',
          Uint8Array.from(text, (one) => one.charCodeAt(0)),
        ),
      [
        at === 0
          ? 'pack: character in README.txt:2'
          : at === 1
            ? 'pack: character in README.txt:1'
            : 'pack: tag in README.txt:1',
      ],
    ],
  ),
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

/** A contest up to the provisional list. */
export function halfDraw(): TestDraw {
  return new TestDraw()
    .entry(7)
    .entry(9)
    .checkpoint(CLOSES - 1)
    .close()
    .list('list')
    .checkpoint(CLOSES + 1)
}
function sealedWith(change: Parameters<TestDraw['list']>[1]): Pack {
  const draw = new TestDraw().entry(7).entry(LOSER).entry(9).void(9)
  return draw
    .checkpoint(CLOSES - 1)
    .close()
    .list('list')
    .checkpoint(CLOSES + 1)
    .list('seal', change)
    .checkpoint(DRAW - 7200)
    .pack()
}
