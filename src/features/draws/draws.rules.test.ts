import { describe, expect, test } from 'vitest'
import { type DrawSituation, nextStep } from './draws.rules.ts'

const CLOSES = 1_800_000_000
const DRAW = CLOSES + 7_200 + 86_400 + 7_200
const LISTED = CLOSES + 2
const SEAL = DRAW - 7_200

const closed: DrawSituation = {
  state: 'closed',
  now: CLOSES,
  closes: CLOSES,
  draw: DRAW,
  objections: 86_400,
  sealMargin: 7_200,
  isClosed: false,
  held: 0,
  listedAt: null,
  roundAt: null,
}
const logged = { ...closed, isClosed: true }
const listed: DrawSituation = { ...logged, state: 'listed', listedAt: LISTED }
const sealed: DrawSituation = { ...listed, state: 'sealed', roundAt: DRAW }
const brief = { objections: 1 }
/** No second is left between end, objections, seal and draw. */
const tight = { draw: CLOSES + 86_400 + 7_200 }

describe('the next step of a draw', () => {
  test.each<[string, DrawSituation, ReturnType<typeof nextStep>]>([
    ['waits while tickets are sold', { ...closed, state: 'open' }, null],
    ['waits after a sale was stopped before its end', { ...closed, now: CLOSES - 1 }, null],
    ['closes the log at the end', closed, 'close'],
    ['lists once no payment is under way', logged, 'list'],
    ['waits for payments under way', { ...logged, held: 1, now: SEAL - 86_400 - 61 }, null],
    ['lists without them a minute before it must', { ...logged, held: 1, now: SEAL - 86_400 - 60 }, 'list'],
    ['waits for them until the end of a tight time', { ...logged, ...tight, held: 1, now: CLOSES }, 'list'],
    ['takes objections until shortly before the seal', { ...listed, now: SEAL - 61 }, null],
    ['seals a minute before it must', { ...listed, now: SEAL - 60 }, 'seal'],
    ['seals after the time for objections', { ...listed, listedAt: SEAL - 86_400, now: SEAL - 1 }, null],
    [
      'seals in time though objections are cut short',
      { ...listed, listedAt: SEAL - 43_200, now: SEAL },
      'seal',
    ],
    ['leaves half of the objections', { ...listed, listedAt: SEAL - 43_100, now: SEAL + 99 }, null],
    ['seals after that half', { ...listed, listedAt: SEAL - 43_100, now: SEAL + 100 }, 'seal'],
    [
      'seals in a later second than it lists',
      { ...listed, ...brief, listedAt: SEAL + 3, now: SEAL + 3.9 },
      null,
    ],
    ['seals until half of the margin is left', { ...listed, now: DRAW - 3_600.1 }, 'seal'],
    ['cancels with less of the margin', { ...listed, now: DRAW - 3_600 }, 'cancel'],
    ['lists while half of both is left', { ...logged, now: DRAW - 3_600 - 43_200.1 }, 'list'],
    ['cancels without a list by then', { ...logged, now: DRAW - 3_600 - 43_200 }, 'cancel'],
    ['cancels also when the log is not closed yet', { ...closed, now: DRAW }, 'cancel'],
    ['waits for the round', { ...sealed, now: DRAW - 0.1 }, null],
    ['draws with the round', { ...sealed, now: DRAW }, 'draw'],
    ['draws the alternate with its round', { ...sealed, state: 'drawn', now: DRAW }, 'draw'],
    ['is none once somebody won', { ...sealed, state: 'drawn', roundAt: null, now: DRAW }, null],
    ['is none of a cancelled contest', { ...closed, state: 'cancelled', now: DRAW }, null],
  ])('%s', (_, situation, step) => {
    expect(nextStep(situation)).toBe(step)
  })
})
