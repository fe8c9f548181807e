import { networkOf } from './network-address.ts'

const EVERY_MS = 60_000
/** Networks that are counted separately; further ones are counted together. */
const NETWORKS = 1_000
const OTHERS = 'others'

/**
 * Reports an event at most once a minute for each network: the first at once, the following as a count.
 * @param report writes one line, about so many events
 * @returns function to call with the sender's IP address
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
