import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { insertOffer } from '#features/offers/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { databaseClient } from '#platform/database-client.ts'
import { onceDatabaseResponds } from '#platform/database-errors.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { createChain } from '../../emulators/drand/chain.ts'
import { defaults as beacon } from '../../emulators/drand/settings.ts'
import { makeCustomers } from '../customers/make-customers.ts'
import { respondsOk } from '../run/children.ts'
import { SHORT_DRAWS } from '../run/settings.ts'
import { selfSignedCertificate } from '../testbed/haproxy.ts'
import { program, projectDir } from '../testbed/program.ts'
import { WIDE_LIMITS } from '../testbed/testbed.ts'
import { Machine, layNetwork, system } from './machines.ts'
import {
  DATABASES,
  FLEET_FILES,
  HUB,
  SHOPS,
  directUrl,
  etcdEnv,
  patroniEnv,
  pooledReadUrl,
  pooledUrl,
  type Place,
} from './settings.ts'

const [FRONT, EMULATOR, DRAND] = [8443, 3001, 3002]
const DISK = '700m'
const READY_WITHIN_MS = 120_000

/** Repeats until it is so. @throws after two minutes, saying what was waited for */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  withinMs = READY_WITHIN_MS,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
    await sleep(100)
  }
}

/** A member of the cluster, as Patroni tells. */
interface Member {
  name: string
  role: string
  state: string
}

const NEAR_STANDBYS = `SELECT count(*)::int AS near FROM pg_stat_replication
  WHERE state = 'streaming' AND pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) < 1000000`

export interface FleetOptions {
  /** Whether commits wait for no second machine, other than in the files: such a fleet loses sales. */
  isAsynchronous: boolean
  /** Whether the shop finds the primary by an address with all three, past pooler and proxy. */
  isDirect: boolean
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>

/**
 * Starts all machines in our own namespaces.
 * @param folder for data and logs, which goes away with the namespaces
 */
export async function startFleet(folder: string, { isAsynchronous, isDirect }: FleetOptions) {
  layNetwork()
  const secrets = Array.from({ length: 4 }, () => randomBytes(18).toString('hex'))
  const [superuser = '', replication = '', shop = '', metrics = ''] = secrets
  const passwords = { superuser, replication, shop }
  const logs = path.join(folder, 'log')
  mkdirSync(logs, { recursive: true })

  const patroni = readFileSync(path.join(FLEET_FILES, 'patroni.yml'), 'utf8')
  const config = isAsynchronous ? patroni.replaceAll(/(synchronous_mode\w*): true/g, '$1: false') : patroni
  /** Whether one leads and both others stream from it. */
  const isWhole = async (): Promise<boolean> => {
    const all = await members()
    const standbys = all.filter(({ role }) => role === (isAsynchronous ? 'replica' : 'sync_standby'))
    if (!all.some(isLeader) || standbys.length === 0) return false
    const client = databaseClient(directUrl('postgres', superuser, 'postgres'))
    await client.connect()
    try {
      const { rows } = await client.query<{ near: number }>(NEAR_STANDBYS)
      return rows[0]?.near === 2
    } finally {
      await client.end()
    }
  }
  const databases = DATABASES.map((place) => databaseMachine(place, folder, logs, config, passwords))
  for (const machine of databases) await machine.start()
  await until('a primary responds', async () => (await members()).some(isLeader))
  const admin = databaseClient(directUrl('postgres', superuser, 'postgres'))
  await admin.connect()
  await admin.query(`create role volant login password '${shop}'`)
  await admin.query('create database volant owner volant')
  await admin.end()
  await until('both standbys have everything', isWhole)

  const url = directUrl('volant', shop, 'volant')
  await migrate({ url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
  const database = openDatabase({ url, max: 4, log: silentLog, applicationName: 'volant fleet' })
  const { db } = database

  const secret = randomBytes(32).toString('base64')
  const certificate = selfSignedCertificate(path.join(folder, 'tls'))
  const publicUrl = `https://127.0.0.1:${FRONT}`
  const providerUrl = `http://${HUB.address}:${EMULATOR}`
  // Who approves and reads the ledger must come from the emulator's own machine.
  const emulatorUrl = `http://127.0.0.1:${EMULATOR}`
  const shopEnv = {
    HOST: '',
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: 'true',
    DATABASE_URL: isDirect ? url : pooledUrl(shop),
    DATABASE_READ_URL: isDirect ? `${url}?target_session_attrs=standby` : pooledReadUrl(shop),
    SECRET_KEY: secret,
    LOG_KEY: createHash('sha256').update(secret).digest('hex'),
    METRICS_TOKEN: metrics,
    LOG_LEVEL: 'info',
    ...WIDE_LIMITS,
    PAYPAL_BASE_URL: providerUrl,
    BEACON_URLS: `http://${HUB.address}:${DRAND}`,
    BEACON_CHAIN: JSON.stringify(
      createChain({ seed: beacon.seed, genesis: beacon.genesis, period: beacon.period }).pin,
    ),
    ...SHORT_DRAWS,
  }
  let offers = 0
  /** Repeats a question to the database until it gets a response. */
  const ask = <Result>(work: () => Promise<Result>): Promise<Result> => onceDatabaseResponds(silentLog, work)
  /** Stores a contest without a question. */
  async function newOffer(total: number, more: { end_date?: Date; draw_at?: Date } = {}) {
    offers += 1
    const slug = `fleet-${offers}`
    const offer = {
      slug,
      titles: { fr: slug },
      price_cents: 490,
      total_tickets: total,
      end_date: new Date(Date.now() + 86_400_000),
      number_key: createHash('sha256').update(slug).digest(),
      choices: [],
      ...more,
    }
    const id = await ask(() => db.transaction().execute((trx) => insertOffer(trx, { offer, pictures: [] })))
    return { id, slug }
  }
  // A shop that finds contests loads no demonstration.
  const wide = await newOffer(10_000_000)

  const server = (name: string, file: string, isReady: string, env: Record<string, string>) =>
    program({
      name,
      args: [file],
      env,
      logFile: path.join(logs, `${name}.log`),
      isReady: () => respondsOk(isReady),
    })
  await server('emulator', 'emulators/paypal/main.ts', `${emulatorUrl}/_emulator/health`, {
    PORT: String(EMULATOR),
    HOST: '0.0.0.0',
    API_URL: providerUrl,
    PUBLIC_URL: providerUrl,
    WEBHOOK_URL: `${publicUrl}/api/paypal/webhook/`,
    WEBHOOK_RETRY_MS: '500',
    KEEP_ORDERS: '1000000000',
    NODE_EXTRA_CA_CERTS: certificate.file,
  }).start()
  await server('drand', 'emulators/drand/main.ts', `http://${HUB.address}:${DRAND}/_emulator/health`, {
    PORT: String(DRAND),
    HOST: HUB.address,
  }).start()
  const shops = SHOPS.map((place) =>
    shopMachine(place, folder, logs, shop, { ...shopEnv, HOST: place.address }),
  )
  for (const machine of shops) await machine.start()
  const away = path.join(projectDir, 'deploy/haproxy')
  const [web1, web2] = SHOPS.map(({ address }) => `${address}:3000`)
  await program({
    name: 'HAProxy',
    command: 'haproxy',
    args: ['-db', '-f', path.join(away, 'haproxy.cfg')],
    env: {
      SHOP_TRIAL: 'yes',
      SHOP_AWAY: away,
      SHOP_HTTP: '127.0.0.1:8080',
      SHOP_HTTPS: `127.0.0.1:${FRONT}`,
      SHOP_CERTIFICATE: certificate.withKey,
      SHOP_WEB_1: web1 ?? '',
      SHOP_WEB_2: web2 ?? '',
    },
    logFile: path.join(logs, 'haproxy.log'),
    isReady: () => respondsOk(`${publicUrl}/api/health/ready`),
  }).start()
  await until('both web processes are ready', async () =>
    (
      await Promise.all(SHOPS.map(({ address }) => respondsOk(`http://${address}:3000/api/health/ready`)))
    ).every(Boolean),
  )

  const byName = (name: string): Machine => {
    const found = databases.find((one) => one.name === name)
    if (!found) throw new Error(`no machine ${name}`)
    return found
  }
  return {
    databases,
    db,
    secret,
    publicUrl,
    emulatorUrl,
    logs,
    wide,
    ask,
    newOffer,
    isWhole,
    customers: (count: number) => makeCustomers(db, count, { secret, passwordHash: 'none' }),
    /** The machine that has the leader's key. */
    async leader(): Promise<Machine> {
      let name: string | undefined
      await until(
        'there is a leader',
        async () => (name = (await members()).find(isLeader)?.name) !== undefined,
      )
      return byName(name ?? '')
    },
    /** Whether the other machines have another leader than that one. */
    async isReplaced({ name }: Machine): Promise<boolean> {
      const told = await members(DATABASES.filter((one) => one.name !== name))
      return told.some((one) => isLeader(one) && one.name !== name)
    },
    /** Folder of a machine's disk, on which PostgreSQL has its files. */
    diskOf: (machine: Machine): string => path.join(folder, machine.name, 'postgresql'),
    /**
     * How many statements of lists and public pages the web processes had read from a standby, and from the primary.
     */
    async reads(): Promise<{ replica: number; primary: number }> {
      const headers = { authorization: `Bearer ${metrics}` }
      const told = await Promise.all(
        SHOPS.map(async ({ address }) => (await fetch(`http://${address}:3000/metrics`, { headers })).text()),
      )
      const by = (server: string): number =>
        [...told.join('\n').matchAll(new RegExp(`volant_reads_total\\{server="${server}"\\} (\\d+)`, 'g'))]
          .map(([, count]) => Number(count))
          .reduce((sum, count) => sum + count, 0)
      return { replica: by('replica'), primary: by('primary') }
    },
    close: () => database.close(),
  }
}

const isLeader = ({ role, state }: Member): boolean => role === 'leader' && state === 'running'

/** What a machine that responds tells of the cluster. */
async function members(of: readonly Place[] = DATABASES): Promise<Member[]> {
  const asked = of.map(async ({ address }) => {
    const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2_000) })
    return ((await response.json()) as { members: Member[] }).members
  })
  return Promise.any(asked)
}

function databaseMachine(
  place: Place,
  folder: string,
  logs: string,
  patroni: string,
  passwords: Parameters<typeof patroniEnv>[1],
): Machine {
  const folderOf = (part: string): string => path.join(folder, place.name, part)
  const [disk, etcd, config] = [folderOf('postgresql'), folderOf('etcd'), folderOf('patroni')]
  for (const one of [disk, etcd, config]) mkdirSync(one, { recursive: true })
  writeFileSync(path.join(config, 'config.yml'), patroni)
  system('mount', '-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk)
  for (const one of [disk, etcd]) system('chown', 'postgres:postgres', one)
  return new Machine({
    ...place,
    folder: logs,
    empty: ['/run/postgresql'],
    sysctl: path.join(FLEET_FILES, 'sysctl.conf'),
    mounts: { '/var/lib/postgresql': disk, '/var/lib/etcd': etcd, '/etc/patroni': config },
    programs: [
      { name: 'etcd', command: ['etcd'], env: etcdEnv(place), user: 'postgres' },
      {
        name: 'patroni',
        command: ['patroni', '/etc/patroni/config.yml'],
        env: { ...patroniEnv(place, passwords), HOME: '/var/lib/postgresql' },
        user: 'postgres',
      },
    ],
  })
}

function shopMachine(
  place: Place,
  folder: string,
  logs: string,
  password: string,
  env: Record<string, string>,
): Machine {
  const pooler = path.join(folder, place.name, 'pgbouncer')
  mkdirSync(pooler, { recursive: true })
  copyFileSync(path.join(FLEET_FILES, 'pgbouncer.ini'), path.join(pooler, 'pgbouncer.ini'))
  writeFileSync(path.join(pooler, 'userlist.txt'), `"volant" "${password}"\n`)
  const run = (role: string, port: string) => ({
    name: role,
    command: [process.execPath, path.join(projectDir, 'src/server/main.ts')],
    env: { ...env, ROLES: role, PORT: port, DATA_DIR: path.join(folder, place.name, role) },
  })
  return new Machine({
    ...place,
    folder: logs,
    mounts: { '/etc/pgbouncer': pooler },
    programs: [
      {
        name: 'haproxy',
        command: ['haproxy', '-db', '-f', path.join(FLEET_FILES, 'haproxy-database.cfg')],
        env: {},
      },
      {
        name: 'pgbouncer',
        command: ['pgbouncer', '/etc/pgbouncer/pgbouncer.ini'],
        env: {},
        user: 'postgres',
      },
      run('web', '3000'),
      run('worker', '3011'),
    ],
  })
}
