import { countryName } from './countries.ts'
import type { Language } from './languages.ts'
import { byLanguage } from './text-fields.ts'

/** A text of the operator in each language of the shop. */
export type InLanguages = Readonly<Record<Language, string>>

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

type Preset = Partial<Record<'form' | 'numberName' | 'register' | 'law', InLanguages>>

const same = (text: string): InLanguages => byLanguage(() => text)

/** What is said of a company of a country unless a setting says it. */
const PRESETS: Readonly<Record<string, Preset>> = {
  // Spec section 1.
  GB: {
    form: {
      fr: 'société à responsabilité limitée de droit privé (private limited company)',
      nl: 'besloten vennootschap naar Brits recht (private limited company)',
      en: 'private limited company',
    },
    law: { fr: 'droit britannique', nl: 'Britse recht', en: 'British law' },
  },
  BE: {
    numberName: { fr: 'Numéro d’entreprise', nl: 'Ondernemingsnummer', en: 'Enterprise number' },
    register: {
      fr: 'Banque-Carrefour des Entreprises',
      nl: 'Kruispuntbank van Ondernemingen',
      en: 'Crossroads Bank for Enterprises',
    },
    law: { fr: 'droit belge', nl: 'Belgische recht', en: 'Belgian law' },
  },
  DE: {
    numberName: {
      fr: 'Numéro au registre du commerce',
      nl: 'Nummer in het handelsregister',
      en: 'Commercial register number',
    },
    register: same('Handelsregister'),
    law: { fr: 'droit allemand', nl: 'Duitse recht', en: 'German law' },
  },
  FR: {
    numberName: { fr: 'Numéro SIREN', nl: 'SIREN-nummer', en: 'SIREN number' },
    register: {
      fr: 'Registre du commerce et des sociétés',
      nl: 'Frans handels- en vennootschapsregister (RCS)',
      en: 'French trade and companies register (RCS)',
    },
    law: { fr: 'droit français', nl: 'Franse recht', en: 'French law' },
  },
  LU: {
    numberName: { fr: 'Numéro RCS', nl: 'RCS-nummer', en: 'RCS number' },
    register: {
      fr: 'Registre de commerce et des sociétés',
      nl: 'Luxemburgs handels- en vennootschapsregister (RCS)',
      en: 'Luxembourg trade and companies register (RCS)',
    },
    law: { fr: 'droit luxembourgeois', nl: 'Luxemburgse recht', en: 'Luxembourg law' },
  },
  NL: {
    numberName: { fr: 'Numéro KvK', nl: 'KvK-nummer', en: 'KvK number' },
    register: {
      fr: 'Registre du commerce néerlandais (KvK)',
      nl: 'Handelsregister van de Kamer van Koophandel',
      en: 'Dutch commercial register (KvK)',
    },
    law: { fr: 'droit néerlandais', nl: 'Nederlandse recht', en: 'Dutch law' },
  },
}

const FORM: InLanguages = { fr: 'société', nl: 'vennootschap', en: 'company' }
const NUMBER_NAME: InLanguages = {
  fr: 'Numéro d’immatriculation',
  nl: 'Registratienummer',
  en: 'Company number',
}

/** Countries of the billing list outside of the European Economic Area. */
const RECOGNISED: ReadonlySet<string> = new Set(['CH', 'GB'])

const FRENCH_AU: ReadonlySet<string> = new Set(['DK', 'GB', 'LU', 'PT'])
const FRENCH_ISLANDS: ReadonlySet<string> = new Set(['CY', 'MT'])

function placeOf(code: string, language: Language): string {
  const name = countryName(code, language)
  if (language === 'nl') return code === 'GB' ? `in het ${name}` : `in ${name}`
  if (language === 'en') return code === 'GB' || code === 'NL' ? `in the ${name}` : `in ${name}`
  if (code === 'NL') return `aux ${name}`
  if (FRENCH_ISLANDS.has(code)) return `à ${name}`
  return `${FRENCH_AU.has(code) ? 'au' : 'en'} ${name}`
}

function lawOf(code: string, language: Language): string {
  const place = placeOf(code, language)
  if (language === 'fr') return `droit en vigueur ${place}`
  return language === 'nl' ? `recht dat ${place} geldt` : `the law that applies ${place}`
}

/** The company as texts of a language name it. */
export function companyIn(company: CompanySettings, language: Language): CompanyWords {
  const { companyCountry: country } = company
  const preset = PRESETS[country] ?? {}
  return {
    form: (company.companyForm ?? preset.form ?? FORM)[language],
    place: placeOf(country, language),
    numberName: (company.companyNumberName ?? preset.numberName ?? NUMBER_NAME)[language],
    register: (company.companyRegister ?? preset.register)?.[language],
    law: (company.companyLaw ?? preset.law)?.[language] ?? lawOf(country, language),
    courts: company.companyCourts?.[language],
    authority: company.companyAuthority?.[language],
    area: RECOGNISED.has(country) ? 'recognised' : 'EEA',
    isBritish: country === 'GB',
  }
}
