/**
 * `npm run alerts [-- KIND]`: the open alerts by kind, or those of one kind with what is known of each. For whoever looks
 * after the server, without the console; changes nothing.
 */
import { listOpenAlerts } from '#features/alerts/server/index.ts'
import { ALERT_KINDS } from '#features/alerts/alerts.rules.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { runTool, withDatabase } from './database/tool.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const USAGE = 'npm run alerts -- [kind]'
const { positionals } = readOptions(USAGE, { options: {}, allowPositionals: true })
const [kind] = positionals
if (positionals.length > 1 || (kind !== undefined && !ALERT_KINDS.some((one) => one === kind)))
  endWithUsage(USAGE)

const stamp = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ')
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

await runTool(() =>
  withDatabase(async ({ url }) => {
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool alerts' })
    try {
      const open = await listOpenAlerts(database.db, kind)
      if (open.length === 0)
        console.log(kind === undefined ? 'No alert is open.' : `No alert of ${kind} is open.`)
      for (const [name, alerts] of Map.groupBy(open, (alert) => alert.kind)) {
        const [{ title, runbook }] = alerts as [(typeof alerts)[number]]
        const first = alerts
          .map(({ since }) => since)
          .toSorted((one, other) => Number(one) - Number(other))[0]!
        console.log(`${name}: ${title}. ${alerts.length} open since ${stamp(first)} UTC. ${runbook}`)
        if (kind === undefined) continue
        for (const { about, since, times, details } of alerts) {
          console.log(
            `  ${[about, `since ${stamp(since)} UTC`, `seen ${times} times`].filter(Boolean).join(', ')}`,
          )
          for (const [detail, value] of Object.entries(details))
            if (value !== null) console.log(`    ${detail}: ${shown(value)}`)
        }
      }
    } finally {
      await database.close()
    }
  }),
)
