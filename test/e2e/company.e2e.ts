import { afterAll, expect, test } from 'vitest'
import { paths as addresses } from '#client/paths.ts'
import { readPdf } from '#features/tickets/server/pdf-reader.test-support.ts'
import { countryName } from '#shared/countries.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { startMailServer } from '../support/mail-server.ts'
import { openStage } from '../support/stage.ts'

/** A Belgian company in every setting that speaks of it. */
const BELGIAN = {
  BRAND: 'Azur',
  COMPANY_COUNTRY: 'BE',
  COMPANY_NAME: 'Azur SRL',
  COMPANY_NUMBER: '0123.456.749',
  COMPANY_ADDRESS: 'Rue Haute 1, 1000 Bruxelles',
  POSTAL_ADDRESS: 'Azur, BP 7, 1000 Bruxelles',
  COMPANY_FORM:
    'fr: société à responsabilité limitée | nl: besloten vennootschap | en: private company with limited liability',
  COMPANY_COURTS: 'fr: tribunaux de Bruxelles | nl: rechtbanken van Brussel | en: courts of Brussels',
  COMPANY_AUTHORITY: 'SPF Économie',
  VAT_NUMBER: 'BE 0123.456.749',
  CONTACT_EMAIL: 'bonjour@azur.example',
}
const FOREIGN =
  /brit(ain|ish|ann|s\b|se\b)|royaume-uni|verenigd koninkrijk|united kingdom|england|companies house|\bLtd\b/i

const server = await startMailServer()
afterAll(() => server.close())
const { shop } = await openStage({ env: { ...BELGIAN, SMTP_URL: server.url } })

/** A page without the countries of the bill, of which the United Kingdom is one: as options, and in the data of the page. */
const wordsOf = (html: string, language: Language): string =>
  html.replaceAll(/<option[^>]*>[^<]*<\/option>/g, '').replaceAll(`\\"${countryName('GB', language)}\\"`, '')

const textOf = (pdf: unknown, pages = 1): string =>
  Array.from({ length: pages }, (_, index) =>
    readPdf(pdf as Buffer, index)
      .elements.map(({ text }) => text)
      .join(' '),
  ).join(' ')

test('a company of another country is nowhere British: pages, documents and emails', async () => {
  const slug = 'azur-un'
  const offerId = await shop.newOffer({ slug })
  const paths = [
    '/',
    '/offers',
    `/offers/${slug}`,
    '/draws',
    `/draws/${slug}`,
    '/contact',
    '/login',
    '/register',
  ]
  const rules = ['/policies/terms-and-conditions', '/policies/accessibility']
  for (const language of LANGUAGES) {
    for (const path of [...paths, ...rules]) {
      const { body, statusCode } = await shop.app.inject({ url: `${path}?lang=${language}` })
      expect(statusCode, path).toBe(200)
      expect(wordsOf(body, language), `${path} in ${language}`).not.toMatch(FOREIGN)
      expect(body).toContain(BELGIAN.COMPANY_NUMBER)
    }
    const pdf = await shop.app.inject({ url: addresses.termsPdf(language) })
    const terms = textOf(pdf.rawPayload, 3)
    expect(terms).not.toMatch(FOREIGN)
    expect(terms).toMatch(/société à responsabilité limitée|besloten vennootschap|private company with/)
  }
  const customer = await shop.newCustomer()
  await customer.add(offerId, 1)
  const orderId = (await customer.create('BE', { language: 'fr' })).body['order_id'] as string
  await shop.paypal.approve(orderId)
  expect((await customer.capture(orderId)).status).toBe(200)
  await shop.mailer.deliver()
  const sent = server.taken.map(({ subject, text, html }) => `${subject} ${text} ${html}`).join(' ')
  expect(sent).not.toMatch(FOREIGN)
  expect(sent.replaceAll('\u00a0', ' ')).toContain('Numéro d’entreprise : 0123.456.749')
  const [order] = (await customer.get('/api/orders/')).body['orders'] as { number: string }[]
  const receipt = await customer.get(`/api/orders/${order!.number}/receipt/`, { language: 'nl' })
  expect(textOf(receipt.body)).toMatch(/Azur SRL.*Ondernemingsnummer: 0123\.456\.749/)
  expect(textOf(receipt.body)).not.toMatch(FOREIGN)
})

test('search engines read whose shop it is', async () => {
  const { body } = await shop.app.inject({ url: '/?lang=en' })
  const data = /<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(body)?.[1] ?? ''
  for (const part of [
    '"legalName":"Azur SRL"',
    '"vatID":"BE 0123.456.749"',
    '"addressCountry":"BE"',
    '"identifier":"0123.456.749"',
  ])
    expect(data).toContain(part)
})
