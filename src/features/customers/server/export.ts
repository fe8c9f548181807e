import { translate } from '#i18n/server-translator.ts'
import { zip } from '#platform/documents/zip.ts'
import type { Language } from '#shared/languages.ts'
import { exportPage } from './export-page.ts'
import { type ExportDeps, type PersonalData, readPersonalData } from './read-personal-data.ts'

/** The same for machines: each section stands under its name. */
const asJson = ({ sections, ...about }: PersonalData): string =>
  JSON.stringify({ ...about, ...Object.fromEntries(sections.map(({ name, data }) => [name, data])) }, null, 2)

/** The archive for a customer, or for staff who answer one: one file for machines, one page to read. */
export async function exportPersonalData(
  deps: ExportDeps,
  userId: number,
  language: Language,
): Promise<{ name: string; content: Buffer }> {
  const data = await readPersonalData(deps, userId, language)
  const name = translate(language, 'ownData.copy.fileName')
  const files = [
    { name: `${name}.html`, content: Buffer.from(exportPage(data, language, deps.shop.timeZone)) },
    { name: `${name}.json`, content: Buffer.from(asJson(data)) },
  ]
  const made = deps.clock()
  return { name: `${name}-${made.toISOString().slice(0, 10)}.zip`, content: zip(files, made) }
}
