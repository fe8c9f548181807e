import type { FastifyInstance } from 'fastify'
import { nowMs } from '#shared/clock.ts'
import { REPORTS_PATH } from './security-headers.ts'

const BODY_LIMIT = 16_384

/** Per minute and process: anybody may send reports. */
const LINES_MAX = 60
const MINUTE_MS = 60_000

const KINDS = ['application/reports+json', 'application/csp-report', 'application/json']

/** Logs the browsers' reports of policy violations, without queries, referrers and page content. */
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
    const open = { config: { auth: 'ignored' as const }, schema: { hide: true } }
    scope.post(REPORTS_PATH, open, async (request, reply) => {
      for (const report of readPolicyReports(String(request.body))) {
        if (mayWrite()) request.log.warn({ report }, 'content security policy violated')
      }
      return await reply.code(204).send()
    })
  })
}

interface PolicyReport {
  directive: string
  /** Host or kind (`inline`, `eval`) of what was blocked. */
  blocked: string
  page: string
  /** Path and line of the script. */
  source: string
}

const FIELD_LENGTH = 200

/** Reads the Reporting API or the older `report-uri`; any other body has no report. */
export function readPolicyReports(body: string): PolicyReport[] {
  const read = parsed(body)
  const reports = Array.isArray(read) ? read : [read]
  return reports.flatMap((one) => {
    const fields = fieldsOf(one)
    return fields ? [shortened(fields)] : []
  })
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}

function fieldsOf(report: unknown): Fields | undefined {
  if (!isFields(report)) return undefined
  if (report['type'] === 'csp-violation' && isFields(report['body'])) return report['body']
  return isFields(report['csp-report']) ? report['csp-report'] : undefined
}

const shortened = (fields: Fields): PolicyReport => ({
  directive: text(
    fields['effectiveDirective'] ?? fields['effective-directive'] ?? fields['violated-directive'],
  ),
  blocked: hostOf(text(fields['blockedURL'] ?? fields['blocked-uri'])),
  page: pathOf(text(fields['documentURL'] ?? fields['document-uri'])),
  source: `${pathOf(text(fields['sourceFile'] ?? fields['source-file']))}:${Number(fields['lineNumber'] ?? fields['line-number']) || 0}`,
})

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, FIELD_LENGTH) : '')

function hostOf(address: string): string {
  if (!URL.canParse(address)) return /^[\w-]*$/.test(address) ? address : ''
  const { host, protocol } = new URL(address)
  return host || protocol
}

// Links in emails carry a secret in their query.
const pathOf = (address: string): string => (URL.canParse(address) ? new URL(address).pathname : '')
