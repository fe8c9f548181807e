import { seededRandom } from './ids.ts'

/** Rates are between 0 and 1; times are milliseconds. */
export type Faults = {
  /** A POST is carried out, then the connection is cut without an answer. */
  dropReplyAfterCommit: number
  /** Every API call waits a random time up to this. */
  delayMs: number
  /** A call is answered 500 or 503 before anything happens. */
  http5xx: number
  /** An event is delivered twice. */
  duplicateWebhooks: number
  /** An event is held back up to `reorderMs`, so that later ones overtake it. */
  reorderWebhooks: number
  reorderMs: number
  /** An event is never delivered (it can still be sent by hand). */
  missingWebhooks: number
  /** A capture stays PENDING. */
  pending: number
  /** Above 0: a capture made pending by a fault or by its buyer settles by itself after this time. */
  pendingSettleMs: number
  /** Of those, the share that is denied rather than completed. */
  pendingDenied: number
  /** A capture is refused with INSTRUMENT_DECLINED. */
  declined: number
  /** A capture takes another amount than the order says. */
  tamperAmount: number
}

const noFaults: Readonly<Faults> = Object.freeze({
  dropReplyAfterCommit: 0,
  delayMs: 0,
  http5xx: 0,
  duplicateWebhooks: 0,
  reorderWebhooks: 0,
  reorderMs: 2000,
  missingWebhooks: 0,
  pending: 0,
  pendingSettleMs: 0,
  pendingDenied: 0,
  declined: 0,
  tamperAmount: 0,
})

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

export type FaultDice = ReturnType<typeof createFaultDice>

/** The current faults with their dice. */
export function createFaultDice(initial: Partial<Faults>, seed: number) {
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
