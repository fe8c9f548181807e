import * as z from 'zod'
import { fetchFault } from '#platform/http/fetch-fault.ts'
import { readAtMost } from '#platform/http/read-at-most.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import type { BeaconChain } from './chains.ts'
import { isSignatureOf, randomnessOf } from './verify-round.ts'

export interface BeaconSettings {
  chain: BeaconChain
  /** Addresses without a slash at the end, tried in this order. */
  relays: readonly string[]
  /** For the whole response of one relay. */
  timeoutMs: number
}

/**
 * `notYet`: the round is in the future, or relays say so. `unavailable`: no response, or a refusal. `invalid`: a
 * response that is not the round with the chain's signature.
 */
export type BeaconFault = 'notYet' | 'unavailable' | 'invalid'

/** Why a relay's response was of no use, for the log. */
export interface RelayFault {
  relay: string
  fault: BeaconFault
  detail: string
  /** Whether there was a response at all; a false one counts, too. */
  isResponse: boolean
}

export interface BeaconRound {
  round: number
  /** Verified against the chain's key. */
  signature: string
  /** SHA-256 of the signature, computed here. */
  randomness: string
  relay: string
  /** Relays that were asked before, in vain. */
  faults: readonly RelayFault[]
}

/** No relay gave the round. */
export class BeaconError extends Error {
  override readonly name = 'BeaconError'
  readonly fault: BeaconFault
  /** What each relay did; empty when none was asked, because the round is in the future. */
  readonly faults: readonly RelayFault[]

  constructor(round: number, fault: BeaconFault, faults: readonly RelayFault[]) {
    super(`Round ${round} of the beacon: ${fault}`)
    this.fault = fault
    this.faults = faults
  }
}

export interface BeaconClient {
  readonly chain: BeaconChain
  /** @throws BeaconError, or the reason of `signal` */
  round(round: number, options?: RoundOptions): Promise<BeaconRound>
}

interface RoundOptions {
  signal?: AbortSignal
  /** The time by the clock that judges whether the round is due; this machine's when left out. */
  now?: Date
}

/** More than twice the length of a real response. */
const RESPONSE_MAX_BYTES = 1_024

/** Further fields are left alone, among them the relay's own idea of the randomness. */
const RoundResponse = z.object({ round: z.int().positive(), signature: z.string().regex(/^[0-9a-f]{96}$/) })

/** Asks relays, one after the other, for rounds of one chain. It trusts none of them. */
export function beaconClient(
  { chain, relays, timeoutMs }: BeaconSettings,
  clock: Clock = systemClock,
): BeaconClient {
  const timeOf = (round: number): number => (chain.genesis + (round - 1) * chain.period) * 1000

  async function ask(relay: string, round: number, signal: AbortSignal): Promise<string | Said> {
    let response: Response
    let text: string | undefined
    try {
      response = await fetch(`${relay}/${chain.hash}/public/${round}`, { signal, redirect: 'manual' })
      text = (await readAtMost(response, RESPONSE_MAX_BYTES))?.toString('utf8')
    } catch (error) {
      return { ...said('unavailable', fetchFault(error, timeoutMs)), isResponse: false }
    }
    if (response.status === 404 || response.status === 425) return said('notYet', `status ${response.status}`)
    if (response.status !== 200) return said('unavailable', `status ${response.status}`)
    if (text === undefined) return said('invalid', `more than ${RESPONSE_MAX_BYTES} bytes`)
    const parsed = RoundResponse.safeParse(jsonOf(text))
    if (!parsed.success) return said('invalid', 'not an answer of a beacon')
    if (parsed.data.round !== round) return said('invalid', `round ${parsed.data.round}`)
    const { signature } = parsed.data
    return isSignatureOf(chain, round, signature) ? signature : said('invalid', 'another signature')
  }

  return {
    chain,
    async round(round, { signal, now = clock() } = {}) {
      if (!Number.isSafeInteger(round) || round < 1) throw new RangeError(`no round: ${round}`)
      if (now.getTime() < timeOf(round)) throw new BeaconError(round, 'notYet', [])
      const faults: RelayFault[] = []
      for (const relay of relays) {
        signal?.throwIfAborted()
        const limit = AbortSignal.timeout(timeoutMs)
        const response = await ask(relay, round, signal ? AbortSignal.any([signal, limit]) : limit)
        signal?.throwIfAborted()
        if (typeof response === 'string')
          return { round, signature: response, randomness: randomnessOf(response), relay, faults }
        faults.push({ relay, ...response })
      }
      // A false response weighs more than one that is missing.
      const worst = (['invalid', 'notYet'] as const).find((one) => faults.some(({ fault }) => fault === one))
      throw new BeaconError(round, worst ?? 'unavailable', faults)
    },
  }
}

type Said = Omit<RelayFault, 'relay'>
const said = (fault: BeaconFault, detail: string): Said => ({ fault, detail, isResponse: true })

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `fetch` hides the code of a failed connection in the cause. */
