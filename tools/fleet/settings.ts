import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The files that machines run, which are those an operator copies. */
export const FLEET_FILES = path.resolve(import.meta.dirname, '../../deploy/fleet')

const NETWORK = '10.77.0.'

export interface Place {
  name: string
  address: string
}

const place = (name: string, last: number): Place => ({ name, address: `${NETWORK}${last}` })

/** Where buyers, the proxy in front and the emulators are. */
export const HUB = place('hub', 1)
export const DATABASES = [place('db1', 11), place('db2', 12), place('db3', 13)] as const
export const SHOPS = [place('shop1', 21), place('shop2', 22)] as const

export interface Passwords {
  superuser: string
  replication: string
  shop: string
}

/** What differs between database machines, for Patroni: deploy/fleet/patroni.env. */
export const patroniEnv = ({ name, address }: Place, passwords: Passwords): Record<string, string> => ({
  PATRONI_NAME: name,
  PATRONI_ETCD_HOSTS: DATABASES.map((one) => `${one.address}:2379`).join(','),
  PATRONI_RESTAPI_LISTEN: `${address}:8008`,
  PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
  PATRONI_POSTGRESQL_LISTEN: `${address}:5432`,
  PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
  PATRONI_POSTGRESQL_DATA_DIR: '/var/lib/postgresql/15/volant',
  PATRONI_POSTGRESQL_PGPASS: '/var/lib/postgresql/.pgpass-patroni',
  PATRONI_SUPERUSER_PASSWORD: passwords.superuser,
  PATRONI_REPLICATION_PASSWORD: passwords.replication,
})

/** The same for etcd: deploy/fleet/etcd.env. */
export const etcdEnv = ({ name, address }: Place): Record<string, string> => ({
  ETCD_NAME: name,
  ETCD_DATA_DIR: '/var/lib/etcd/volant',
  ETCD_LISTEN_PEER_URLS: `http://${address}:2380`,
  ETCD_LISTEN_CLIENT_URLS: `http://${address}:2379`,
  ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${address}:2380`,
  ETCD_ADVERTISE_CLIENT_URLS: `http://${address}:2379`,
  ETCD_INITIAL_CLUSTER: DATABASES.map((one) => `${one.name}=http://${one.address}:2380`).join(','),
  ETCD_INITIAL_CLUSTER_STATE: 'new',
  ETCD_INITIAL_CLUSTER_TOKEN: 'volant',
  ETCD_ENABLE_V2: 'true',
})

/** Lines of deploy/fleet that set variables. */
export const exampleEnv = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(path.join(FLEET_FILES, file), 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** The database past pooler and proxy, as its clients may name it, too. */
export const directUrl = (user: string, password: string, database: string): string =>
  `postgres://${user}:${password}@${DATABASES.map((one) => `${one.address}:5432`).join(',')}/${database}` +
  '?target_session_attrs=read-write'

/** The database as the shop's processes reach it: their machine's PgBouncer. */
export const pooledUrl = (password: string): string => `postgres://volant:${password}@127.0.0.1:6432/volant`

/** A standby of it in the same way, for lists, reports and public pages. */
export const pooledReadUrl = (password: string): string =>
  `postgres://volant:${password}@127.0.0.1:6432/volant_read`

export const SCENARIOS = {
  kill: "kill -9 of the primary's machine",
  cut: 'the primary cut off from everybody',
  split: 'the primary cut off from the other two alone',
  disk: "the primary's disk full, patronictl after 5 s without sales",
  etcd: 'all of etcd killed and started again',
  pause: 'the leader paused for half a minute',
  standbys: 'both standbys killed, back after 15 s',
  draw: 'the primary killed as a contest is to be drawn',
  drawn: 'the primary killed as soon as the result is public',
} as const

export type Scenario = keyof typeof SCENARIOS

/** @returns undefined for a name that is none */
export function readScenarios(given: string | undefined): Scenario[] | undefined {
  const names = (given ?? Object.keys(SCENARIOS).join(',')).split(',')
  return names.every((name): name is Scenario => Object.hasOwn(SCENARIOS, name)) ? names : undefined
}

/** Longest time between two of these moments that touches the given span, in milliseconds. */
export function longestGap(moments: readonly number[], from: number, to: number): number {
  const inside = moments.filter((at) => at > from && at < to).toSorted((one, other) => one - other)
  const before = moments.filter((at) => at <= from)
  const marks = [before.length > 0 ? Math.max(...before) : from, ...inside, to]
  return Math.max(...marks.slice(1).map((at, index) => at - marks[index]!))
}
