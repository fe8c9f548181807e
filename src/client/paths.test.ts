import { describe, expect, test } from 'vitest'
import { canonicalPath, crossesDocuments, inLanguage, paths, safeNext } from './paths.ts'

test('every address of the shop', () => {
  expect({
    home: paths.home(),
    offers: paths.offers(),
    offer: paths.offer('aube-gt'),
    oddOffer: paths.offer('a/b?c'),
    cart: paths.cart(),
    cartCanceled: paths.cart({ canceled: true }),
    participations: paths.participations(),
    participationsSuccess: paths.participations({ success: true }),
    profileData: paths.profileData(),
    contact: paths.contact(),
    login: paths.login(),
    loginNext: paths.login({ next: '/offers/aube-gt' }),
    register: paths.register(),
    registerCode: paths.register({ code: 'GARAGE 1' }),
    logout: paths.logout(),
    terms: paths.terms(),
    manifest: paths.manifest(),
    termsPdf: (['fr', 'nl', 'en'] as const).map(paths.termsPdf),
  }).toMatchInlineSnapshot(`
    {
      "cart": "/cart",
      "cartCanceled": "/cart?canceled=true",
      "contact": "/contact",
      "home": "/",
      "login": "/login",
      "loginNext": "/login?next=%2Foffers%2Faube-gt",
      "logout": "/logout",
      "manifest": "/manifest.webmanifest",
      "oddOffer": "/offers/a%2Fb%3Fc",
      "offer": "/offers/aube-gt",
      "offers": "/offers",
      "participations": "/profile/participations",
      "participationsSuccess": "/profile/participations?success=true",
      "profileData": "/profile/data",
      "register": "/register",
      "registerCode": "/register?code=GARAGE+1",
      "terms": "/policies/terms-and-conditions",
      "termsPdf": [
        "/terms-and-conditions.pdf",
        "/terms-and-conditions-nl.pdf",
        "/terms-and-conditions-en.pdf",
      ],
    }
  `)
})

test('a language that is not ours reads the English PDF [spec 2.138]', () => {
  expect(paths.termsPdf('de')).toBe(paths.termsPdf('en'))
})

describe('the same page in another language', () => {
  test('keeps path and query', () => {
    expect(inLanguage('/offers?page=2&lang=fr', 'nl')).toBe('/offers?page=2&lang=nl')
  })

  test('is known without a query in French only', () => {
    expect(canonicalPath('/offers', 'fr')).toBe('/offers')
    expect(canonicalPath('/offers', 'en')).toBe('/offers?lang=en')
  })

  test.each([
    ['//', '/?lang=nl'],
    ['///', '/?lang=nl'],
    ['/\\', '/?lang=nl'],
    ['//[', '/[?lang=nl'],
    ['//:80', '/:80?lang=nl'],
    ['//localhost:99999/', '/localhost:99999/?lang=nl'],
    ['//evil.example/a?b=//c', '/evil.example/a?b=%2F%2Fc&lang=nl'],
    ['/.//evil.example/', '/evil.example/?lang=nl'],
  ])('stays in the shop, however odd its address: %s', (path, address) => {
    expect(inLanguage(path, 'nl')).toBe(address)
  })
})

describe('where a login leads', () => {
  test.each(['/offers/aube-gt', '/cart', '/profile/participations?success=true', '/offers#top'])(
    '%s is followed',
    (next) => {
      expect(safeNext(next)).toBe(next)
    },
  )

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '//',
    '//[',
    '/.//evil.example/',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/login?next=/login',
    '/logout',
    '/register',
    '',
    null,
    undefined,
  ])('%s is not', (next) => {
    expect(safeNext(next)).toBe('/')
  })
})

test('only moves to and from the cart load a new document', () => {
  expect(crossesDocuments('/offers', '/cart?canceled=true')).toBe(true)
  expect(crossesDocuments('/cart', '/')).toBe(true)
  expect(crossesDocuments('/cart', '/cart?canceled=true')).toBe(false)
  expect(crossesDocuments('/', '/offers')).toBe(false)
  expect(crossesDocuments('//', '//[')).toBe(false)
})
