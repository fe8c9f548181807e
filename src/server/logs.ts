import pino from 'pino'
import { currentRequestId } from './requests.ts'

interface LogSettings {
  logLevel: string
  roles: readonly string[]
}

/**
 * The logs of a process: lines of JSON, without tokens, passwords, e-mail addresses and phone numbers.
 * @returns `requests` for the web server, which adds the request id itself, and `log`, which adds the current one
 */
export function shopLogs(
  { logLevel, roles }: LogSettings,
  destination: pino.DestinationStream = pino.destination(1),
) {
  const options: pino.LoggerOptions = {
    level: logLevel,
    base: { roles: roles.join(',') },
    redact: {
      paths: ['req.headers.authorization', 'req.headers.cookie', 'password', 'refresh', 'access'],
      remove: true,
    },
    hooks: { streamWrite: scrub },
  }
  const mixin = (): object => {
    const reqId = currentRequestId()
    return reqId === undefined ? {} : { reqId }
  }
  return { requests: pino(options, destination), log: pino({ ...options, mixin }, destination) }
}

/** Phone numbers, signed tokens, and random tokens. Repetitions are bounded, so that matching takes linear time. */
const SECRETS =
  /(?:\beyJ[\w-]{8,400}(?:\.[\w-]+){1,2}|(?<![\w-])[\w-]{43}(?![\w-])|\$argon2id\$[\w$=,+/]+)|(?:\+[1-9]\d{8,14}(?!\d))/gi

/**
 * The parts of an e-mail address by the shop's own pattern, but for the backslash of JSON. It starts at the at sign and
 * looks back: starting with the name would try every letter of a line.
 */
const AROUND_AT = /@(?<=([^\s\p{C}@,;<>()"\\]+)@)([^\s\p{C}@,;<>()"\\]+)/gu

/** The end of an escape of JSON, whose letters are not the name's: `\nkim@…`. */
const ESCAPE = /^(?:u[\da-f]{4}|[bfnrt/])/i

const NAME_BEGINS = /[\p{L}\p{N}\p{M}_]/u
const NAME_ENDS = /[\p{L}\p{N}\p{M}_]$/u

/**
 * Removes personal data and secrets from a line of the log: error messages may quote what was sent or stored.
 * @param line of JSON, which it still is afterwards
 */
export const scrub = (line: string): string =>
  withoutAddresses(line).replace(SECRETS, (found) => (found.startsWith('+') ? '[phone]' : '[secret]'))

/** Removes every e-mail address that the shop accepts; rather too much than a letter too few. */
function withoutAddresses(line: string): string {
  let clean = ''
  let done = 0
  for (const { 1: before = '', 2: after = '', index: at } of line.matchAll(AROUND_AT)) {
    const domain = domainOf(after)
    if (domain === undefined || isPackage(before, after)) continue
    const from = at - nameOf(before, line, at).length
    clean += `${line.slice(done, Math.max(done, from))}[e-mail]`
    done = at + 1 + domain.length
  }
  return clean + line.slice(done)
}

/** The name before an at sign, without an escape and punctuation in front of it. */
function nameOf(before: string, line: string, at: number): string {
  let backslashes = 0
  while (line[at - before.length - 1 - backslashes] === '\\') backslashes += 1
  const name = backslashes % 2 === 1 ? before.replace(ESCAPE, '') : before
  const begin = name.search(NAME_BEGINS)
  return begin < 0 ? name : name.slice(begin)
}

/** The domain after an at sign, without the punctuation of a sentence; undefined when it is none. */
function domainOf(after: string): string | undefined {
  let end = after.length
  while (end > 0 && !NAME_ENDS.test(after.slice(Math.max(0, end - 2), end))) end -= 1
  return [after.slice(0, end), after].find(hasTopLevel)
}

function hasTopLevel(domain: string): boolean {
  const dot = domain.lastIndexOf('.')
  return dot > 0 && domain.length - dot > 2
}

/** Whether it is part of a path: `node_modules/@scope/name/…` or `name@1.2.3/…`. */
const isPackage = (before: string, after: string): boolean =>
  (!NAME_ENDS.test(before) && /^[a-z][\w.-]*\//.test(after)) || /^\d+\.\d+\.\d+(?:$|[/:'])/.test(after)
