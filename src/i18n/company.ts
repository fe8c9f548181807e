import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import type { InLanguages } from '#shared/localized-text.ts'
import { translate } from './server-translator.ts'

/** What the settings say of the company, beyond its name, number and address (ADR 0011). */
export interface CompanySettings {
  /** Two capital letters. */
  companyCountry: string
  companyForm?: InLanguages | undefined
  companyNumberName?: InLanguages | undefined
  companyRegister?: InLanguages | undefined
  companyLaw?: InLanguages | undefined
  companyCourts?: InLanguages | undefined
  companyAuthority?: InLanguages | undefined
}

/** The company in the words of one language. */
export interface CompanyWords {
  /** "private limited company", without an article. */
  form: string
  /** "in the United Kingdom". */
  place: string
  /** What its number is called. */
  numberName: string
  register: string | undefined
  /** "British law", without an article. */
  law: string
  /** "courts of Brussels". */
  courts: string | undefined
  /** Who supervises the company. */
  authority: string | undefined
  /** How data leave its country: the European Economic Area, or a country whose protection the Commission recognised. */
  area: 'EEA' | 'recognised'
  isBritish: boolean
}

/** Countries of the billing list outside of the European Economic Area. */
const RECOGNISED: ReadonlySet<string> = new Set(['CH', 'GB'])

/**
 * The company as texts of a language name it: what the settings say, else what is said of a company of its country
 * (spec section 1).
 */
export function companyIn(company: CompanySettings, language: Language): CompanyWords {
  const { companyCountry: country } = company
  const place = translate(language, 'policies.company.place', {
    country,
    name: countryName(country, language),
  })
  return {
    form: company.companyForm?.[language] ?? translate(language, 'policies.company.form', { country }),
    place,
    numberName:
      company.companyNumberName?.[language] ??
      translate(language, 'policies.company.numberName', { country }),
    register:
      company.companyRegister?.[language] ??
      (translate(language, 'policies.company.register', { country }) || undefined),
    law: company.companyLaw?.[language] ?? translate(language, 'policies.company.law', { country, place }),
    courts: company.companyCourts?.[language],
    authority: company.companyAuthority?.[language],
    area: RECOGNISED.has(country) ? 'recognised' : 'EEA',
    isBritish: country === 'GB',
  }
}
