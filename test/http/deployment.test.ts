import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { insertOffer } from '#features/offers/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { authority, bareMachine, canMakeMachines, knowHosts } from '../support/bare-machine.ts'
import { startMailServer } from '../support/mail-server.ts'
import { blocksOf } from '../support/pages.ts'
import { PATIENCE } from '../support/shop-process.ts'
import { specClient } from '../support/spec-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

const project = path.resolve(import.meta.dirname, '../..')

/** Values for the dots of the README. */
const OWN: Record<string, string> = {
  SECRET_KEY: 'a secret of the deployment test, long enough to sign with',
  LOG_KEY: '5e'.repeat(32),
  COMPANY_NUMBER: 'SC123456',
  CONTACT_EMAIL: 'help@shop-of-a-test.eu',
  PARTNER_EMAIL: 'partners@shop-of-a-test.eu',
  ALERT_EMAIL: 'operator@shop-of-a-test.eu',
  SMTP_URL: 'smtps://mail.shop-of-a-test.eu',
  PUBLIC_URL: 'https://shop-of-a-test.eu',
}
const HOSTS = ['shop-of-a-test.eu', 'mail.shop-of-a-test.eu', 'api-m.paypal.com']

/** The blocks of the page, by the beginning of one of their lines; each may be taken once. */
function blocks() {
  const left = blocksOf('docs/deployment.md').map((lines) => lines.map((line) => line.trim()))
  return {
    take(start: string): string[] {
      const at = left.findIndex((lines) => lines.some((line) => line.startsWith(start)))
      expect(at, start).not.toBe(-1)
      return left.splice(at, 1)[0]!
    },
    left: () => left.map(([first = '']) => first),
  }
}

/** Makes the release in a folder as the page says. @returns the name of its tarball */
function makeRelease(lines: readonly string[], folder: string): string {
  const env = { ...bareEnvironment(), HOME: folder, npm_config_cache: process.env['npm_config_cache'] }
  const here = lines.map((line) => line.replace(/<[^>]+>/, `file://${project}`)).join('\n')
  execFileSync('sh', ['-ec', here], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return globSync('*.tar.gz', { cwd: folder })[0]!
}

/** Ends TLS at an address, for a server of this test. */
async function endTls(host: string, port: number, to: number, pair: { cert: string; key: string }) {
  const server = tls.createServer(pair, (socket) => {
    const inner = net.connect(to, '127.0.0.1')
    for (const one of [socket, inner]) one.on('error', () => [socket, inner].forEach((end) => end.destroy()))
    socket.pipe(inner).pipe(socket)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test.runIf(isExtended && canMakeMachines())(
  'who follows docs/deployment.md on a bare Debian sells a ticket behind HAProxy',
  async () => {
    const folder = temporaryFolder('volant-deployment-')
    const page = blocks()
    const tarball = makeRelease(page.take('git clone'), folder)
    const name = /^volant-.*(?=-\w+-\w+\.tar\.gz$)/.exec(tarball)![0]
    const here = (line: string): string =>
      line
        .replace(/volant-[\w.]+-[0-9a-f]{8}-linux-x64\.tar\.gz/, tarball)
        .replace(/volant-[\w.]+-[0-9a-f]{8}/, name)
    const machine = await bareMachine(folder)
    const at = (file: string): string => path.join(machine.root, file)
    const type = (lines: readonly string[]): Promise<string> => machine.type(lines.map(here))
    /** A block of which some lines install packages, whose services Debian starts. */
    const install = async (lines: readonly string[], started = async (): Promise<void> => {}) => {
      const isPackage = (line: string): boolean => line.startsWith('apt-get')
      await machine.install(['apt-get update', ...lines.filter(isPackage)])
      await started()
      await type(lines.filter((line) => !isPackage(line)))
    }

    // Partners that the machine takes for real ones.
    const pair = await authority(path.join(folder, 'authority'), [...HOSTS, machine.address])
    const paypal = await startPaypalEmulator({
      port: 0,
      apiUrl: 'https://api-m.paypal.com',
      webhookUrl: `https://${HOSTS[0]}/api/paypal/webhook/`,
      clientId: 'PAYPAL_CLIENT_ID',
      clientSecret: 'PAYPAL_CLIENT_SECRET',
      webhookId: 'PAYPAL_WEBHOOK_ID',
    })
    onTestFinished(() => paypal.close())
    const mail = await startMailServer()
    onTestFinished(() => mail.close())
    await endTls(machine.ours, 443, Number(new URL(paypal.url).port), pair)
    await endTls(machine.ours, 465, mail.port, pair)
    const trusted = tls.getCACertificates('default')
    tls.setDefaultCACertificates([...trusted, pair.ca])
    onTestFinished(() => tls.setDefaultCACertificates(trusted))
    const [shopHost, ...partners] = HOSTS
    await knowHosts(machine, { [shopHost!]: machine.address })
    await knowHosts(machine, Object.fromEntries(partners.map((host) => [host, machine.ours])))
    await writeFile(at('etc/authority.pem'), pair.ca)

    await install(page.take('apt-get install -y postgresql'), async () => {
      await type(['pg_ctlcluster 15 main start'])
    })
    for (const file of [tarball, `${tarball}.sha256`])
      await copyFile(path.join(folder, file), at(`srv/shop/${file}`))
    await type(page.take('sha256sum --check'))
    for (const bundler of ['vite', 'rolldown', 'tailwindcss', 'react'])
      expect(existsSync(at(`srv/shop/releases/${name}/node_modules/${bundler}`))).toBe(false)
    await expect(type([`runuser -u volant -- ln -s / /srv/shop/other`])).rejects.toThrow('Permission denied')

    const live = blocksOf('README.md').find(([first]) => first === 'MODE=live')!
    const settings = live.map((line) =>
      line.replace(/^(\w+)=.*(…|example)$/, (_, setting: string) => `${setting}=${OWN[setting] ?? setting}`),
    )
    await writeFile(
      at('srv/shop/settings.env'),
      [...settings, ...page.take('DATABASE_URL=postgres://volant@')].join('\n'),
    )
    await type(page.take('chmod 600'))
    expect((await stat(at('srv/shop/settings.env'))).mode & 0o777).toBe(0o600)
    expect(await type(page.take('/srv/shop/releases/volant-'))).toContain('Going back')
    await type(page.take('mkdir -p /etc/credstore.encrypted'))
    expect(existsSync(at('srv/shop/settings.env'))).toBe(false)

    await writeFile(at('root/fullchain.pem'), pair.cert)
    await writeFile(at('root/privkey.pem'), pair.key)
    await install(page.take('apt-get install -y haproxy'))
    machine.start('sh -c "mkdir -p /run/haproxy && exec haproxy -W -db -f /etc/haproxy/haproxy.cfg"')

    // The only thing that differs from a machine of the internet: who vouches for its partners.
    await machine.startUnits({ NODE_EXTRA_CA_CERTS: '/etc/authority.pem', LOG_LEVEL: 'warn' })
    const shop = `https://${machine.address}`
    const statusOf = async (address: string): Promise<number> => (await fetch(shop + address)).status
    const areReady = async (): Promise<number> => {
      await machine.type([3001, 3002, 3011].map((port) => `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`))
      return statusOf('/api/health/ready')
    }
    await expect.poll(areReady, PATIENCE).toBe(200)
    for (const address of ['/', '/offers', '/admin/', '/verify.html', '/verify-draw.py', '/api/offers/'])
      expect(`${address} ${await statusOf(address)}`).toBe(`${address} 200`)

    const doctor = await machine.type([
      'export NODE_EXTRA_CA_CERTS=/etc/authority.pem',
      ...page.take('volant doctor').map((line) => `${line} || true`),
    ])
    expect(doctor.split('\n').filter((line) => line.startsWith('fault'))).toEqual([
      expect.stringMatching(/^fault +Backup: /),
    ])

    const register = async (email: string) => {
      const client = specClient(shop)
      const password = 'a password of the deployment test'
      const account = { username: email, email, password, phone_number: '+32470123456' }
      expect(await client.post('/api/user/register/', account)).toMatchObject({ status: 201 })
      expect(await client.login(email, password)).toMatchObject({ status: 200 })
      return client
    }
    await register('ada@shop.example')
    expect(await type(page.take('volant staff'))).toContain('ada@shop.example')
    const buyer = await register('buyer@shop.example')

    await type([`su postgres -c 'createuser --superuser root'`])
    const database = openDatabase({
      url: `postgres://root@localhost/volant?host=${at('run/postgresql')}`,
      max: 1,
      log: silentLog,
      applicationName: 'deployment test',
    })
    onTestFinished(() => database.close())
    const offer = await database.db.transaction().execute((trx) =>
      insertOffer(trx, {
        offer: {
          slug: 'the-first',
          titles: { fr: 'Le premier', nl: 'De eerste', en: 'The first' },
          price_cents: 490,
          total_tickets: 100,
          state: 'open',
          end_date: new Date(Date.now() + 86_400_000),
          number_key: Buffer.alloc(32, 7),
          choices: [],
          correct_choice: null,
        },
        pictures: [],
      }),
    )
    const cart = (await buyer.get('/api/cart/')).body[0].id as number
    expect((await buyer.post(`/api/cart/${cart}/add_item/`, { offer_id: offer, quantity: 2 })).status).toBe(
      200,
    )
    const ordered = await buyer.post('/api/paypal/create-order/', { country_code: 'BE' })
    expect(ordered.status).toBe(200)
    await paypal.approve(ordered.body.order_id)
    const paid = await buyer.post('/api/paypal/capture-payment/', { order_id: ordered.body.order_id })
    expect([paid.status, paid.body.tickets.length]).toEqual([200, 2])
    const receivers = (): string[] => mail.taken.flatMap(({ envelopeTo }) => envelopeTo)
    await expect.poll(receivers, PATIENCE).toContain('buyer@shop.example')

    await type(page.take('systemd-creds decrypt'))
    const decrypted = at('srv/shop/settings.env')
    expect((await stat(decrypted)).mode & 0o777).toBe(0o600)
    expect(await readFile(decrypted, 'utf8')).toMatch(/^MODE=live$/m)
    // Other tests have these: networks of proxies, and the setup under faults.
    expect(page.left().filter((first) => !first.includes('─'))).toEqual([
      expect.stringMatching(/^TRUST_PROXY=/),
      expect.stringMatching(/^npm run chaos/),
    ])
  },
  900_000,
)
