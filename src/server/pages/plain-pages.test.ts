import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { awayResponse, awayPage } from './plain-pages.ts'

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
