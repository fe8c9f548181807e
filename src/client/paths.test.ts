import { expect, test } from 'vitest'
import {
  canonicalPath,
  crossesDocuments,
  inLanguage,
  paths,
  safeNext,
  paymentReturn,
  withoutPaymentNotices,
} from './paths.ts'

test.each([
  [paths.home(), '/'],
  [paths.offers(), '/offers'],
  [paths.offer('aube-gt'), '/offers/aube-gt'],
  [paths.offer('a/b?c'), '/offers/a%2Fb%3Fc'],
  [paths.cart(), '/cart'],
  [paths.cart({ canceled: true }), '/cart?canceled=true'],
  [paths.participations(), '/profile/participations'],
  [paths.participations({ success: true }), '/profile/participations?success=true'],
  [paths.profileData(), '/profile/data'],
  [paths.contact(), '/contact'],
  [paths.login(), '/login'],
  [paths.login({ next: '/offers/aube-gt' }), '/login?next=%2Foffers%2Faube-gt'],
  [paths.register(), '/register'],
  [paths.register({ code: 'GARAGE 1' }), '/register?code=GARAGE+1'],
  [paths.logout(), '/logout'],
  [paths.terms(), '/policies/terms-and-conditions'],
  [paths.manifest(), '/manifest.webmanifest'],
  [paths.termsPdf('fr'), '/terms-and-conditions.pdf'],
  [paths.termsPdf('nl'), '/terms-and-conditions-nl.pdf'],
  [paths.termsPdf('en'), '/terms-and-conditions-en.pdf'],
  [paths.termsPdf('xx'), '/terms-and-conditions-en.pdf'],
])(
  'the path %s is the one of the specification, with an English PDF for other languages [spec 2.138]',
  (path, expected) => {
    expect(path).toBe(expected)
  },
)

test.each([
  ['/offers?page=2&lang=fr', '/offers?page=2&lang=nl'],
  ['//', '/?lang=nl'],
  ['///', '/?lang=nl'],
  ['/\\', '/?lang=nl'],
  ['//[', '/[?lang=nl'],
  ['//:80', '/:80?lang=nl'],
  ['//localhost:99999/', '/localhost:99999/?lang=nl'],
  ['//evil.example/a?b=//c', '/evil.example/a?b=%2F%2Fc&lang=nl'],
  ['/.//evil.example/', '/evil.example/?lang=nl'],
])('%s in another language is %s, always in the shop', (path, address) => {
  expect(inLanguage(path, 'nl')).toBe(address)
})

test.each([
  ['/cart', '/cart'],
  ['/cart?canceled=true', '/cart'],
  ['/cart?payment=refunded&success=true&x=1', '/cart?x=1'],
])('%s without notices of a payment is %s', (address, expected) => {
  expect(withoutPaymentNotices(address)).toBe(expected)
})

test.each([
  ['/profile/participations?success=true', 'success'],
  ['/profile/participations?confirming=4AB', 'confirming'],
  ['/cart?unfinished=4AB', 'unfinished'],
  ['/cart?canceled=true', 'canceled'],
  ['/cart?payment=declined', 'failed'],
  ['/cart', undefined],
  ['/offers?x=success', undefined],
])('%s tells of a payment: %s', (address, expected) => {
  expect(paymentReturn(address)).toBe(expected)
})

test('the canonical path has no query in French only', () => {
  expect(canonicalPath('/offers', 'fr')).toBe('/offers')
  expect(canonicalPath('/offers', 'en')).toBe('/offers?lang=en')
})

test.each(['/offers/aube-gt', '/cart', '/profile/participations?success=true', '/offers#top'])(
  'a login leads to %s',
  (next) => {
    expect(safeNext(next)).toBe(next)
  },
)

test.each([
  ['/OFFERS/Aube-GT?Code=X#Form', '/offers/aube-gt?Code=X#Form'],
  ['/CART/', '/cart'],
])('a login leads to %s as %s, which is how the pages are written', (next, path) => {
  expect(safeNext(next)).toBe(path)
})

test.each([
  ...'https://evil.example/ //evil.example/ // //[ /.//evil.example/ /a/..//evil.example'.split(' '),
  ...'/%2e//evil.example /\\evil.example \\\\evil.example javascript:alert(1) /\t/evil.example'.split(' '),
  ...'/login?next=/login /logout /register /LOGIN /%6cogin/ /Register?code=X'.split(' '),
  '',
  null,
  undefined,
])('a login does not lead to %j', (next) => {
  expect(safeNext(next)).toBe('/')
})

test.each([
  ['/offers', '/cart?canceled=true', true],
  ['/cart', '/', true],
  ['/cart', '/cart?canceled=true', false],
  ['/', '/offers', false],
  ['//', '//[', false],
])('a move from %s to %s loads a new document: %s', (from, to, expected) => {
  expect(crossesDocuments(from, to)).toBe(expected)
})
