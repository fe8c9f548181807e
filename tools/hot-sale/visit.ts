import { load } from '../bench/rates.ts'
import { type Bench, type Figures, PLENTY, whole } from './bench.ts'

const CONNECTIONS = 32

/** What the browser of a signed-in buyer asks for once its files are cached, beside the purchase itself. */
const callsOf = (slug: string): readonly { path: string; body?: object }[] => [
  { path: `/offers/${slug}` },
  { path: `/api/offers/${slug}/` },
  { path: '/api/user/profile/' },
  { path: '/api/cart/' },
  { path: '/api/orders/?confirming=true' },
  { path: '/cart' },
  { path: '/api/paypal/open-order/' },
  { path: '/api/cart/calculate_tax/', body: { subtotal: '4.90', country_code: 'BE' } },
  { path: '/profile/participations?success=true' },
  { path: '/api/tickets/' },
  // A file, and what everybody asks who waits in line.
  { path: '/icon.svg' },
  { path: `/api/offers/${slug}/waiting-room/` },
]

/** What each call of a visit costs, one kind after the other. */
export async function visit({ testbed, seconds, ...bench }: Bench): Promise<Figures> {
  const shop = await bench.shop()
  const { slug } = await testbed.newOffer(PLENTY)
  const [buyer] = await testbed.customers(1)
  const token = `authorization=Bearer ${buyer!.access}`
  const lines: string[][] = []
  for (const { path, body } of callsOf(slug)) {
    const options = [
      '-H',
      token,
      ...(body ? ['-m', 'POST', '-H', 'content-type=application/json', '-b', JSON.stringify(body)] : []),
    ]
    const run = (length: number) =>
      load(`http://127.0.0.1:${shop.doors[0]!.port}${path}`, {
        seconds: length,
        connections: CONNECTIONS,
        options,
      })
    await run(2)
    const before = [shop.processorSeconds(), testbed.databaseSeconds()]
    const { requests, latency, errors, non2xx } = await run(seconds)
    const after = [shop.processorSeconds(), testbed.databaseSeconds()]
    const each = (index: number): string =>
      (((after[index]! - before[index]!) * 1000) / requests.total).toFixed(2)
    lines.push([path, whole(requests.average), whole(latency.p99), each(0), each(1), whole(errors + non2xx)])
  }
  return {
    title: `the calls of a visit, ${CONNECTIONS} at once, one process of the shop`,
    head: ['call', 'a second', 'p99 ms', 'shop, ms', 'database, ms', 'failed'],
    lines,
  }
}
