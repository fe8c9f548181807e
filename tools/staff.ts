/**
 * `npm run staff -- <role|none> <e-mail>`: gives an account of the shop a role in the console, or takes it away. It is how
 * a live shop gets its first owner, and how one gets in again who has lost everything else.
 */
import { staffPeople } from '#features/staff/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readConfig } from '#server/config.ts'
import { Refusal } from '#shared/refusal.ts'
import { STAFF_ROLES } from '#shared/staff-permissions.ts'
import { runTool, withDatabase } from './database/tool.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const USAGE = `npm run staff -- <${STAFF_ROLES.join('|')}|none> <e-mail>`

const { positionals } = readOptions(USAGE, { options: {}, allowPositionals: true })
const [wanted, email = ''] = positionals
const role = STAFF_ROLES.find((one) => one === wanted) ?? null
if (positionals.length !== 2 || (!role && wanted !== 'none')) endWithUsage(USAGE)

await runTool(async () => {
  const shop = readConfig()
  await withDatabase(async ({ url, place }) => {
    const database = openDatabase({ url, max: 1, log: silentLog, applicationName: 'volant tool staff' })
    try {
      const given = await staffPeople({ db: database.db, shop })
        .giveRole(email, role)
        .catch((error: unknown) => {
          if (error instanceof Refusal && error.code === 'staff.lastOwner')
            throw new Error(`${email} is the last owner: make somebody else one first.`)
          throw error
        })
      if (!given)
        throw new Error(`${place} has no account with the address ${email}: register it in the shop first.`)
      console.log(
        role ? `${given.email} is ${role} now: ${shop.publicUrl}/admin/` : `${given.email} has no role now.`,
      )
    } finally {
      await database.close()
    }
  })
})
