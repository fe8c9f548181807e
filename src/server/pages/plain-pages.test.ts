import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { awayPage, awayResponse, offlinePage } from './plain-pages.ts'

const kept = (name: string): string =>
  readFileSync(path.resolve(import.meta.dirname, '../../../deploy/haproxy', name), 'utf8')

test('what a proxy shows while nobody responds is what the catalogues say: npm run proxy-pages', () => {
  expect(kept('away.html')).toBe(awayPage())
  for (const language of LANGUAGES) {
    expect(kept(`away-${language}.json`)).toBe(awayResponse(language))
    expect(kept('haproxy.cfg')).toContain(`/away-${language}.json`)
  }
})

test('it speaks all languages, each marked as such, and asks for nothing else', () => {
  for (const language of LANGUAGES) expect(awayPage()).toContain(`<section lang="${language}">`)
  expect(awayPage()).not.toMatch(/src=|href=|url\(/)
})

test('their colours are those of the pages', () => {
  const tokens = readFileSync(path.resolve(import.meta.dirname, '../../apps/site/styles/tokens.css'), 'utf8')
  const colours = [...awayPage().matchAll(/--([a-z]+): (#\w+)/g)]
  expect(colours.length).toBeGreaterThan(10)
  for (const [, name, colour] of colours) expect(tokens).toContain(`--${name}: ${colour};`)
})

test.each(LANGUAGES)(
  'the offline page says in one piece that tickets and payment are safe: %s',
  (language) => {
    const page = offlinePage(language, 'Volant')
    for (const key of ['text', 'tickets', 'payment', 'retry'] as const)
      expect(page).toContain(translate(language, `errors.unreachable.${key}`))
    expect(page).not.toMatch(/(?:src|href)="[^"]|url\(/)
  },
)
