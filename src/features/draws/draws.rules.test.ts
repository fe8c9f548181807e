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
    ['seals in time even if objections are cut short', { ...listed, listedAt: SEAL - 9, now: SEAL }, 'seal'],
    ['seals in a later second than it lists', { ...listed, listedAt: SEAL + 3, now: SEAL + 3.9 }, null],
    ['seals until the draw', { ...listed, now: DRAW - 0.1 }, 'seal'],
    ['cancels at the draw instant without a seal', { ...listed, now: DRAW }, 'cancel'],
    ['cancels at the draw instant without a list', { ...closed, now: DRAW }, 'cancel'],
    ['waits for the round', { ...sealed, now: DRAW - 0.1 }, null],
    ['draws with the round', { ...sealed, now: DRAW }, 'draw'],
    ['draws the alternate with its round', { ...sealed, state: 'drawn', now: DRAW }, 'draw'],
    ['is none once somebody won', { ...sealed, state: 'drawn', roundAt: null, now: DRAW }, null],
    ['is none of a cancelled contest', { ...closed, state: 'cancelled', now: DRAW }, null],
  ])('%s', (_, situation, step) => {
    expect(nextStep(situation)).toBe(step)
  })
})
