/** What the log keeps of a report: which rule stopped what, on which page. */
export interface PolicyReport {
  directive: string
  /** Host or kind of what was stopped (`inline`, `eval`), without path and query. */
  blocked: string
  /** Path of the page. */
  page: string
  /** Path of the script that did it, and its line. */
  source: string
}

/** Longest text of a field; browsers send the names of files and hosts. */
const FIELD_LENGTH = 200

/** Reads a body of the Reporting API or of `report-uri`; whatever is neither gives nothing. */
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

/** `inline` and `eval` are no addresses; of an address the scheme or the host says enough. */
function hostOf(address: string): string {
  if (!URL.canParse(address)) return /^[\w-]*$/.test(address) ? address : ''
  const { host, protocol } = new URL(address)
  return host || protocol
}

// Addresses of links in mails carry a secret in their query.
const pathOf = (address: string): string => (URL.canParse(address) ? new URL(address).pathname : '')
