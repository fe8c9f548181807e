import { accountStates } from '#features/accounts/server/index.ts'
import type { Database } from '#platform/database.ts'
import {
  type ExportSection,
  type PersonalDataSource,
  type PersonalRecord,
  exportWords,
} from '#platform/personal-data.ts'
import { transact } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { customerNotFound } from './closing.ts'

export interface ExportShop {
  brand: string
  publicUrl: string
  companyName: string
  companyAddress: string
  contactEmail: string
  timeZone: string
}

export interface ExportDeps {
  db: Database
  clock: Clock
  shop: ExportShop
  sources: readonly PersonalDataSource[]
}

export interface PersonalData {
  made_at: string
  shop: { name: string; site: string; company: string; address: string; contact: string }
  sections: ExportSection[]
}

/** Everything that the shop keeps about a customer, read in one snapshot. @throws Refusal 404 */
export function readPersonalData(
  { db, clock, shop, sources }: ExportDeps,
  userId: number,
  language: Language,
): Promise<PersonalData> {
  const words = exportWords(language, shop.timeZone)
  return transact(
    db,
    async (trx) => {
      const account = await accountStates(trx).find(userId)
      if (!account) throw customerNotFound()
      const person = { userId, email: account.email, isConfirmed: account.isConfirmed }
      const sections: ExportSection[] = []
      for (const source of sources) {
        if (source.export) sections.push(...(await source.export(trx, person, words)))
        if (source.read)
          sections.push(sectionOf(source.name, await source.read(trx, userId, language), words))
      }
      const { brand, companyName, companyAddress, contactEmail, publicUrl } = shop
      return {
        made_at: clock().toISOString(),
        shop: {
          name: brand,
          site: publicUrl,
          company: companyName,
          address: companyAddress,
          contact: contactEmail,
        },
        sections,
      }
    },
    { isolation: 'repeatable read' },
  )
}

const sectionOf = (
  name: string,
  { title, records }: { title: string; records: readonly PersonalRecord[] },
  { say, when }: ReturnType<typeof exportWords>,
): ExportSection => ({
  name,
  data: records.map(({ data }) => data),
  title,
  blocks: records.flatMap((record) => [
    { heading: record.title },
    { facts: [[say('at'), when(record.at)], ...record.facts] },
  ]),
})
