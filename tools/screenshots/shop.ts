import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pino from 'pino'
import { createDemoAccount, createPasswords } from '#features/accounts/server/index.ts'
import { loadDemo } from '#features/demo/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { startThrowAwayPostgres } from '#platform/postgres/throw-away.ts'
import { buildApp } from '#server/build-app.ts'
import { readConfig } from '#server/config.ts'
import { registerPages } from '#server/pages/register-pages.ts'
import type { Language } from '#shared/languages.ts'
import { systemClock } from '#shared/clock.ts'
import { startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { freePort } from '../run/free-port.ts'

/** Passwords are hashed a few times only, and thrown away with the shop. */
const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 100 }
const SECRET = 'for a shop that lives as long as its pictures are taken'

/** Who looks at the shop. */
export const PEOPLE = ['newcomer', 'buyer', 'staff'] as const
export type Person = (typeof PEOPLE)[number]

export interface Tokens {
  access: string
  refresh: string
}

/** Who calls, and in which language; French when left out. */
export interface Caller {
  access?: string
  language?: Language
}

export type ShotShop = Awaited<ReturnType<typeof startShop>>

/** A shop with the demonstration's contests on a database of its own, which all goes away again. */
export async function startShop(projectDir: string) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant-shots-'))
  const server = await startThrowAwayPostgres({ projectDir, log: silentLog })
  await migrate({ url: server.url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
  const database = openDatabase({ url: server.url, max: 8, log: silentLog, applicationName: 'screenshots' })
  const passwords = createPasswords(CHEAP)
  await loadDemo({ db: database.db, passwords, dataDir, now: systemClock() })

  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const webhookUrl = `${publicUrl}/api/paypal/webhook/`
  const paypal = await startPaypalEmulator({ port: 0, webhookUrl })
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATA_DIR: dataDir,
    PAYPAL_BASE_URL: paypal.url,
    // Every state logs in from one address, some with a wrong password.
    LIMITS_FACTOR: '1000',
  })
  const log = pino({ level: 'silent' })
  const app = await buildApp({ config, secret: SECRET, db: database.db, log, passwords })
  await registerPages(app, { config })
  await app.listen({ port, host: '127.0.0.1' })

  const accounts = JSON.parse(readFileSync(path.join(dataDir, 'demo-accounts.json'), 'utf8')) as {
    customer: Login
    staff: Login
  }
  const newcomer = { email: 'alexandrine.vandenbroucke@example.com', password: 'Not-a-secret1!' }
  await createDemoAccount(database.db, passwords, {
    ...newcomer,
    username: 'alexandrine',
    phone: '+32471234567',
    language: 'fr',
  })
  const logins: Record<Person, Login> = { newcomer, buyer: accounts.customer, staff: accounts.staff }

  async function call<Body>(
    method: 'GET' | 'POST',
    url: string,
    caller?: Caller,
    payload?: object,
  ): Promise<Body> {
    const headers = {
      ...(caller?.access !== undefined && { authorization: `Bearer ${caller.access}` }),
      ...(caller?.language && { 'accept-language': caller.language }),
    }
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`)
    return answer.json() as Body
  }

  const signIn = ({ email, password }: Login): Promise<Tokens> =>
    call('POST', '/api/token/', undefined, { username: email, password })

  return {
    publicUrl,
    db: database.db,
    paypal,
    logins,
    call,
    /** A session of its own for each window, so that leaving one ends no other. */
    logIn: (person: Person): Promise<Tokens> => signIn(logins[person]),
    /** A session of somebody of that name, who registers in a language when there is nobody. */
    async logInAs(username: string, language: Language): Promise<Tokens> {
      const login = { email: `${username}@example.com`, password: newcomer.password }
      const known = await signIn(login).catch(() => undefined)
      if (known) return known
      const account = { ...login, username, phone_number: '+32471234567' }
      await call('POST', '/api/user/register/', { language }, account)
      return signIn(login)
    },
    async close(): Promise<void> {
      await app.close()
      await paypal.close()
      await database.close()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

interface Login {
  email: string
  password: string
}
