import { networkOf } from './network-address.ts'

const EVERY_MS = 60_000
/** Networks that are counted each by itself; further ones together, so that many senders cannot fill the memory. */
const NETWORKS = 1_000
const OTHERS = 'others'

/**
 * Has something that strangers can do as often as they like told once a minute for each network: the first time at once,
 * what follows as a number when the minute is over.
 * @param tell writes one line, about so many times
 * @returns to be called with the sender's IP address each time
 */
export function toldSeldom(tell: (times: number) => void): (address: string) => void {
  /** What was not told yet of each network that was told of within the last minute. */
  const untold = new Map<string, number>()

  const later = (network: string): void => {
    setTimeout(() => {
      const times = untold.get(network) ?? 0
      untold.delete(network)
      if (times === 0) return
      tell(times)
      begin(network)
    }, EVERY_MS).unref()
  }

  const begin = (network: string): void => {
    untold.set(network, 0)
    later(network)
  }

  return (address) => {
    const own = networkOf(address)
    const network = untold.has(own) || untold.size < NETWORKS ? own : OTHERS
    const times = untold.get(network)
    if (times !== undefined) return void untold.set(network, times + 1)
    begin(network)
    tell(1)
  }
}
