import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Shell } from '#client/shell.ts'
import type { PublicDraw } from '#features/draws/public-draws.contract.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import type { PublicSettings } from '#shared/public-settings.ts'

vi.mock('#i18n/active-messages.ts', () => ({
  translatorOf: (language: string) => (name: string) => `${name} (${language})`,
}))

const { pageHead, pageMeta, shellOf } = await import('./head.ts')
const { drawHead, offerHead } = await import('./offer-head.ts')
const { SLIDE_SIZES } = await import('#features/offers/screens/pictures.ts')
const { DARK_PAGE } = await import('#ui/picture.tsx')
const { absolute } = await import('#client/paths.ts')

const shell = (language: Shell['language'] = 'fr'): Shell => ({
  language,
  sidebar: 'expanded',
  renderedAt: 0,
  countries: [],
  settings: {
    brand: 'Volant',
    publicUrl: 'https://shop.example',
    contactEmail: 'help@shop.example',
    videoUrl: 'https://video.example/',
    pricesIncludeVat: false,
    company: { name: 'Aube SRL', number: '0123.456.749', address: 'Rue 1', country: 'BE', vatNumber: null },
  } as PublicSettings,
})

const offer = {
  slug: 'aube',
  title: 'Aube',
  title_nl: 'Dageraad',
  title_en: '',
  description: `${'mot '.repeat(60)}fin`,
  description_nl: 'Kort.',
  description_en: '',
  ticket_price: '4.90',
  is_active: true,
  stopped_as: null,
  tickets_sold: 9,
  total_tickets: 10,
  end_date: '2027-01-01T00:00:00.000Z',
  carousel_images: [],
  pictures: [
    {
      src: '/media/aube',
      widths: [480, 1600],
      width: 1600,
      height: 1000,
      alt: { fr: 'Une Aube rouge', nl: 'Een rode Aube', en: 'A red Aube' },
    },
  ],
} as unknown as Offer

type Tags = Record<string, unknown>[]
const headOf = (...head: Parameters<typeof pageHead>) => pageHead(...head) as Tags
const headOfOffer = (change: object = {}, language?: Shell['language']) =>
  offerHead(shell(language), { ...offer, ...change }, 'aube') as Tags
const DRAW_AT = '2027-01-03T00:00:00.000Z'
/** Of its public page. */
const headOfDraw = (change: object = {}, language?: Shell['language'], draw_at: string | null = DRAW_AT) =>
  drawHead(
    shell(language),
    { contest: { ...offer, ...change }, attempts: [], draw_at } as unknown as PublicDraw,
    'aube',
  ) as Tags
const find = (tags: Tags, name: string, value: string): Tags => tags.filter((tag) => tag[name] === value)
const contents = (tags: Tags, ...properties: string[]): unknown[] =>
  properties.map((property) => find(tags, 'property', property)[0]?.['content'])
/** The structured data of a head, by type. */
const things = (tags: Tags): Map<unknown, Record<string, unknown>> =>
  new Map(
    tags.flatMap((tag) => {
      const thing = tag['script:ld+json'] as Record<string, unknown> | undefined
      return thing ? [[thing['@type'], thing] as const] : []
    }),
  )

// test/http/search-engines.test.ts checks the heads of all pages in full.
test('a head has a title with the brand, the locale, a picture and an address [spec 2.33, 2.35-2.37]', () => {
  expect(headOf(shell('nl'), 'offers', { path: '/offers' })).toEqual(
    expect.arrayContaining([
      { title: 'pages.offers.title (nl) | Volant' },
      { property: 'og:locale', content: 'nl_NL' },
      { property: 'og:image', content: 'https://shop.example/media/og-site-nl.jpg' },
      { property: 'og:image:width', content: '1200' },
      { property: 'og:image:height', content: '630' },
      { tagName: 'link', rel: 'canonical', href: 'https://shop.example/offers?lang=nl' },
    ]),
  )
})

describe('structured data', () => {
  beforeEach(() => void vi.stubEnv('SSR', true))
  afterEach(() => vi.unstubAllEnvs())

  test('of the home page names operator and site, and the title begins with the brand [spec 2.38, 2.39, 2.41]', () => {
    const tags = headOf(shell(), 'home', { path: '/', isHome: true })
    expect(tags).toContainEqual({ title: 'Volant - pages.home.title (fr)' })
    const found = things(tags)
    expect([...found.keys()]).toEqual(['Organization', 'WebSite'])
    expect(found.get('Organization')).toMatchObject({
      name: 'Volant',
      legalName: 'Aube SRL',
      identifier: '0123.456.749',
      description: 'pages.home.description (fr)',
      contactPoint: { contactType: 'customer service', url: 'https://shop.example/contact' },
    })
  })

  test('has a breadcrumb of pages from the home page', () => {
    const path = '/profile/participations'
    const found = things(headOf(shell('nl'), 'participations', { path }))
    expect(found.get('BreadcrumbList')?.['itemListElement']).toMatchObject([
      { name: 'frame.menu.home (nl)', item: 'https://shop.example/?lang=nl' },
      { name: 'pages.participations.title (nl)', item: `https://shop.example${path}?lang=nl` },
    ])
  })

  test('is not made in a browser, where Trusted Types refuse a new script', () => {
    vi.stubEnv('SSR', false)
    const jsonLd = vi.fn<() => []>()
    const tags = pageMeta(shell(), { title: 'T', description: 'D', path: '/', jsonLd }) as Tags
    expect(things(tags).size).toBe(0)
    expect(jsonLd).not.toHaveBeenCalled()
  })

  test('of a contest sells a ticket at its price with VAT, and announces the draw, or its cancellation', () => {
    const found = things(headOfDraw({}, 'nl'))
    const product = found.get('Product')
    expect(product).toMatchObject({
      name: 'pages.offer.ticket (nl)',
      offers: { price: '5.93', priceSpecification: { price: '5.93', valueAddedTaxIncluded: true } },
    })
    expect(product).not.toHaveProperty('brand')
    expect(found.get('Event')).toMatchObject({
      location: { url: 'https://shop.example/draws/aube/live' },
      startDate: DRAW_AT,
      image: ['https://shop.example/media/aube-1600.webp'],
      offers: { price: '5.93' },
    })
    const stopped = things(headOfDraw({ is_active: false, stopped_as: 'stopped' }))
    expect([stopped.has('Product'), stopped.has('Event')]).toEqual([true, false])
    const cancelled = things(headOfDraw({ is_active: false, stopped_as: 'cancelled' }))
    expect(cancelled.get('Event')?.['eventStatus']).toBe('https://schema.org/EventCancelled')
  })

  test('names no draw whose instant is not known: the end of a contest is none', () => {
    for (const head of [headOfOffer(), headOfDraw({}, 'fr', null)])
      expect([things(head).has('Product'), things(head).has('Event')]).toEqual([true, false])
  })
})

describe('the head of a contest', () => {
  test.each([
    ['nl', 'Dageraad | Volant'],
    ['en', 'Aube | Volant'],
  ] as const)('has a title in the language of the page, French without one (%s)', (language, title) => {
    expect(headOfOffer({}, language)).toContainEqual({ title })
  })

  test('preloads the first picture of the carousel on the server', () => {
    const preloads = (change?: object): Tags => find(headOfOffer(change), 'rel', 'preload')
    expect(preloads()).toMatchObject([
      {
        as: 'image',
        imageSrcSet: '/media/aube-480.avif 480w, /media/aube-1600.avif 1600w',
        imageSizes: SLIDE_SIZES,
        fetchPriority: 'high',
      },
    ])
    const dark = '/media/aube-dark'
    const twin = preloads({ pictures: [{ ...offer.pictures[0], dark }] })
    expect(twin.map(({ media, imageSrcSet }) => [media, String(imageSrcSet).split('-480')[0]])).toEqual([
      [`not ${DARK_PAGE}`, '/media/aube'],
      [DARK_PAGE, dark],
    ])
    expect(preloads({ pictures: [] })).toEqual([])
    vi.stubEnv('SSR', false)
    expect(preloads()).toEqual([])
    vi.unstubAllEnvs()
  })

  test('cuts a long description between two words', () => {
    const text = String(find(headOfOffer(), 'name', 'description')[0]?.['content'])
    expect(text.length).toBeLessThanOrEqual(160)
    expect(text).toMatch(/mot…$/)
  })

  const END = encodeURIComponent(offer.end_date)
  const other = { ...offer.pictures[0], src: '/media/aube-bleue', alt: { fr: '', nl: '', en: '' } }
  test.each([
    [offer.pictures, `og-aube.jpg?v=aube-4.90-10-${END}`, 'Une Aube rouge'],
    [[other], `og-aube.jpg?v=aube-bleue-4.90-10-${END}`, 'Aube'],
    [[], 'og-site-fr.jpg', 'pages.pictureAlt (fr)'],
  ])('shares a picture with the version of the first one: %#', (pictures, file, alt) => {
    const shared = contents(headOfOffer({ pictures }), 'og:image', 'og:image:alt')
    expect(shared).toEqual([`https://shop.example/media/${file}`, alt])
  })

  test('of an unknown contest is neutral', () => {
    const title = 'pages.offer.title (fr) | Volant'
    expect(offerHead(shell(), null, 'aube')).toContainEqual({ title })
  })
})

test.each([
  ['/offers', 'https://shop.example/offers'],
  ['/', 'https://shop.example/'],
  ['https://cdn.example/a.jpg', 'https://cdn.example/a.jpg'],
  ['//evil.example/', 'https://shop.example/evil.example/'],
  ['/\\evil.example/', 'https://shop.example/\\evil.example/'],
  ['javascript:alert(1)', 'https://shop.example/javascript:alert(1)'],
])('the absolute address of %s is %s', (given, address) => {
  expect(absolute('https://shop.example', given)).toBe(address)
})

test('the shell is what the root has loaded', () => {
  expect(shellOf([{ id: 'root', loaderData: shell() }])).toEqual(shell())
  expect(() => shellOf([{ id: 'routes/home' }])).toThrow('root')
})
