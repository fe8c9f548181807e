import { translate } from '#i18n/server-translator.ts'
import { type CompanySettings, companyIn } from '#i18n/company.ts'
import type { Language } from '#shared/languages.ts'
import { type LocalizedText, textIn } from '#shared/localized-text.ts'

// Of the receipt as an email and as a PDF. The thread that draws a PDF loads what is imported here, too.

export interface SellingCompany extends CompanySettings {
  companyName: string
  companyNumber: string
  companyAddress: string
  vatNumber?: string | undefined
}

const RUNS_SHOWN = 10

/** Where tickets stand in the public log: "Lines 12–15 and 18 …". @param lines in ascending order, at least one */
export function logLines(language: Language, lines: readonly number[]): string {
  const runs: [first: number, last: number][] = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last && line === last[1] + 1) last[1] = line
    else runs.push([line, line])
  }
  const shown = runs
    .slice(0, RUNS_SHOWN)
    .map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`))
  const more = runs.length > RUNS_SHOWN ? ['…'] : []
  return translate(language, 'emails.receipt.logLines', {
    count: lines.length,
    lines: [...shown, ...more].join(', '),
  })
}

/** A contest's title in a language: of the contest as it is, unless that was renamed since the purchase. */
export function titleBought(
  { title, titles }: { title: string; titles: LocalizedText },
  language: Language,
): string {
  const isRenamed = !Object.values(titles).includes(title)
  return isRenamed ? title : textIn(titles, language).text
}

/** Who sold it, as one sentence. */
export function seller(language: Language, shop: SellingCompany): string {
  const { companyName: name, companyAddress: address, companyNumber: number, vatNumber } = shop
  const who = { name, address, number, label: companyIn(shop, language).numberName }
  return vatNumber === undefined
    ? translate(language, 'emails.receipt.seller', who)
    : translate(language, 'emails.receipt.sellerWithVat', { ...who, vat: vatNumber })
}
