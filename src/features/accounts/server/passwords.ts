import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { networkOf } from '#platform/limits/network-address.ts'
import { Refusal } from '#shared/refusal.ts'

interface HashQueueOptions {
  /** Hashes computed at the same time. */
  concurrent: number
  /** Callers that may wait; the next one is refused. */
  waiting: number
}

export interface PasswordSettings extends HashQueueOptions {
  /** Cost of one Argon2id hash. */
  memoryKiB: number
  passes: number
  parallelism: number
}

/** Above the OWASP minimum (19 MiB, 2 passes); one hash takes 50 to 65 ms on a small server. */
export const PASSWORD_SETTINGS: PasswordSettings = {
  memoryKiB: 32_768,
  passes: 2,
  parallelism: 1,
  concurrent: 2,
  waiting: 20,
}

/** For whom it is done: other networks need not wait until all of one have been served. */
interface Asker {
  /** IP address of the connection; none for work of the shop's own. */
  address?: string
}

export interface Passwords {
  /** The text to store for a password. */
  hash(password: string, asker?: Asker): Promise<string>
  /**
   * Compares a password with a stored text. Without one, or with an unreadable one, it works just as long and
   * answers no, so that the time says nothing about whether an account exists.
   */
  verify(
    password: string,
    stored: string | undefined,
    asker?: Asker,
  ): Promise<{ right: boolean; outdated: boolean }>
}

interface Digest {
  memoryKiB: number
  passes: number
  parallelism: number
  salt: Buffer
  hash: Buffer
}

const SALT_BYTES = 16
const HASH_BYTES = 32
/** PHC string format, as other Argon2 libraries read and write it. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

/** What computes one hash: Node's own, or what a test puts in its place. */
export const computeArgon2 = promisify(argon2)

/** Hashes and compares passwords with Argon2id, a few at a time, the networks in turn. Refuses with 429 when too many wait. */
export function createPasswords(
  settings: PasswordSettings = PASSWORD_SETTINGS,
  argon2id: typeof computeArgon2 = computeArgon2,
): Passwords {
  const queue = hashQueue(settings)
  const { memoryKiB, passes, parallelism } = settings
  const nobody: Digest = {
    memoryKiB,
    passes,
    parallelism,
    salt: randomBytes(SALT_BYTES),
    hash: randomBytes(HASH_BYTES),
  }

  return {
    async hash(password, asker) {
      const digest: Digest = { ...nobody, salt: randomBytes(SALT_BYTES) }
      return encode({
        ...digest,
        hash: await queue(lineOf(asker), () => compute(argon2id, password, digest)),
      })
    },
    async verify(password, stored, asker) {
      const known = stored === undefined ? undefined : decode(stored)
      const digest = known ?? nobody
      const hash = await queue(lineOf(asker), () => compute(argon2id, password, digest))
      const right = timingSafeEqual(hash, digest.hash) && known !== undefined
      return { right, outdated: right && !costsTheSame(digest, settings) }
    },
  }
}

/** In which line of the queue somebody waits. */
const lineOf = ({ address }: Asker = {}): string => (address === undefined ? '' : networkOf(address))

/** One password, typed on two systems, may differ in its Unicode form only; NFKC makes both equal. */
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

const costsTheSame = (digest: Digest, settings: PasswordSettings): boolean =>
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

/**
 * Runs expensive work a few at a time.
 * @param network where the caller comes from, in whatever words; the networks take turns
 */
export type HashQueue = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>

/** When a refused caller should try again: a full queue is empty by then. */
const RETRY_SECONDS = 2

interface Waiter {
  begin: () => void
  refuse: (refusal: Refusal) => void
}

/**
 * Caps how much of the machine password hashing may take, so that a login storm cannot slow the shop
 * (reliability, "Login"). Beyond the queue it refuses with 429.
 *
 * Nobody keeps the others out by asking more often: the networks are served in turn, and one that finds the queue full
 * takes the last place of the one with the longest line. A count of places for each network would give less: a few
 * networks could fill the queue all the same, and an office whose people all log in at nine would wait beside empty
 * places.
 */
export function hashQueue({ concurrent, waiting }: HashQueueOptions): HashQueue {
  /** Who waits, by network; the network whose turn it is stands first. None of the lines is empty. */
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

  /** @throws Refusal 429 when no line is longer than the newcomer's becomes: theirs is the last place then */
  function makeRoom(network: string): void {
    const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), [])
    if (longest.length <= (lines.get(network)?.length ?? 0) + 1) throw busy()
    longest.pop()?.refuse(busy())
    queued -= 1
  }

  /** Whose turn it is, out of the queue. */
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
    // The caller before hands its place over, so that nobody slips in between.
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

let list: ReadonlySet<string> | undefined

/** The list of tools/common-passwords.ts, read when it is first asked for. */
const commonPasswords = (): ReadonlySet<string> =>
  (list ??= new Set(
    brotliDecompressSync(readFileSync(new URL('common-passwords.br', import.meta.url)))
      .toString()
      .split('\n'),
  ))

/**
 * Whether everybody who guesses tries a password early: it is one of the best known, in any case, or one of them with
 * digits and signs at its end ("Password1!").
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.normalize('NFKC').toLowerCase()
  return commonPasswords().has(lower) || commonPasswords().has(lower.replace(/[^\p{L}]+$/u, ''))
}
