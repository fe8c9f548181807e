import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { networkOf } from '#platform/limits/network-address.ts'
import { type HashQueueOptions, hashQueue } from './hash-queue.ts'

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
