import { networkOf } from './network-address.ts'

const EVERY_MS = 60_000
/** Networks that are counted separately; further ones together, so that many senders cannot fill the memory. */
const NETWORKS = 1_000
const OTHERS = 'others'

/**
 * Reports something that anybody can do as often as they like once a minute for each network: the first time at once, the
 * following times as a count when the minute is over.
 * @param report writes one line, about so many times
 * @returns to be called with the sender's IP address each time
 */
export function throttledReport(report: (times: number) => void): (address: string) => void {
  /** Times not reported yet, of each network that was reported within the last minute. */
  const unreported = new Map<string, number>()

  function begin(network: string): void {
    unreported.set(network, 0)
    setTimeout(() => {
      const times = unreported.get(network) ?? 0
      unreported.delete(network)
      if (times === 0) return
      report(times)
      begin(network)
    }, EVERY_MS).unref()
  }

  return (address) => {
    const own = networkOf(address)
    const network = unreported.has(own) || unreported.size < NETWORKS ? own : OTHERS
    const times = unreported.get(network)
    if (times !== undefined) return void unreported.set(network, times + 1)
    begin(network)
    report(1)
  }
}
