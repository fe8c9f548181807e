import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { siteOf } from '#platform/limits/network-address.ts'
import { Refusal } from '#shared/refusal.ts'

interface HashQueueOptions {
  concurrent: number
  /** Callers that may wait; the next one is refused. */
  waiting: number
}

interface HashCost {
  memoryKiB: number
  passes: number
  parallelism: number
}

export type PasswordSettings = HashQueueOptions & HashCost

/** Above the OWASP minimum (19 MiB, 2 passes); one hash takes 50 to 65 ms on a small server. */
export const PASSWORD_SETTINGS: PasswordSettings = {
  memoryKiB: 32_768,
  passes: 2,
  parallelism: 1,
  concurrent: 2,
  waiting: 20,
}

interface Requester {
  /** IP address of the connection; networks take turns. */
  address?: string
}

export interface Passwords {
  hash(password: string, requester?: Requester): Promise<string>
  /** Takes the same time without a stored hash, so that nobody learns who has an account. */
  verify(
    password: string,
    stored: string | undefined,
    requester?: Requester,
  ): Promise<{ right: boolean; outdated: boolean }>
}

interface Digest extends HashCost {
  salt: Buffer
  hash: Buffer
}

const SALT_BYTES = 16
const HASH_BYTES = 32
/** PHC string format, as other Argon2 libraries read and write it. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

export const computeArgon2 = promisify(argon2)

/** Hashes and compares passwords with Argon2id, a few at a time. Refuses with 429 when too many wait. */
export function createPasswords(
  settings: PasswordSettings = PASSWORD_SETTINGS,
  argon2id: typeof computeArgon2 = computeArgon2,
): Passwords {
  const queue = hashQueue(settings)
  const { memoryKiB, passes, parallelism } = settings
  const placeholder: Digest = {
    memoryKiB,
    passes,
    parallelism,
    salt: randomBytes(SALT_BYTES),
    hash: randomBytes(HASH_BYTES),
  }

  return {
    async hash(password, requester) {
      const digest: Digest = { ...placeholder, salt: randomBytes(SALT_BYTES) }
      return encode({
        ...digest,
        hash: await queue(lineOf(requester), () => compute(argon2id, password, digest)),
      })
    },
    async verify(password, stored, requester) {
      const known = stored === undefined ? undefined : decode(stored)
      const digest = known ?? placeholder
      const hash = await queue(lineOf(requester), () => compute(argon2id, password, digest))
      const right = timingSafeEqual(hash, digest.hash) && known !== undefined
      return { right, outdated: right && !costsTheSame(digest, settings) }
    },
  }
}

const lineOf = ({ address }: Requester = {}): string => (address === undefined ? '' : siteOf(address))

/** Operating systems differ in the Unicode form of a typed password; NFKC makes them equal. */
const compute = (
  argon2id: typeof computeArgon2,
  password: string,
  { memoryKiB, passes, parallelism, salt, hash }: Digest,
): Promise<Buffer> =>
  argon2id('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    memory: memoryKiB,
    passes,
    parallelism,
    tagLength: hash.length,
  })

const costsTheSame = (digest: HashCost, settings: HashCost): boolean =>
  digest.memoryKiB === settings.memoryKiB &&
  digest.passes === settings.passes &&
  digest.parallelism === settings.parallelism

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const encode = ({ memoryKiB, passes, parallelism, salt, hash }: Digest): string =>
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`

function decode(stored: string): Digest | undefined {
  const parts = PHC.exec(stored)
  if (!parts) return undefined
  const [, memory, passes, parallelism, salt = '', hash = ''] = parts
  return {
    memoryKiB: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

/** Runs expensive work a few at a time, by network in turn. */
export type HashQueue = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>

/** By then a full queue is empty. */
const RETRY_SECONDS = 2

interface Waiter {
  begin: () => void
  refuse: (refusal: Refusal) => void
}

/**
 * Caps the machine's share for hashing, so that a login storm cannot slow the shop. Networks take turns; in a full
 * queue a newcomer replaces the last caller of the longest line. Fixed places per network would not help: a few
 * networks could still fill the queue, and an office would wait beside empty places.
 */
export function hashQueue({ concurrent, waiting }: HashQueueOptions): HashQueue {
  /** By network, the next one first; no line is empty. */
  const lines = new Map<string, Waiter[]>()
  let queued = 0
  let running = 0

  function join(network: string): Promise<void> {
    if (queued >= waiting) makeRoom(network)
    queued += 1
    return new Promise((begin, refuse) => {
      const line = lines.get(network)
      if (line) line.push({ begin, refuse })
      else lines.set(network, [{ begin, refuse }])
    })
  }

  /** @throws Refusal 429 when no line would be longer than the newcomer's */
  function makeRoom(network: string): void {
    const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), [])
    if (longest.length <= (lines.get(network)?.length ?? 0) + 1) throw busy()
    longest.pop()?.refuse(busy())
    queued -= 1
  }

  function next(): Waiter | undefined {
    for (const [network, line] of lines) {
      lines.delete(network)
      const waiter = line.shift()
      if (line.length > 0) lines.set(network, line)
      queued -= 1
      return waiter
    }
    return undefined
  }

  return async (network, work) => {
    // A finished caller passes its place on, so that no newcomer takes it.
    if (running >= concurrent) await join(network)
    else running += 1
    try {
      return await work()
    } finally {
      const waiter = next()
      if (waiter) waiter.begin()
      else running -= 1
    }
  }
}

const busy = (): Refusal => new Refusal('auth.busy', 429, 'errors.auth.busy', { retryAfter: RETRY_SECONDS })
