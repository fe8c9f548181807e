import { readFileSync } from 'node:fs'
import path from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Block, composeEmail } from '#features/emails/server/compose-email.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { sharedBrowser } from '../support/browser.ts'
import { sized } from '../support/tier.ts'

// Every text of every email in the shop's one layout, on the narrowest phones and with letters twice their size.

const HASH = '9e9610ed9d1a1c92875041cb58a5066a7928ab3ba1648216161cae1c7a3ca178'
const WORD = 'Kraftfahrzeughaftpflichtversicherungsbescheinigungsnummer'
const ADDRESS = `${'very-long-name.'.repeat(5)}of@${'a-mail-provider.'.repeat(4)}example`
const URL_OF_DRAW = `https://shop.example/draws/${'une-berline-bleue-'.repeat(5)}s4/leaf?number=1234567#${HASH}`
const LONG = [HASH, WORD, ADDRESS, URL_OF_DRAW]

const shop = { brand: WORD, publicUrl: 'https://shop.example', contactEmail: ADDRESS }

/** Whatever a text asks for is long. */
const values = (long: string) =>
  new Proxy<Record<string, string>>(
    {},
    { get: () => long, has: () => true, getOwnPropertyDescriptor: () => undefined },
  )

const filled = (text: string, language: string, long: string): string =>
  new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).format(values(long)) as string

type Texts = string | { readonly [name: string]: Texts }
const textsOf = (node: Texts): string[] =>
  typeof node === 'string' ? [node] : Object.values(node).flatMap(textsOf)

const I18N = path.resolve(import.meta.dirname, '../../src/i18n')
/** The catalogues from which emails are written. */
const CATALOGUES = ['emails.json', 'postal.json']

function blocksOf(texts: readonly string[]): Block[] {
  const [first = '', ...others] = texts
  return [
    { kind: 'heading', text: first },
    ...others.flatMap((text): Block[] => [
      { kind: 'text', text },
      { kind: 'note', text },
    ]),
    { kind: 'quote', text: texts.join('\n') },
    { kind: 'button', label: first, url: URL_OF_DRAW },
    { kind: 'facts', facts: texts.map((text) => ({ name: text, text })) },
    {
      kind: 'facts',
      facts: LONG.flatMap((text) => [
        { name: text, text: '1.234.567,89 EUR' },
        { name: 'Total', text, isStrong: true },
      ]),
    },
    { kind: 'plates', numbers: ['0000007', '9999999', '1', HASH] },
  ]
}

/** Rendered as a phone's program does, at once wide letters. @returns what reaches beyond the window */
async function tooWide(width: number, size: number, pages: readonly string[]): Promise<string[]> {
  const context = await (await sharedBrowser()).newContext({ viewport: { width, height: 800 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  for (const html of pages) {
    await page.setContent(html.replace('<head>', `<head><style>body{zoom:${size}}</style>`))
    const wide = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      if (scrollWidth <= clientWidth) return undefined
      const beyond = [...document.body.querySelectorAll('*')].findLast(
        (one) => one.getBoundingClientRect().right > clientWidth + 1,
      )
      return `${scrollWidth} of ${clientWidth}: ${beyond?.outerHTML.slice(0, 160)}`
    })
    if (wide !== undefined) faults.push(wide)
  }
  return faults
}

type Look = [width: number, size: number]
const EVERY_LOOK: Look[] = [
  [320, 1],
  [360, 1],
  [390, 1],
  [390, 1.2],
]
/** What makes an email wide is the same in each language: the short form of the tests has other looks in each. */
const LOOKS = sized<Record<Language, Look[]>>({
  short: { fr: [[320, 1]], nl: [[360, 1]], en: [[390, 1.2]] },
  extended: { fr: EVERY_LOOK, nl: EVERY_LOOK, en: EVERY_LOOK },
})

describe.each(LANGUAGES)('in %s', (language) => {
  const emails = CATALOGUES.flatMap((file) => {
    const catalogue = JSON.parse(readFileSync(path.join(I18N, language, file), 'utf8')) as Record<
      string,
      Texts
    >
    return Object.entries(catalogue).map(([name, texts], at) => {
      const written = textsOf(texts).map((text) => filled(text, language, LONG[at % LONG.length]!))
      const subject = written[0] ?? name
      return composeEmail(shop, { language, subject, preview: subject, blocks: blocksOf(written) }).html
    })
  })

  test.each(LOOKS[language])(
    'no email is wider than a phone of %i pixels, at %d times the size',
    async (width, size) => {
      expect(emails.length).toBeGreaterThan(20)
      expect(await tooWide(width, size, emails)).toEqual([])
    },
  )
})

test('an amount stays in one piece beside its name', async () => {
  const facts = [{ name: 'Total', text: '€1,234.50' }]
  const { html } = composeEmail(shop, {
    language: 'en',
    subject: 'S',
    preview: '',
    blocks: [{ kind: 'facts', facts }],
  })
  const context = await (await sharedBrowser()).newContext({ viewport: { width: 320, height: 800 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.setContent(html)
  const { height } = (await page.getByText('€1,234.50').boundingBox())!
  expect(height).toBeLessThan(50)
})
