import type { FastifyInstance } from 'fastify'
import { nowMs } from '#shared/clock.ts'
import { REPORTS_PATH } from './security-headers.ts'
import { readPolicyReports } from './policy-report.ts'

/** Longest body that is read; longer ones are refused. */
const BODY_LIMIT = 16_384

/** Lines a minute and process; anybody may send reports, and nobody may fill the log with them. */
const LINES_MAX = 60
const MINUTE_MS = 60_000

/** Kinds of bodies that browsers send: the Reporting API's, and that of the older `report-uri`. */
const KINDS = ['application/reports+json', 'application/csp-report', 'application/json']

/**
 * Takes the browsers' reports about what a page's policy has stopped, and writes to the log what was stopped on which
 * page: no query, no referrer, nothing of the page's content.
 */
export function acceptPolicyReports(app: FastifyInstance, now: () => number = nowMs): void {
  let minute = 0
  let lines = 0

  const mayWrite = (): boolean => {
    const current = Math.floor(now() / MINUTE_MS)
    if (current !== minute) [minute, lines] = [current, 0]
    lines += 1
    return lines <= LINES_MAX
  }

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(KINDS, { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, body, done) =>
      done(null, body),
    )
    scope.post(
      REPORTS_PATH,
      {
        config: { auth: 'ignored' },
        schema: { hide: true },
      },
      async (request, reply) => {
        for (const report of readPolicyReports(String(request.body))) {
          if (mayWrite()) request.log.warn({ report }, 'content security policy violated')
        }
        return await reply.code(204).send()
      },
    )
  })
}
