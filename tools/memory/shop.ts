import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { SMTPServer } from 'smtp-server'
import { createPasswords } from '#features/accounts/server/index.ts'
import { releaseName } from '#server/release.ts'
import { createChain } from '../../emulators/drand/chain.ts'
import { defaults as beacon } from '../../emulators/drand/settings.ts'
import { contestsWithPictures } from '../bench/shop.ts'
import { respondsOk } from '../run/children.ts'
import { projectDir } from '../database/tool.ts'
import { stageRelease } from '../release/stage.ts'
import { freePort } from '../run/free-port.ts'
import { SHORT_DRAWS } from '../run/settings.ts'
import { program } from '../testbed/program.ts'
import { type Server, startTestbed } from '../testbed/testbed.ts'
import type { Measured } from './figures.ts'

const CONTESTS = 12

/** A process that is measured. */
export interface Role {
  role: 'web' | 'worker'
  server: Server
  measured: Measured
  /** Where it writes what its heap keeps. */
  report: string
}

export type MemoryShop = Awaited<ReturnType<typeof startMemoryShop>>

/**
 * A shop as it is deployed: a web process and a worker of their own, from a release; a mail server, the provider and the
 * beacon.
 */
export async function startMemoryShop(nodeArgs: readonly string[], env: Record<string, string>) {
  const loaded = path.join(import.meta.dirname, 'collect-garbage.mjs')
  const testbed = await startTestbed({
    name: 'memory',
    isDurable: false,
    nodeArgs: ['--import', loaded, ...nodeArgs],
  })
  const mail = await startMailSink()
  const close = async (): Promise<void> => {
    await testbed.close()
    await mail.close()
  }
  try {
    const { db } = testbed
    const release = path.join(testbed.folder, 'release')
    mkdirSync(release)
    stageRelease(projectDir, release, releaseName(), { hasDatabase: false })
    const metricsToken = randomBytes(18).toString('hex')
    const webPort = await freePort()
    const emulator = await testbed.emulator({
      WEBHOOK_URL: `http://127.0.0.1:${webPort}/api/paypal/webhook/`,
      KEEP_ORDERS: '5000',
    })
    const drandPort = await freePort()
    const drandUrl = `http://127.0.0.1:${drandPort}`
    const drand = testbed.track(
      program({
        name: 'drand',
        args: ['emulators/drand/main.ts'],
        env: { PORT: String(drandPort) },
        logFile: testbed.logFile('drand'),
        isReady: () => respondsOk(`${drandUrl}/_emulator/health`),
      }),
    )
    const { seed, genesis, period } = beacon
    const settings = {
      NODE_ENV: 'production',
      PUBLIC_URL: `http://127.0.0.1:${webPort}`,
      METRICS_TOKEN: metricsToken,
      LOG_LEVEL: 'info',
      SMTP_URL: mail.url,
      PAYPAL_BASE_URL: emulator.url,
      BEACON_URLS: drandUrl,
      BEACON_CHAIN: JSON.stringify(createChain({ seed, genesis, period }).pin),
      ...SHORT_DRAWS,
      ...env,
    }
    const describe = async (role: Role['role'], more: Record<string, string>) => {
      const report = path.join(testbed.folder, `${role}.json`)
      const server = await testbed.shop(
        role,
        { ...settings, MEMORY_REPORT: report, ROLES: role, ...more },
        path.join(release, 'tools/run-process.mjs'),
      )
      return { role, server, report }
    }
    const described = [await describe('worker', {}), await describe('web', { PORT: String(webPort) })]
    // A shop that finds contests loads no demonstration.
    const contests = await contestsWithPictures(testbed, CONTESTS)
    for (const program of [emulator, drand, ...described.map(({ server }) => server)]) await program.start()
    const roles = described.map(({ server, ...about }): Role => {
      const pid = server.pid()
      if (pid === undefined) throw new Error(`${server.name} does not run`)
      return { ...about, server, measured: { pid, url: server.url, metricsToken } }
    })
    const web = described[1]!.server

    return {
      testbed,
      emulator,
      web,
      contests,
      roles,
      emailsTaken: mail.taken,
      /** Signs an owner in. @returns the headers of the session */
      async signIn(): Promise<Record<string, string>> {
        const [customer] = await testbed.customers(1)
        const { email, userId } = customer!
        const password = `${randomBytes(9).toString('base64url')}-Va1!`
        const password_hash = await createPasswords().hash(password)
        await db.updateTable('users').set({ password_hash, role: 'owner' }).where('id', '=', userId).execute()
        const response = await fetch(`${web.url}/api/staff/session/`, {
          method: 'POST',
          headers: { origin: web.url, 'content-type': 'application/json' },
          body: JSON.stringify({ email, password }),
        })
        if (!response.ok)
          throw new Error(`signing in responded with ${response.status}: ${await response.text()}`)
        const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
        return { origin: web.url, cookie }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A mail server that takes every email and keeps none. */
async function startMailSink() {
  let taken = 0
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(line, _session, done) {
      taken += 1
      line.once('end', done).resume()
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken: () => taken,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
