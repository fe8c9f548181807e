/**
 * `npm run upgrade`: brings the database to the version of this folder and stores the files of its pages there, before any
 * of its processes runs. `--check` only tells what that would do: what it applies, whether the present version runs
 * afterwards, and which versions run now. Ends with 1 when this version cannot run on the database, and `--check` with 3
 * when there would be no way back. Both may run at any time, several at once, beside running processes.
 */
import { openDatabase } from '#platform/database.ts'
import { type Upgrade, foreseeUpgrade, migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { storeAssets } from '#server/pages/release-assets.ts'
import { RUNNING, releaseName } from '#server/release.ts'
import { migrationsFolder, runTool, withClient, withDatabase } from './database/tool.ts'
import { readOptions, say } from './run/say.ts'

const NO_WAY_BACK = 3

const { values } = readOptions('npm run upgrade -- [--check]', {
  options: { check: { type: 'boolean', default: false } },
})

/** Roles and releases of the processes that are connected. */
const runningNow = (url: string): Promise<string[]> =>
  withClient(url, 'upgrade', async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select distinct substr(application_name, length($1) + 1) as name from pg_stat_activity
       where datname = current_database() and starts_with(application_name, $1) order by name`,
      [RUNNING],
    )
    return rows.map(({ name }) => name)
  })

function tellWayBack({ from, pending, noWayBack }: Upgrade): void {
  const after = `after the upgrade the version that the database is of now`
  if (noWayBack.length > 0)
    say(`Going back:     NOT POSSIBLE: ${after} does not run any more, because of ${noWayBack.join(', ')}.`)
  else if (from === 0) say('Going back:     the database is empty.')
  else if (pending.length > 0) say(`Going back:     possible: ${after} still runs.`)
  else say('Going back:     possible: this version changes nothing in the database.')
}

await runTool(async () => {
  await withDatabase(async ({ url, place }) => {
    const upgrade = await foreseeUpgrade(url, migrationsFolder)
    const own = releaseName()
    say(`Database:       ${place}`)
    say(`This version:   ${own}`)
    const running = await runningNow(url)
    say(`Running now:    ${running.length > 0 ? running.join(', ') : 'no process'}`)
    say(`Migrations:     ${upgrade.pending.length > 0 ? upgrade.pending.join(', ') : 'none to apply'}`)
    if (upgrade.newer.length > 0)
      say(`Newer:          ${upgrade.newer.join(', ')}, of a newer version, which lets this one run`)
    tellWayBack(upgrade)
    if (values.check) {
      if (upgrade.noWayBack.length > 0) process.exitCode = NO_WAY_BACK
      return
    }
    const applied = await migrate({ url, folder: migrationsFolder, log: silentLog })
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool upgrade' })
    try {
      const stored = await storeAssets(database.db)
      say(`Done:           ${applied.length} migrations applied, ${stored} files of pages stored.`)
    } finally {
      await database.close()
    }
  })
})
