import { networkOf } from './network-address.ts'

const EVERY_MS = 60_000
/** Networks that are counted separately. */
const NETWORKS = 1_000
const OTHERS = 'others'

/** Reports at most once a minute for each network: the first event at once, later ones as a count. */
export function throttledReport(report: (times: number) => void): (address: string) => void {
  /** Unreported events of each network with a report in the last minute. */
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
