import pg from 'pg'
import { databaseTrouble } from './database-errors.ts'

/** What a server must be, as libpq's `target_session_attrs` names it. */
const TARGETS: Readonly<Record<string, (isReadOnly: boolean) => boolean>> = {
  any: () => true,
  'read-write': (isReadOnly) => !isReadOnly,
  primary: (isReadOnly) => !isReadOnly,
  'read-only': (isReadOnly) => isReadOnly,
  standby: (isReadOnly) => isReadOnly,
}

/** A database's address, which may name several servers, as libpq's may. */
export interface DatabaseAddress {
  /** An address for the driver, one for each server. */
  urls: readonly [string, ...string[]]
  /** Whether a server will do: unless the address says otherwise a single one, and of several the one that takes writes. */
  accepts: (isReadOnly: boolean) => boolean
}

const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/
const PORT = /:(\d+)$/

/**
 * Reads `postgres://user@a:5432,b:5432/name?target_session_attrs=read-write`, or `?host=a,b&port=5432,5433`; undefined for
 * no address.
 */
export function readAddress(given: string): DatabaseAddress | undefined {
  const [, begin = '', authority = '', path = '', query = ''] = SHAPE.exec(given) ?? []
  const parameters = new URLSearchParams(query)
  const listed = parameters.get('host')
  const isListed = listed?.includes(',') === true
  const hosts = isListed ? listed.split(',') : authority.split(',')
  const target = parameters.get('target_session_attrs')
  const wanted = target ?? (hosts.length > 1 ? 'read-write' : 'any')
  const accepts = Object.hasOwn(TARGETS, wanted) ? TARGETS[wanted] : undefined
  const ports = portsOf(parameters.get('port') ?? (isListed ? PORT.exec(authority)?.[1] : undefined), hosts)
  if (!accepts || !ports) return undefined
  parameters.delete('target_session_attrs')
  if (hosts.length > 1) for (const name of ['host', 'port']) parameters.delete(name)
  const urls = hosts.map((host, index) => {
    const own = new URLSearchParams(parameters)
    const port = hosts.length > 1 ? ports[index] : undefined
    if (isListed) own.set('host', host)
    if (port !== undefined) own.set('port', port)
    const rest = own.size > 0 ? `?${own.toString()}` : ''
    return `${begin}${isListed ? 'listed' : host}${path}${rest}`
  })
  const [first, ...others] = hosts.length > 1 || target !== null ? urls : [given]
  const isWhole = first !== undefined && (hosts.length === 1 || hosts.every(Boolean))
  return isWhole && [first, ...others].every(isUrl) ? { urls: [first, ...others], accepts } : undefined
}

const isUrl = (text: string): boolean => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)

/** One port for all servers or one for each; undefined for another number of them. */
function portsOf(
  given: string | undefined | null,
  hosts: readonly string[],
): (string | undefined)[] | undefined {
  if (!given) return hosts.map(() => undefined)
  const ports = given.split(',')
  if (ports.length === 1) return hosts.map(() => ports[0])
  return ports.length === hosts.length ? ports : undefined
}

/** For people, without a password: `a:5432, b:5432`, or a socket's folder. @throws for no address */
export function describeHosts(given: string): string {
  const address = readAddress(given)
  if (!address) throw new Error('not the address of a database')
  const places = address.urls.map((url) => {
    const { host, searchParams } = new URL(url)
    const [listed, port] = [searchParams.get('host'), searchParams.get('port')]
    return listed === null ? host : `${listed}${port === null ? '' : `:${port}`}`
  })
  return places.join(', ')
}

interface Place {
  host: string
  port: number
}

const RESPONSE_WITHIN_MS = 3_000
/** PostgreSQL's code for a write to a server that takes none. */
const READ_ONLY = '25006'

/** The part of a connection that shows what its server is. */
type Connection = Pick<pg.Client, 'host' | 'port'> & {
  query: (text: string) => Promise<{ rows: { only: string }[] }>
}

async function mustAccept({ accepts }: DatabaseAddress, connection: Connection): Promise<void> {
  const shown = await connection.query(`select current_setting('transaction_read_only') as only`)
  if (!accepts(shown.rows[0]?.only === 'on')) throw new Unfit(`${connection.host}:${connection.port}`)
}

/** Asks all servers at once. @returns the first that will do @throws the error that explains most */
async function findServer(address: DatabaseAddress): Promise<Place> {
  const asked = address.urls.map(async (connectionString): Promise<Place> => {
    const limits = { connectionTimeoutMillis: RESPONSE_WITHIN_MS, query_timeout: RESPONSE_WITHIN_MS }
    const client = new pg.Client({ connectionString, ...limits })
    // A failing query reports the fault itself.
    client.on('error', () => {})
    try {
      await client.connect()
      await mustAccept(address, client)
      return { host: client.host, port: client.port }
    } finally {
      await client.end().catch(() => {})
    }
  })
  try {
    return await Promise.any(asked)
  } catch (error) {
    const reasons = (error as AggregateError).errors as [Error, ...Error[]]
    throw (
      reasons.find((one) => databaseTrouble(one) === undefined) ??
      reasons.find((one) => one instanceof Unfit) ??
      reasons[0]
    )
  }
}

class Unfit extends Error {
  readonly code = READ_ONLY
  constructor(server: string) {
    super(
      `the database server at ${server} is not of the kind that the address asks for (target_session_attrs)`,
    )
  }
}

/** Where connections go; shared by those of a pool, so that only the first, and one after a failure, asks all servers. */
export interface Servers {
  find: () => Promise<Place | undefined>
  /** @throws when a server that was reached is of another kind by now, as a former primary that came back. */
  check: (connection: Connection) => Promise<void>
  forget: () => void
}

export function serversOf(address: DatabaseAddress): Servers {
  let found: Promise<Place> | undefined
  return {
    find: async () => {
      if (address.urls.length === 1) return undefined
      found ??= findServer(address)
      found.catch(() => (found = undefined))
      return found
    },
    check: async (connection) => {
      if (address.accepts !== TARGETS['any']) await mustAccept(address, connection)
    },
    forget: () => (found = undefined),
  }
}
