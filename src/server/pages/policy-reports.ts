import type { FastifyInstance } from 'fastify'
import { REPORTS_PATH } from './security-headers.ts'

/** Longest report that is read; longer ones are refused. */
const REPORT_LIMIT = 16_384

/** Takes the browsers' reports about what a page's policy has stopped, and writes them to the log. */
export function acceptPolicyReports(app: FastifyInstance): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: REPORT_LIMIT }, (_, body, done) =>
      done(null, body),
    )
    scope.post(
      REPORTS_PATH,
      { config: { auth: 'ignored' }, schema: { hide: true } },
      async (request, reply) => {
        request.log.warn({ report: request.body }, 'content security policy violated')
        return await reply.code(204).send()
      },
    )
  })
}
