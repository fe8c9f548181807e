import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import path from 'node:path'
import { freePort } from '../run/free-port.ts'
import { selfSignedCertificate } from '../testbed/haproxy.ts'
import { pictureNamed, pictureNames } from '../../db/demo/pictures.ts'
import { type Testbed, startTestbed } from '../testbed/testbed.ts'
import { byLanguage } from '#shared/text-fields.ts'

const DAY_MS = 86_400_000

/** Views of cars that the demonstration brings, in the order in which the contests show them. */
const CARS = ['fastback', 'roadster', 'tourer', 'saloon', 'hatch', 'estate']

export type BenchShop = Awaited<ReturnType<typeof startBenchShop>>

/** Starts one process of a shop with the built pages and exactly that many open contests, each with pictures. */
export async function startBenchShop(offers: number, log: (line: string) => void) {
  log('Starting a shop to measure …')
  const testbed = await startTestbed({ name: 'bench', isDurable: false })
  let front: http2.Http2SecureServer | undefined
  const stop = async (): Promise<void> => {
    front?.close()
    await testbed.close()
  }
  try {
    const [certificate, securePort] = [certificateIn(testbed.folder), await freePort()]
    /** The shop behind TLS and HTTP/2; absent where there is no `openssl`. */
    const secureUrl = certificate && `https://localhost:${securePort}`
    const shop = await testbed.shop('shop', {
      LOG_LEVEL: 'error',
      LIMITS_FACTOR: '1',
      ...(secureUrl && { PUBLIC_URL: secureUrl }),
    })
    // A shop that finds contests loads no demonstration.
    const [first] = await contestsWithPictures(testbed, offers)
    const slug = first?.slug
    await shop.start()
    if (certificate) {
      const secure = secureFront(certificate, shop.port)
      front = secure
      await new Promise<void>((resolve) => secure.listen(securePort, '127.0.0.1', resolve))
    }
    return {
      url: shop.url,
      secureUrl,
      offerPath: `/offers/${slug}`,
      async signIn(): Promise<Record<string, string>> {
        const [customer] = await testbed.customers(1)
        return { access: customer!.access, refresh: customer!.refresh }
      },
      /** Customers with so many tickets each of a contest of their own. */
      async ticketHolders(count: number, each: number) {
        const { id: offer_id } = await testbed.newOffer(count * each)
        const customers = await testbed.customers(count)
        const rows = customers.flatMap(({ userId: user_id }, place) =>
          Array.from({ length: each }, (_, index) => ({
            id: randomUUID(),
            offer_id,
            user_id,
            number: place * each + index + 1,
            source: 'postal',
          })),
        )
        await testbed.db.insertInto('tickets').values(rows).execute()
        return customers.map(({ userId, access }) => ({
          access,
          tickets: rows.filter(({ user_id }) => user_id === userId).map((row) => row.id),
        }))
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Stores that many contests, each with pictures of the demonstration. */
export async function contestsWithPictures(
  { newOffer }: Pick<Testbed, 'newOffer'>,
  count: number,
): Promise<{ id: number; slug: string }[]> {
  const made: { id: number; slug: string }[] = []
  for (let number = 1; number <= count; number += 1) {
    const views = pictureNames.filter((name) => name.startsWith(`${CARS[number % CARS.length]}-`))
    const title = `Concours ${number}`
    const contest = await newOffer(
      1_000,
      {
        titles: { fr: title, nl: `Wedstrijd ${number}`, en: `Contest ${number}` },
        end_date: new Date(Date.now() + number * DAY_MS),
      },
      views.map((name) => ({ ...pictureNamed(name), alts: byLanguage(() => title) })),
    )
    made.push(contest)
  }
  return made
}

function certificateIn(folder: string): Buffer | undefined {
  try {
    return readFileSync(selfSignedCertificate(path.join(folder, 'tls')).withKey)
  } catch {
    return undefined
  }
}

/** What the proxy in front of a shop does: TLS and HTTP/2 outside, plain HTTP inside. */
function secureFront(certificate: Buffer, port: number): http2.Http2SecureServer {
  const agent = new http.Agent({ keepAlive: true })
  return http2.createSecureServer(
    { key: certificate, cert: certificate, allowHTTP1: true },
    (incoming, outgoing) => {
      const headers = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':'))
      const passed = http.request(
        { port, agent, method: incoming.method, path: incoming.url, headers: Object.fromEntries(headers) },
        (response) => {
          const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = response.headers
          outgoing.writeHead(response.statusCode ?? 502, kept)
          response.pipe(outgoing)
        },
      )
      passed.on('error', () => outgoing.destroy())
      incoming.pipe(passed)
    },
  )
}
