import { expect, test } from 'vitest'
import { type CompanySettings, companyIn } from './company.ts'
import { COUNTRIES } from '#shared/countries.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { byLanguage } from '#shared/text-fields.ts'

const BRITISH = { companyCountry: 'GB' }

test('without a setting the company is that of the specification [spec 1.1, 2.117]', () => {
  expect(companyIn(BRITISH, 'en')).toMatchObject({
    form: 'private limited company',
    place: 'in the United Kingdom',
    numberName: 'Company number',
    register: undefined,
    law: 'British law',
  })
  expect(companyIn(BRITISH, 'fr')).toMatchObject({ place: 'au Royaume-Uni', law: 'droit britannique' })
})

test.each<[code: string, language: Language, place: string, law: string]>([
  ['BE', 'fr', 'en Belgique', 'droit belge'],
  ['FR', 'nl', 'in Frankrijk', 'Franse recht'],
  ['NL', 'fr', 'aux Pays-Bas', 'droit néerlandais'],
  ['NL', 'en', 'in the Netherlands', 'Dutch law'],
  ['LU', 'fr', 'au Luxembourg', 'droit luxembourgeois'],
  ['DE', 'en', 'in Germany', 'German law'],
  ['PT', 'fr', 'au Portugal', 'droit en vigueur au Portugal'],
  ['MT', 'fr', 'à Malte', 'droit en vigueur à Malte'],
  ['IE', 'nl', 'in Ierland', 'recht dat in Ierland geldt'],
  ['PL', 'en', 'in Poland', 'the law that applies in Poland'],
])('a company of %s in %s is %s, under %s', (companyCountry, language, place, law) => {
  expect(companyIn({ companyCountry }, language)).toMatchObject({ place, law })
})

test('no company of another country is British in any word', () => {
  for (const { code } of COUNTRIES.filter((one) => one.code !== 'GB')) {
    for (const language of LANGUAGES) {
      const { isBritish, ...words } = companyIn({ companyCountry: code }, language)
      expect(isBritish).toBe(false)
      expect(JSON.stringify(words)).not.toMatch(/brit|royaume|koninkrijk|kingdom|private limited|undefined/i)
    }
  }
})

test('a setting says it in other words, in each language', () => {
  const text = (word: string) => byLanguage((language) => `${word} ${language}`)
  const company: CompanySettings = {
    companyCountry: 'BE',
    companyForm: text('form'),
    companyNumberName: text('number'),
    companyRegister: text('register'),
    companyLaw: text('law'),
    companyCourts: text('courts'),
    companyAuthority: text('authority'),
  }
  for (const language of LANGUAGES)
    expect(companyIn(company, language)).toMatchObject({
      form: `form ${language}`,
      numberName: `number ${language}`,
      register: `register ${language}`,
      law: `law ${language}`,
      courts: `courts ${language}`,
      authority: `authority ${language}`,
      area: 'EEA',
    })
})
