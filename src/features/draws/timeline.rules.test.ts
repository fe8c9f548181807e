import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClaimState } from './claims.rules.ts'
import type { DrawFacts } from './public-draws.contract.ts'
import {
  ALLOWED_SECONDS,
  type Durations,
  type TimelineFacts,
  type Step,
  delayOf,
  jobStep,
  nextStep,
  publicSteps,
  schedule,
  stepNamed,
  voucherOf,
  waitOf,
} from './timeline.rules.ts'

/** The contest ends at second 0 of these tests. */
const CLOSES = 1_800_000_000
const at = (seconds: number): Date => new Date((CLOSES + seconds) * 1000)
const seconds = (instant: number | null | undefined): number | null =>
  typeof instant === 'number' ? instant / 1000 - CLOSES : null

const TERMS: Durations = { objections: 86_400, seal_margin: 7_200, beacon_patience: 604_800, claim: 604_800 }
const DRAW = 7_200 + 86_400 + 7_200
const SEAL = DRAW - 7_200
const LIST = SEAL - 86_400

type Attempt = TimelineFacts['attempts'][number]
const round = (seconds: number): Attempt => ({ round_at: at(seconds), drawn: null })
const drawn = (seconds: number, change: Partial<Claim> | null = {}): Attempt => {
  const claim = { until: at(seconds + 4 + TERMS.claim), by_letter: false, claimed_at: null, ...change }
  return { round_at: at(seconds), drawn: { at: at(seconds + 4), claim: change && claim } }
}
type Claim = NonNullable<NonNullable<Attempt['drawn']>['claim']>

const open: TimelineFacts = {
  state: 'open',
  published_at: at(-900_000),
  closes_at: at(0),
  draw_at: at(DRAW),
  cancelled: null,
  provisional: null,
  attempts: [],
  held: 0,
}
const closed: TimelineFacts = { ...open, state: 'closed' }
const listed: TimelineFacts = { ...closed, state: 'listed', provisional: { at: at(2) } }
const sealed: TimelineFacts = {
  ...listed,
  state: 'sealed',
  sealed: { at: at(SEAL - 60) },
  attempts: [round(DRAW)],
}
const won: TimelineFacts = { ...sealed, state: 'drawn', attempts: [drawn(DRAW)] }
const alternate: TimelineFacts = {
  ...won,
  attempts: [drawn(DRAW), round(DRAW + 1_000_000)],
}
const awarded: TimelineFacts = {
  ...won,
  state: 'awarded',
  attempts: [drawn(DRAW, { claimed_at: at(DRAW + 99) })],
}

describe('the job', () => {
  /** No second is left between end, objections, seal and draw. */
  const tight = { draw_at: at(86_400 + 7_200) }
  const late = { ...listed, provisional: { at: at(SEAL - 43_200) } }
  const later = { ...listed, provisional: { at: at(SEAL - 43_100) } }
  const brief = { ...listed, provisional: { at: at(SEAL + 3) } }

  test.each<[string, TimelineFacts, now: number, ReturnType<typeof jobStep>, Partial<Durations>?]>([
    ['waits while tickets are sold', open, 0, null],
    ['waits after a sale was stopped before its end', closed, -1, null],
    ['lists once no payment is under way', closed, 0, 'list'],
    ['waits for payments under way', { ...closed, held: 1 }, LIST - 61, null],
    ['lists without them a minute before it must', { ...closed, held: 1 }, LIST - 60, 'list'],
    ['waits for them until the end of a tight time', { ...closed, ...tight, held: 1 }, 0, 'list'],
    ['takes objections until shortly before the seal', listed, SEAL - 61, null],
    ['seals a minute before it must', listed, SEAL - 60, 'seal'],
    ['seals after the time for objections', { ...listed, provisional: { at: at(LIST) } }, SEAL - 1, null],
    ['seals in time though objections are cut short', late, SEAL, 'seal'],
    ['leaves half of the objections', later, SEAL + 99, null],
    ['seals after that half', later, SEAL + 100, 'seal'],
    ['seals in a later second than it lists', brief, SEAL + 3.9, null, { objections: 1 }],
    ['seals in that second', brief, SEAL + 4, 'seal', { objections: 1 }],
    ['waits for the list that is not stored yet', { ...listed, provisional: null }, SEAL, null],
    ['seals until half of the margin is left', listed, DRAW - 3_600.1, 'seal'],
    ['cancels with less of the margin', listed, DRAW - 3_600, 'cancel'],
    ['lists while half of both is left', closed, DRAW - 3_600 - 43_200.1, 'list'],
    ['cancels without a list by then', closed, DRAW - 3_600 - 43_200, 'cancel'],
    ['waits for the round', sealed, DRAW - 0.1, null],
    ['draws with the round', sealed, DRAW, 'draw'],
    ['waits for the round of the alternate', alternate, DRAW + 999_999, null],
    ['draws the alternate with its round', alternate, DRAW + 1_000_000, 'draw'],
    ['waits for a round that nobody has fixed', { ...sealed, attempts: [] }, DRAW, null],
    ['does nothing once somebody won', won, DRAW + 99, null],
    ['does nothing once the prize is awarded', awarded, DRAW + 99, null],
    [
      'does nothing in a cancelled contest',
      { ...closed, state: 'cancelled', cancelled: { at: at(9) } },
      DRAW,
      null,
    ],
  ])('%s', (_, facts, now, step, change) => {
    const timeline = schedule({ ...TERMS, ...change }, facts, at(now))
    expect(jobStep(timeline, { ...facts, is_log_closed: true, now: at(now) })).toBe(step)
  })

  test.each([
    ['waits for its end', -1, null],
    ['closes it at the end', 0, 'close'],
    ['cancels when it is not closed yet', DRAW, 'cancel'],
  ] as const)('of a contest whose log is open %s', (_, now, step) => {
    expect(jobStep(schedule(TERMS, closed, at(now)), { ...closed, is_log_closed: false, now: at(now) })).toBe(
      step,
    )
  })
})

/** Each step at the last instant of its promise, in seconds: with its facts, and what console and pages say afterwards. */
const PROMISES: [Step['name'], TimelineFacts, by: number, wait: string, delay: string][] = [
  ['closes', open, ALLOWED_SECONDS, 'closing', 'close'],
  ['list', closed, LIST, 'list', 'list'],
  ['list', { ...closed, held: 3 }, LIST, 'payments', 'list'],
  ['seal', listed, SEAL, 'seal', 'seal'],
  // Its objections last longer than the seal may wait.
  ['seal', { ...listed, provisional: { at: at(SEAL - 43_200) } }, SEAL, 'seal', 'seal'],
  ['draw', sealed, DRAW + ALLOWED_SECONDS, 'beacon', 'beacon'],
  ['alternate', alternate, DRAW + 1_000_000 + ALLOWED_SECONDS, 'beacon', 'beacon'],
  ['claim', won, DRAW + 4 + TERMS.claim + ALLOWED_SECONDS, 'forfeiture', 'forfeiture'],
]

describe('late is', () => {
  test.each(PROMISES)('%s of %o %i s after the end', (name, facts, by, wait, delay) => {
    const claim = name === 'claim' ? 'expired' : null
    const said = (now: number) => ({
      late: schedule(TERMS, facts, at(now)).late,
      console: waitOf(TERMS, facts, at(now), claim),
      page: delayOf(schedule(TERMS, facts, at(now)), facts, false),
    })
    for (const before of [by - 1, by]) {
      expect(said(before)).toMatchObject({ late: null, console: { for: wait, is_late: false } })
      // Payments that keep the list waiting are told, and late with the list.
      expect(said(before).page).toBe(facts.held > 0 ? 'payments' : null)
    }
    for (const after of [0.001, 1, 86_400]) {
      const { late, ...both } = said(by + after)
      expect(late).toEqual({ delay, by: at(by).getTime(), seconds: after })
      expect(both).toMatchObject({ console: { for: wait, is_late: true }, page: delay })
    }
  })

  test('no list before the closing is, however tight the time', () => {
    const facts = { ...closed, draw_at: at(86_400 + 7_200) }
    expect(seconds(stepNamed(schedule(TERMS, facts, at(0)), 'list')?.planned)).toBe(0)
    expect(
      [0, ALLOWED_SECONDS, ALLOWED_SECONDS + 1].map((now) => schedule(TERMS, facts, at(now)).late?.delay),
    ).toEqual([undefined, undefined, 'list'])
    // And of a contest that is still open, its end.
    expect(schedule(TERMS, { ...facts, state: 'open' }, at(99_999)).late?.delay).toBe('close')
  })

  test.each([
    ['new terms', open, -900_000 + ALLOWED_SECONDS, false],
    ['terms', open, -900_000 + ALLOWED_SECONDS + 1, true],
    ['terms of a contest that is closed', closed, 99, true],
    ['no terms once the draw instant is over', closed, DRAW + 1, false],
    ['no terms without a draw', { ...open, draw_at: null }, -1, false],
    [
      'no terms of a contest that is cancelled',
      { ...open, state: 'cancelled', cancelled: { at: at(-9) } },
      0,
      false,
    ],
    ['no terms that nobody knows the age of', { ...open, published_at: null }, -1, false],
  ] as [string, TimelineFacts, number, boolean][])('%s', (_, facts, now, isLate) => {
    const timeline = schedule(null, facts, at(now))
    expect(timeline.late?.delay).toBe(isLate ? 'terms' : undefined)
    expect(delayOf(timeline, facts, false)).toBe(isLate ? 'terms' : null)
    expect(waitOf(null, facts, at(now), null).is_late).toBe(isLate)
  })

  test.each([
    [
      'a claim that waits for its letter',
      { ...won, attempts: [drawn(DRAW, { until: at(9_000_000), by_letter: true })] },
    ],
    ['a claim that is submitted', { ...won, attempts: [drawn(DRAW, { claimed_at: at(DRAW + 99) })] }],
    ['a prize that is awarded', awarded],
    ['anything of a cancelled contest', { ...closed, state: 'cancelled', cancelled: { at: at(9) } }],
    ['a draft', { ...open, state: 'draft', published_at: null }],
    ['a contest without any instant', { ...open, published_at: null, closes_at: null, draw_at: null }],
  ] as [string, TimelineFacts][])('not %s', (_, facts) => {
    const timeline = schedule(TERMS, facts, at(8_000_000))
    expect([timeline.late, delayOf(timeline, facts, false)]).toEqual([null, null])
  })

  test.each([
    ['open', open, -1, 'entries'],
    ['closed', closed, 9, 'entries'],
    // With the list come the entries.
    ['closed and late', closed, LIST + 1, 'entries'],
    ['listed', listed, 9, null],
  ] as const)('an entry that is missing in the log, of a contest that is %s', (_, facts, now, delay) => {
    expect(delayOf(schedule(TERMS, facts, at(now)), facts, true)).toBe(delay)
  })
})

describe('a draw waits', () => {
  const claimed = (more: Partial<Claim>): TimelineFacts => ({ ...won, attempts: [drawn(DRAW, more)] })
  const [NOW, UNTIL] = [DRAW + 99, DRAW + 4 + TERMS.claim]

  test.each<[wait: string, until: number | null, TimelineFacts, now: number, ClaimState?]>([
    ['draft', null, { ...open, state: 'scheduled' }, -9],
    ['noDraw', null, { ...open, draw_at: null }, -9],
    ['noDraw', null, { ...closed, draw_at: null }, 9],
    ['closing', 0, open, -60],
    ['closing', 0, closed, -60],
    ['list', LIST, closed, 30],
    ['payments', LIST, { ...closed, held: 2 }, 30],
    ['seal', SEAL, listed, 30],
    ['seal', SEAL, listed, SEAL - 61],
    ['round', DRAW, sealed, DRAW - 30],
    ['beacon', DRAW, sealed, DRAW],
    ['claim', null, { ...won, attempts: [] }, NOW],
    // Before it is opened, from the terms.
    ['claim', UNTIL, { ...won, attempts: [drawn(DRAW, null)] }, NOW],
    ['claim', UNTIL, won, NOW, 'open'],
    // What has a list is over, whatever its end says.
    ['claim', UNTIL, { ...won, closes_at: at(UNTIL) }, NOW, 'open'],
    ['letter', null, claimed({ by_letter: true }), NOW, 'open'],
    ['identity', null, claimed({ claimed_at: at(DRAW + 50) }), NOW, 'submitted'],
    ['award', null, claimed({ claimed_at: at(DRAW + 50) }), NOW, 'checked'],
    ['forfeiture', UNTIL, won, UNTIL, 'expired'],
    ['forfeiture', null, won, NOW, 'forfeited'],
    ['round', DRAW + 1_000_000, alternate, UNTIL, 'expired'],
    ['nothing', null, awarded, NOW, 'awarded'],
    ['nothing', null, { ...closed, state: 'cancelled', cancelled: { at: at(9) } }, NOW],
  ])('for %s until %s', (wait, until, facts, now, claim) => {
    expect(waitOf(TERMS, facts, at(now), claim ?? null)).toEqual({
      for: wait,
      until: until === null ? null : at(until),
      is_late: false,
    })
  })

  test.each([
    ['open', -9],
    ['closed', -9],
    ['closed', 9],
  ] as const)('for its terms while it is %s, %i s after its end', (state, now) => {
    const facts = { ...open, state, published_at: at(-30) }
    expect(waitOf(null, facts, at(now), null)).toEqual({ for: 'terms', until: null, is_late: false })
  })
})

describe('pages show', () => {
  const iso = (seconds: number): string => at(seconds).toISOString()
  const list = { hash: 'a', root: null, paid: 1, postal: 0, demo: 0, valid: 1, log_size: 2 }

  /** What the API says of these facts at a moment. */
  function described(facts: TimelineFacts, now: number, terms: Durations | null = TERMS): DrawFacts {
    const timeline = schedule(terms, facts, at(now))
    const text = (instant: Date | string): string => new Date(instant).toISOString()
    const { provisional, sealed: sealing, cancelled } = facts
    return {
      state: facts.state as DrawFacts['state'],
      published_at: text(facts.published_at!),
      closes_at: text(facts.closes_at!),
      stopped: facts.state === 'closed' && timeline.next?.name === 'closes',
      draw_at: facts.draw_at && text(facts.draw_at),
      terms: terms && { hash: 'd' },
      plan: terms && {
        list_by: iso(LIST),
        seal_at: iso(SEAL),
        objections_over: stepNamed(timeline, 'objections')?.state === 'done',
        ...terms,
      },
      log: null,
      provisional: provisional && { ...list, at: text(provisional.at) },
      sealed: sealing ? { ...list, root: 'e', at: text(sealing.at) } : null,
      attempts: facts.attempts.map(({ round_at, drawn: result }, attempt) => ({
        attempt,
        round: 1,
        round_at: text(round_at),
        forfeited: null,
        drawn: result && {
          at: text(result.at),
          relay: 'r',
          randomness: 'b',
          remaining: 1,
          tries: 1,
          value: 'c',
          index: 0,
          number: 7,
          winner: null,
          claim: result.claim && {
            until: text(result.claim.until),
            by_letter: result.claim.by_letter,
            claimed_at: result.claim.claimed_at && text(result.claim.claimed_at),
          },
        },
      })),
      cancelled: cancelled && { reason: 'shop', at: text(cancelled.at), words: '' },
      delay: delayOf(timeline, facts, false),
    }
  }

  test.each<[string, TimelineFacts, now: number, next: string, at: number]>([
    ['open', open, -9, 'closes', 0],
    ['closed', closed, 9, 'list', LIST],
    ['closed by the organiser before its end', closed, -9, 'closes', 0],
    ['listed', listed, 9, 'objections', 2 + 86_400],
    ['listed, when the time for objections is over', listed, 2 + 86_400, 'seal', SEAL],
    ['sealed', sealed, SEAL, 'draw', DRAW],
    ['drawn', won, DRAW + 9, 'claim', DRAW + 4 + TERMS.claim],
    [
      'drawn, before the claim is opened',
      { ...won, attempts: [drawn(DRAW, null)] },
      DRAW + 9,
      'claim',
      DRAW + 4 + TERMS.claim,
    ],
    ['drawn, with an alternate to come', alternate, DRAW + 999_999, 'alternate', DRAW + 1_000_000],
  ])('the next step of a draw that is %s', (_, facts, now, name, instant) => {
    const draw = described(facts, now)
    expect(nextStep(draw)).toMatchObject({ name, at: iso(instant), state: 'current' })
    // What was done, the next step, what follows.
    expect(
      publicSteps(draw)
        .map(({ state }) => state)
        .join(' '),
    ).toMatch(/^(done )+current( coming)*$/)
  })

  test('a prize that is claimed, and then handed over at an instant that nobody knows', () => {
    const claimed = described({ ...won, attempts: [drawn(DRAW, { claimed_at: at(DRAW + 50) })] }, DRAW + 99)
    expect(nextStep(claimed)).toBeUndefined()
    expect(publicSteps(claimed).slice(-2)).toMatchObject([
      { name: 'claim', at: iso(DRAW + 50), state: 'done' },
      { name: 'award', at: null, state: 'current' },
    ])
    expect(nextStep(described(awarded, DRAW + 99))).toBeUndefined()
  })

  test.each(PROMISES)('no countdown to an instant that is over: %s', (_, facts, by) => {
    expect(nextStep(described(facts, by))).toBeDefined()
    expect(nextStep(described(facts, by + 1))).toBeUndefined()
    expect(nextStep({ ...described(facts, by), delay: 'entries' })).toBeDefined()
  })

  test('the latest instants of planned lists, and of published ones their own', () => {
    const step = (facts: TimelineFacts, wanted: string) =>
      publicSteps(described(facts, 9)).find(({ name }) => name === wanted)
    expect(step(open, 'list')).toMatchObject({ at: iso(LIST), atLatest: true })
    expect(step(open, 'objections')).toMatchObject({ at: iso(SEAL), atLatest: true })
    expect(step(listed, 'list')).toMatchObject({ at: iso(2), state: 'done' })
    // A day after the list was published, not after it had to be.
    expect(step(listed, 'objections')).toMatchObject({ at: iso(2 + 86_400), atLatest: false })
    expect(step(sealed, 'seal')).toMatchObject({ at: iso(SEAL - 60), state: 'done' })
  })

  test('nothing that follows in a cancelled contest, whenever it is read', () => {
    const gone = (facts: TimelineFacts, when: number, now = when): string[] =>
      publicSteps(described({ ...facts, state: 'cancelled', cancelled: { at: at(when) } }, now)).map(
        ({ name, state }) => `${name} ${state}`,
      )
    const states = [
      'opened done',
      'closes done',
      'list done',
      'objections off',
      'seal off',
      'draw off',
      'claim off',
    ]
    for (const now of [9, 86_400 * 99]) expect(gone(listed, 9, now)).toEqual([...states, 'award off'])
    expect(gone(open, -9, DRAW)[1]).toBe('closes off')
    expect(
      nextStep(described({ ...listed, state: 'cancelled', cancelled: { at: at(9) } }, 9)),
    ).toBeUndefined()
  })

  test.each([null, at(DRAW)])('no steps of a draw without published terms (draw at %s)', (draw_at) => {
    const plain = described({ ...open, draw_at }, -9, null)
    expect(publicSteps(plain).map(({ name }) => name)).toEqual(['opened', 'closes'])
  })

  test('the same steps as the database’s clock sees, at any moment of any draw', () => {
    fc.assert(
      fc.property(anyDraw, ({ terms, facts, now }) => {
        const { steps } = schedule(terms, facts, at(now))
        const shown = publicSteps(described(facts, now, terms))
        expect(shown.map(({ name, state }) => `${name} ${state}`)).toEqual(
          steps.map(({ name, state }) => `${name} ${state}`),
        )
        expect(shown.map((step) => step.at)).toEqual(steps.map((step) => step.at))
      }),
      { numRuns: 500 },
    )
  })
})

/** A draw with the terms that it has, at a stage, at a moment around or long after it; some of it may have come late. */
const anyDraw = fc
  .record({
    terms: fc.record({
      objections: fc.integer({ min: 1, max: 200_000 }),
      seal_margin: fc.integer({ min: 1, max: 20_000 }),
      beacon_patience: fc.integer({ min: 1, max: 900_000 }),
      claim: fc.integer({ min: 1, max: 900_000 }),
    }),
    room: fc.integer({ min: 0, max: 20_000 }),
    delays: fc.tuple(...Array.from({ length: 6 }, () => fc.integer({ min: 1, max: 3_000 }))),
    stage: fc.constantFrom(
      'open',
      'closed',
      'listed',
      'sealed',
      'drawn',
      'claimed',
      'alternate',
      'awarded',
      'cancelled',
    ),
    held: fc.integer({ min: 0, max: 2 }),
    since: fc.integer({ min: -5_000, max: 1_000_000 }),
    byLetter: fc.boolean(),
  })
  .map(({ terms, room, delays, stage, held, since, byLetter }) => {
    const draw = room + terms.objections + terms.seal_margin
    const listedAt = delays[0]!
    const sealedAt = Math.max(listedAt + terms.objections, draw - terms.seal_margin - delays[1]!)
    const drawnAt = Math.max(draw, sealedAt) + delays[2]!
    const claimOf = (claimedAt: number | null): Claim => ({
      until: at(drawnAt + terms.claim),
      by_letter: byLetter,
      claimed_at: claimedAt === null ? null : at(claimedAt),
    })
    const first = (claimedAt: number | null): Attempt => ({
      round_at: at(draw),
      drawn: { at: at(drawnAt), claim: claimOf(claimedAt) },
    })
    const claimedAt = drawnAt + delays[3]!
    const stages: Record<string, [at: number, Partial<TimelineFacts>]> = {
      open: [-5_000, {}],
      closed: [0, {}],
      listed: [listedAt, {}],
      sealed: [sealedAt, { attempts: [round(draw)] }],
      drawn: [drawnAt, { attempts: [first(null)] }],
      claimed: [claimedAt, { state: 'drawn', attempts: [first(claimedAt)] }],
      alternate: [
        drawnAt + terms.claim,
        { state: 'drawn', attempts: [first(null), round(drawnAt + terms.claim + delays[4]!)] },
      ],
      awarded: [claimedAt, { attempts: [first(claimedAt)] }],
      cancelled: [delays[5]!, { cancelled: { at: at(delays[5]!) } }],
    }
    const [from, change] = stages[stage]!
    const now = from + Math.abs(since)
    const facts: TimelineFacts = {
      ...open,
      state: stage as TimelineFacts['state'],
      draw_at: at(draw),
      provisional: ['open', 'closed'].includes(stage) || from < listedAt ? null : { at: at(listedAt) },
      sealed: from < sealedAt || stage === 'cancelled' ? null : { at: at(sealedAt) },
      held: stage === 'closed' ? held : 0,
      ...change,
    }
    return { terms, facts, now: stage === 'closed' && since < 0 ? since : now, draw, room }
  })

describe('of any draw', () => {
  test('one step is next, what is before it is done, and what is late is not', () => {
    fc.assert(
      fc.property(anyDraw, ({ terms, facts, now }) => {
        const { steps, next, late } = schedule(terms, facts, at(now))
        const after = { cancelled: '( off)+', awarded: '' }[String(facts.state)] ?? ' current( coming)*'
        expect(steps.map(({ state }) => state).join(' ')).toMatch(new RegExp(`^done( done)*${after}$`))
        expect(next).toBe(steps.find(({ state }) => state === 'current'))
        const open = steps.filter(
          ({ state, by }) => (state === 'current' || state === 'coming') && by !== null,
        )
        // Of what is promised and not done, the first is late or nothing.
        const isOver = open[0] !== undefined && at(now).getTime() > open[0].by!
        expect(late).toEqual(
          isOver
            ? { delay: open[0]!.delay, by: open[0]!.by, seconds: (at(now).getTime() - open[0]!.by!) / 1000 }
            : null,
        )
        // And nothing is promised before it is planned.
        expect(steps.filter(({ by, planned }) => by !== null && by < planned!)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  test('the console calls late what the page calls late', () => {
    fc.assert(
      fc.property(anyDraw, ({ terms, facts, now }) => {
        const delay = delayOf(schedule(terms, facts, at(now)), facts, false)
        const { is_late: isLate } = waitOf(terms, facts, at(now), null)
        expect(isLate).toBe(delay !== null && delay !== 'payments')
      }),
      { numRuns: 1000 },
    )
  })

  test('what is late stays late, by as much more as time has passed', () => {
    fc.assert(
      fc.property(anyDraw, fc.integer({ min: 1, max: 99_999 }), ({ terms, facts, now }, more) => {
        const { late } = schedule(terms, facts, at(now))
        fc.pre(late !== null)
        const then = schedule(terms, facts, at(now + more)).late
        expect(then).toEqual({ ...late, seconds: late!.seconds + more })
      }),
      { numRuns: 1000 },
    )
  })

  test('a job that runs each second keeps every promise', () => {
    const ample = anyDraw.filter(({ room }) => room >= 4)
    fc.assert(
      fc.property(ample, fc.boolean(), ({ terms, draw }, isHeld) => {
        let facts: TimelineFacts = { ...closed, draw_at: at(draw), held: isHeld ? 1 : 0 }
        let now = 0
        const made: [string, number][] = []
        for (const goal of ['list', 'seal', 'draw'] as const) {
          const due = seconds(stepNamed(schedule(terms, facts, at(now)), goal)?.due)
          now = Math.max(now + 1, due ?? NaN)
          const timeline = schedule(terms, facts, at(now))
          expect(jobStep(timeline, { ...facts, is_log_closed: true, now: at(now) })).toBe(goal)
          expect(timeline.late).toBeNull()
          made.push([goal, now])
          facts =
            goal === 'list'
              ? { ...facts, state: 'listed', provisional: { at: at(now) } }
              : { ...facts, state: 'sealed', attempts: [round(draw)] }
        }
        const [list, seal] = made.map(([, when]) => when) as [number, number, number]
        expect(list).toBeLessThanOrEqual(draw - terms.seal_margin - terms.objections)
        expect(seal).toBeGreaterThanOrEqual(list + terms.objections)
        expect(seal).toBeLessThanOrEqual(draw - terms.seal_margin)
      }),
      { numRuns: 1000 },
    )
  })
})

const [BEFORE, ENDS, BETWEEN, DRAWN] = [1, 2, 3, 4].map((day) => `2026-12-0${day}T12:00:00.000Z`) as [
  string,
  string,
  string,
  string,
]

test.each([
  ['shop', 'where nobody is asked', 'open', null, false],
  ['waiting', 'before witnesses have signed', 'open', { opened: null, sealed: null }, false],
  ['witnesses', 'of terms in time', 'open', { opened: BEFORE, sealed: null }, false],
  ['shop', 'of terms that were confirmed at the end', 'closed', { opened: ENDS, sealed: null }, false],
  ['shop', 'of terms that nobody had confirmed by the end', 'closed', { opened: null, sealed: null }, false],
  ['waiting', 'of a list that is sealed just now', 'sealed', { opened: BEFORE, sealed: null }, true],
  ['witnesses', 'of both in time', 'sealed', { opened: BEFORE, sealed: BETWEEN }, true],
  ['shop', 'of a list that was confirmed at the draw', 'drawn', { opened: BEFORE, sealed: DRAWN }, true],
  [
    'shop',
    'of a list that nobody had confirmed by the draw',
    'drawn',
    { opened: BEFORE, sealed: null },
    true,
  ],
  [
    'shop',
    'when terms were late, however early the list',
    'drawn',
    { opened: BETWEEN, sealed: BETWEEN },
    true,
  ],
] as const)('%s vouches %s', (voucher, _, state, attested, isSealed) => {
  const sealed = isSealed ? ({} as DrawFacts['sealed']) : null
  expect(
    voucherOf({
      state,
      attested: attested && { ...attested, claimed: null },
      stamped: null,
      sealed,
      closes_at: ENDS,
      draw_at: DRAWN,
    }),
  ).toBe(voucher)
})

const IN_TIME = { opened: BEFORE, sealed: BETWEEN }

test.each([
  ['stamps', 'alone in time', 'open', null, { opened: BEFORE, sealed: null }, false],
  ['shop', 'alone and not there', 'open', null, { opened: null, sealed: null }, false],
  ['shop', 'of a list at the draw', 'drawn', null, { opened: BEFORE, sealed: DRAWN }, true],
  ['stamps', 'in time of a list', 'drawn', null, IN_TIME, true],
  ['stamps', 'in time when witnesses were late', 'drawn', { opened: ENDS, sealed: DRAWN }, IN_TIME, true],
  ['waiting', 'while witnesses can sign', 'open', { opened: null, sealed: null }, IN_TIME, false],
  ['witnesses', 'beside them', 'drawn', IN_TIME, IN_TIME, true],
] as const)('%s vouches with stamps %s', (voucher, _, state, attested, stamped, isSealed) => {
  const sealed = isSealed ? ({} as DrawFacts['sealed']) : null
  const times = { closes_at: ENDS, draw_at: DRAWN }
  expect(
    voucherOf({ state, attested: attested && { ...attested, claimed: null }, stamped, sealed, ...times }),
  ).toBe(voucher)
})
