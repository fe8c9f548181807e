import os from 'node:os'
import pino from 'pino'
import { currentRequest } from '#platform/http/request-context.ts'
import { releaseName } from './release.ts'

interface LogSettings {
  logLevel: string
  roles: readonly string[]
}

/** JSON logs without secrets and personal data. `requests` is for the web server, which adds request ids itself. */
export function shopLogs(
  { logLevel, roles }: LogSettings,
  destination: pino.DestinationStream = pino.destination(1),
) {
  const options: pino.LoggerOptions = {
    level: logLevel,
    base: { host: os.hostname(), pid: process.pid, version: releaseName(), roles: roles.join(',') },
    redact: {
      paths: [
        'req.headers.authorization',
        'req.headers.cookie',
        'password',
        'refresh',
        'access',
        'details.receiver_said',
      ],
      remove: true,
    },
    hooks: { streamWrite: scrub },
  }
  const mixin = (): object => {
    const request = currentRequest()
    if (request === undefined) return {}
    return { reqId: request.id, ...(request.trace && { trace_id: request.trace.id }) }
  }
  return { requests: pino(options, destination), log: pino({ ...options, mixin }, destination) }
}

/** Phone numbers, tokens and password hashes. Bounded repetitions keep matching linear. */
const SECRETS =
  /(?:\beyJ[\w-]{8,400}(?:\.[\w-]+){1,2}|(?<![\w-])[\w-]{43}(?![\w-])|\$argon2id\$[\w$=,+/]+)|(?:\+[1-9]\d{8,14}(?!\d))/gi

// An e-mail address by the shop's pattern, without JSON's backslash. It looks back from the at sign: starting with the
// name would try every character of a line.
const AROUND_AT = /@(?<=([^\s\p{C}@,;<>()"\\]+)@)([^\s\p{C}@,;<>()"\\]+)/gu

/** The end of a JSON escape, which is not part of the name: `\nkim@…`. */
const ESCAPE = /^(?:u[\da-f]{4}|[bfnrt/])/i

const NAME_BEGINS = /[\p{L}\p{N}\p{M}_]/u
const NAME_ENDS = /[\p{L}\p{N}\p{M}_]$/u

/** Removes personal data and secrets, which error messages may quote, from a JSON line. It stays valid JSON. */
export const scrub = (line: string): string =>
  withoutAddresses(line).replace(SECRETS, (found) => (found.startsWith('+') ? '[phone]' : '[secret]'))

/** Removes every e-mail address that the shop accepts, in doubt more. */
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

/** Without an escape and punctuation in front. */
function nameOf(before: string, line: string, at: number): string {
  let backslashes = 0
  while (line[at - before.length - 1 - backslashes] === '\\') backslashes += 1
  const name = backslashes % 2 === 1 ? before.replace(ESCAPE, '') : before
  const begin = name.search(NAME_BEGINS)
  return begin < 0 ? name : name.slice(begin)
}

/** Without the punctuation of a sentence; undefined when it is no domain. */
function domainOf(after: string): string | undefined {
  let end = after.length
  while (end > 0 && !NAME_ENDS.test(after.slice(Math.max(0, end - 2), end))) end -= 1
  return [after.slice(0, end), after].find(hasTopLevel)
}

function hasTopLevel(domain: string): boolean {
  const dot = domain.lastIndexOf('.')
  return dot > 0 && domain.length - dot > 2
}

/** Part of a path: `node_modules/@scope/name/…` or `name@1.2.3/…`. */
const isPackage = (before: string, after: string): boolean =>
  (!NAME_ENDS.test(before) && /^[a-z][\w.-]*\//.test(after)) || /^\d+\.\d+\.\d+(?:$|[/:'])/.test(after)
