import { seededRandom } from './ids.ts'

/** No fault at all. Rates are between 0 and 1; times are milliseconds. */
const noFaults = {
  dropReplyAfterCommit: 0, // a POST is carried out, then the connection is cut without a response
  delayMs: 0, // longest random delay of an API call
  http5xx: 0, // a call gets 500 or 503 before anything happens
  duplicateWebhooks: 0, // an event is delivered twice
  reorderWebhooks: 0, // an event is delayed up to `reorderMs`, so that later ones overtake it
  reorderMs: 2000,
  missingWebhooks: 0, // an event is never delivered (it can still be sent by hand)
  pending: 0, // a capture stays PENDING
  pendingSettleMs: 0, // above 0: a pending capture settles by itself after this time
  pendingDenied: 0, // share of those that are denied rather than completed
  declined: 0, // a capture is refused with INSTRUMENT_DECLINED
  tamperAmount: 0, // a capture takes another amount than the order has
}
export type Faults = typeof noFaults

export const faultNames = Object.keys(noFaults) as (keyof Faults)[]

const largestTime = 600_000

/** Checks a partial set of faults and lists everything wrong with it, by name. */
export function readFaults(input: unknown): { faults: Partial<Faults>; seed?: number; wrong: string[] } {
  const wrong: string[] = []
  const faults: Partial<Faults> = {}
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { faults, wrong: ['faults: expected an object such as {"http5xx": 0.2}'] }
  }
  let seed: number | undefined
  for (const [name, value] of Object.entries(input)) {
    const known = faultNames.find((candidate) => candidate === name)
    if (name === 'seed') {
      if (Number.isSafeInteger(value)) seed = value as number
      else wrong.push('seed: expected a whole number')
    } else if (!known) {
      wrong.push(`${name}: unknown; known are ${faultNames.join(', ')}, seed`)
    } else {
      const top = known.endsWith('Ms') ? largestTime : 1
      if (typeof value === 'number' && value >= 0 && value <= top) faults[known] = value
      else wrong.push(`${name}: expected a number from 0 to ${top}`)
    }
  }
  return { faults, wrong, ...(seed === undefined ? {} : { seed }) }
}

export type FaultInjector = ReturnType<typeof createFaultInjector>

/** Decides by a seeded random generator which calls fail. */
export function createFaultInjector(initial: Partial<Faults>, seed: number) {
  let current: Faults = { ...noFaults, ...initial }
  let seeded = seed
  let random = seededRandom(seed)
  return {
    current: (): Faults => current,
    seed: (): number => seeded,
    change(change: Partial<Faults>, newSeed?: number): Faults {
      current = { ...current, ...change }
      if (newSeed !== undefined) {
        seeded = newSeed
        random = seededRandom(newSeed)
      }
      return current
    },
    clear(): void {
      current = { ...noFaults }
    },
    /** True with the probability of the named rate; a rate of 0 draws nothing. */
    hits(name: keyof Faults): boolean {
      const rate = current[name]
      return rate > 0 && random() < rate
    },
    upTo: (limit: number): number => Math.floor(random() * limit),
  }
}
