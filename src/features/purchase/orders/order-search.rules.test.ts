import { expect, test } from 'vitest'
import { filtersIn, readSearch } from './order-search.rules.ts'

/** Terms as texts. */
const readAs = (text: string): string[] =>
  readSearch(text).map((term) => {
    switch (term.by) {
      case 'id':
        return `id ${term.id}`
      case 'number':
        return `number ${term.number}`
      case 'provider':
        return `provider ${term.ids.join(',')}`
      case 'ticket':
        return `ticket ${term.number}${term.contest === undefined ? '' : ` of ${term.contest}`}`
      case 'phone':
        return `phone ${term.digits}`
      default:
        return `${term.by} ${term.begins}`
    }
  })

test.each<[string, string[]]>([
  ['K7QM-2F9P', ['number K7QM2F9P', 'provider K7QM-2F9P', 'email k7qm-2f9p', 'username k7qm-2f9p']],
  ['k7qm2f9p', ['number K7QM2F9P', 'provider k7qm2f9p,K7QM2F9P', 'email k7qm2f9p', 'username k7qm2f9p']],
  ['01A2094A-2a2e-7608-9a22-fb84120cb171', ['id 01a2094a-2a2e-7608-9a22-fb84120cb171']],
  [
    'W355RVDK9V7LTTUAL',
    ['provider W355RVDK9V7LTTUAL', 'email w355rvdk9v7lttual', 'username w355rvdk9v7lttual'],
  ],
  ['Marie@Example.be', ['email marie@example.be']],
  [' marie ', ['email marie', 'username marie']],
  ['Marie Dupont', ['username marie dupont']],
  ['#12345', ['ticket 12345']],
  ['# 00042', ['ticket 42']],
  ['rubis #42', ['ticket 42 of rubis']],
  ['#42 corvane s4', ['ticket 42 of corvane s4']],
  ['00042', ['ticket 42', 'email 00042', 'username 00042']],
  ['Commande K7QM-2F9P', ['number K7QM2F9P', 'username commande k7qm-2f9p']],
  ['Order: k7qm-2f9p', ['number K7QM2F9P', 'username order: k7qm-2f9p']],
  ['n° 00042', ['ticket 42', 'username n° 00042']],
  ['Nr. 42', ['ticket 42', 'username nr. 42']],
  ['02434, 10631', ['ticket 2434', 'ticket 10631', 'username 02434, 10631']],
  ['0470 12 34 56', ['phone 470123456', 'username 0470 12 34 56']],
  ['+32 (0)470', ['username +32 (0)470']],
  ['+32 (0)470 12 34 56', ['phone 32470123456', 'username +32 (0)470 12 34 56']],
  ['+32 470/12.34.56', ['phone 32470123456', 'username +32 470/12.34.56']],
  [
    '0032470123456',
    ['provider 0032470123456', 'phone 32470123456', 'email 0032470123456', 'username 0032470123456'],
  ],
  ['x', []],
  ['#0', ['email #0', 'username #0']],
  ['#123456789', ['email #123456789', 'username #123456789']],
])('“%s” may be %j', (text, terms) => {
  expect(readAs(text)).toEqual(terms)
})

test.each<[string, Record<string, string> | undefined]>([
  ['8,47', { min: '8.47', max: '8.47' }],
  ['€ 8.47', { min: '8.47', max: '8.47' }],
  ['1.234,50 EUR', { min: '1234.50', max: '1234.50' }],
  ['1\u202f234,50\u00a0€', { min: '1234.50', max: '1234.50' }],
  ['26/11/2026', { from: '2026-11-26', to: '2026-11-26' }],
  ['1.2.2026', { from: '2026-02-01', to: '2026-02-01' }],
  ['31/02/2026', undefined],
  ['8', undefined],
  ['0470 12 34 56', undefined],
  ['', undefined],
])('“%s” means the filters %j of the list of orders', (text, filters) => {
  expect(filtersIn(text)).toEqual(filters)
})
