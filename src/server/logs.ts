import pino from 'pino'
import { scrub } from './log-scrub.ts'
import { currentRequestId } from './request-id.ts'

interface LogSettings {
  logLevel: string
  roles: readonly string[]
}

/**
 * The logs of a process: lines of JSON, without tokens, passwords, e-mail addresses and phone numbers.
 * @param destination where they go; standard output when left out
 * @returns `requests`, whose lines the web server numbers, and `log` for everything else, whose lines carry the number
 * of the request that they are written for, too
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
