import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { accessTokens } from '#features/accounts/server/index.ts'
import { socketUrl } from '#platform/postgres/database.ts'
import { freePort } from '../run/free-port.ts'
import { shopBehindProxy } from '../testbed/haproxy.ts'
import type { Program } from '../testbed/program.ts'
import type { Random } from '../../db/story/random.ts'
import { type Server, startTestbed } from '../testbed/testbed.ts'
import { faultProxy } from './fault-proxy.ts'

/** A customer who buys; the token is renewed before it expires. */
export interface Customer {
  userId: number
  cartId: number
  token(): Promise<string>
}

interface Shops {
  /** They respond to requests, and work in the background where no worker does. */
  web: Server[]
  workers: Server[]
  proxy?: Program
  /** Addresses that buyers and the provider use. */
  urls: string[]
}

export interface ChaosShopOptions {
  processes: number
  /** Separate roles behind HAProxy, with so many workers. */
  behindProxy?: { workers: number } | undefined
}

export type ChaosShop = Awaited<ReturnType<typeof startChaosShop>>

const SOCKET = '.s.PGSQL.5432'
const TOKEN_AGE_MS = 120_000
const DATABASE_WITHIN_MS = 60_000
/** Longer than HAProxy needs to notice that a process is stopping. */
const DRAIN_SECONDS = '4'

/** A running shop whose connections to its database and to the emulator go through fault proxies. */
export async function startChaosShop({ processes, behindProxy }: ChaosShopOptions, random: Random) {
  const testbed = await startTestbed({ name: 'chaos' })
  const { folder, db, secret, dataDir, keeper } = testbed
  mkdirSync(path.join(folder, 'proxy'))
  const toDatabase = await faultProxy(
    { path: path.join(folder, 'proxy', SOCKET) },
    { path: path.join(new URL(testbed.url).searchParams.get('host') ?? '', SOCKET) },
    random.fork('connection to the database'),
  )
  const providerPort = await freePort()
  const providerUrl = `http://127.0.0.1:${providerPort}`
  const env = {
    PAYPAL_BASE_URL: providerUrl,
    PAYPAL_TIMEOUT_MS: '2000',
    DATABASE_URL: socketUrl(path.join(folder, 'proxy'), { user: 'volant', database: 'volant' }),
  }
  const proxied =
    behindProxy && (await shopBehindProxy(testbed, behindProxy.workers, { ...env, DRAIN_SECONDS }))
  const shops: Shops = proxied
    ? { web: proxied.web, workers: proxied.workers, proxy: proxied.proxy, urls: [proxied.url] }
    : { web: [], workers: [], urls: [] }
  while (!proxied && shops.web.length < processes) {
    const shop = await testbed.shop(`shop-${shops.web.length + 1}`, env)
    shops.web.push(shop)
    shops.urls.push(shop.url)
  }
  const emulator = await testbed.emulator({
    // What the shops know it by: the far end of the fault proxy.
    API_URL: providerUrl,
    WEBHOOK_URL: `${shops.urls[0]}/api/paypal/webhook/`,
    ...(proxied && { NODE_EXTRA_CA_CERTS: proxied.certificate.file }),
    WEBHOOK_RETRY_MS: '250',
    HANG_MS: '2500',
    STATE_FILE: path.join(dataDir, 'emulator.json'),
  })
  const toEmulator = random.fork('connection to the provider')
  const toProvider = await faultProxy({ port: providerPort }, { port: emulator.port }, toEmulator)
  await emulator.start()
  for (const one of [...shops.web, ...shops.workers, ...(shops.proxy ? [shops.proxy] : [])]) await one.start()
  const tokens = accessTokens({ secret })
  let killed: number | undefined

  return {
    folder,
    db,
    keeper,
    shops,
    toDatabase,
    toProvider,
    emulatorUrl: emulator.url,
    newOffer: testbed.newOffer,
    restartKeeper: testbed.restartKeeper,
    unexpectedExits: testbed.unexpectedExits,

    /** Kills PostgreSQL's first process; its keeper starts another. */
    killPostgres(): void {
      killed = testbed.postmaster()
      process.kill(killed, 'SIGKILL')
    },
    /** Resolves when PostgreSQL responds, after a kill the next one. */
    async databaseResponds(): Promise<void> {
      const end = performance.now() + DATABASE_WITHIN_MS
      for (;;) {
        try {
          if (testbed.postmaster() === killed) throw new Error('PostgreSQL was not started again')
          await sql`SELECT 1`.execute(db)
          return
        } catch (error) {
          if (performance.now() > end) throw error
          await sleep(30)
        }
      }
    },

    async customers(count: number): Promise<Customer[]> {
      const made = await testbed.customers(count)
      return made.map(({ userId, cartId, sessionId, access }) => {
        let current = { at: performance.now(), token: access }
        return {
          userId,
          cartId,
          async token() {
            if (performance.now() - current.at > TOKEN_AGE_MS)
              current = { at: performance.now(), token: await tokens.issue({ userId, sessionId }) }
            return current.token
          },
        }
      })
    },

    async faults(change: Record<string, number>): Promise<void> {
      const response = await fetch(`${emulator.url}/_emulator/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      })
      if (!response.ok) throw new Error(`the emulator refused the faults: ${await response.text()}`)
    },

    /** @param keep leaves the database and the logs */
    async close(keep: boolean): Promise<void> {
      await testbed.close(keep)
      await toDatabase.close()
      await toProvider.close()
    },
  }
}
