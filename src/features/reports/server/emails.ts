import type { SliceMakers } from '#features/emails/server/index.ts'
import type { Database } from '#platform/database.ts'
import { type ReportsShop, salesFile } from './send-reports.ts'

export const reportsEmailMakers = ({ db, shop }: { db: Database; shop: ReportsShop }): SliceMakers => ({
  attachments: { sales: (ref, language) => salesFile(db, shop.timeZone, ref, language) },
})
