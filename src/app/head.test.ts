import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Shell } from '#client/shell.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import type { PublicSettings } from '#shared/public-settings.ts'

vi.mock('#i18n/active-messages.ts', () => ({
  translatorOf: (language: string) => (name: string) => `${name} (${language})`,
}))

const { pageHead, pageMeta, shellOf } = await import('./head.ts')
const { offerHead } = await import('./offer-head.ts')
const { SLIDE_SIZES } = await import('#features/offers/screens/pictures.ts')
const { absolute } = await import('#client/paths.ts')

const shell = (language: Shell['language'] = 'fr'): Shell => ({
  language,
  sidebar: 'expanded',
  renderedAt: 0,
  settings: {
    brand: 'Volant',
    publicUrl: 'https://shop.example',
    contactEmail: 'help@shop.example',
    videoUrl: 'https://video.example/',
    pricesIncludeVat: false,
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
const find = (tags: Tags, name: string, value: string): Tags => tags.filter((tag) => tag[name] === value)
const content = (tags: Tags, property: string): unknown => find(tags, 'property', property)[0]?.['content']
const canonical = (tags: Tags): unknown => find(tags, 'rel', 'canonical')[0]?.['href']

describe('the head of a page', () => {
  test('has a title of the page and the brand, the home page the other way round [spec 2.33, 2.39]', () => {
    expect(pageHead(shell(), 'offers', { path: '/offers' })).toContainEqual({
      title: 'pages.offers.title (fr) | Volant',
    })
    expect(pageHead(shell(), 'home', { path: '/', isHome: true })).toContainEqual({
      title: 'Volant - pages.home.title (fr)',
    })
  })

  test('tells social sites the locale and a picture of 1200 x 630 [spec 2.35, 2.36]', () => {
    const tags = pageHead(shell(), 'home', { path: '/' }) as Tags
    expect(content(tags, 'og:locale')).toBe('fr_FR')
    expect(content(tags, 'og:image')).toBe('https://shop.example/media/og-site-fr.jpg')
    expect(content(tags, 'og:image:type')).toBe('image/jpeg')
    expect([content(tags, 'og:image:width'), content(tags, 'og:image:height')]).toEqual(['1200', '630'])
    expect(content(tags, 'og:image:alt')).toBe('pages.pictureAlt (fr)')
    expect(tags.filter((tag) => tag['property'] === 'og:locale:alternate')).toHaveLength(2)
  })

  test('names its address in its own language, and the same page in every other [spec 2.37]', () => {
    const tags = pageHead(shell('nl'), 'offers', { path: '/offers' }) as Tags
    expect(canonical(tags)).toBe('https://shop.example/offers?lang=nl')
    expect(find(tags, 'rel', 'alternate').map((tag) => [tag['hrefLang'], tag['href']])).toEqual([
      ['fr', 'https://shop.example/offers'],
      ['nl', 'https://shop.example/offers?lang=nl'],
      ['en', 'https://shop.example/offers?lang=en'],
      ['x-default', 'https://shop.example/offers'],
    ])
  })

  test('that is guarded stays out of search engines', () => {
    const tags = pageHead(shell(), 'cart', { path: '/cart', noindex: true }) as Tags
    expect(find(tags, 'name', 'robots')).toEqual([{ name: 'robots', content: 'noindex' }])
    expect(find(tags, 'rel', 'alternate')).toEqual([])
    expect(canonical(tags)).toBe('https://shop.example/cart')
  })
})

const DAY = 86_400_000

/** The structured data of a head, by type. */
const things = (tags: Tags): Map<unknown, Record<string, unknown>> =>
  new Map(
    tags.flatMap((tag) => {
      const thing = tag['script:ld+json'] as Record<string, unknown> | undefined
      return thing ? [[thing['@type'], thing] as const] : []
    }),
  )

describe('structured data', () => {
  beforeEach(() => void vi.stubEnv('SSR', true))
  afterEach(() => vi.unstubAllEnvs())

  test('says who runs the shop and where to ask [spec 2.38, 2.41]', () => {
    const found = things(pageMeta(shell(), { title: 'T', description: 'D', path: '/' }) as Tags)
    expect(found.get('Organization')).toMatchObject({
      '@context': 'https://schema.org',
      name: 'Volant',
      url: 'https://shop.example/',
      logo: 'https://shop.example/icon-512.png',
      description: 'pages.home.description (fr)',
      contactPoint: { contactType: 'customer service', url: 'https://shop.example/contact' },
    })
  })

  test('leads from the home page to this one, over pages only', () => {
    const found = things(pageHead(shell('nl'), 'participations', { path: '/profile/participations' }) as Tags)
    expect(found.get('BreadcrumbList')).toMatchObject({
      itemListElement: [
        { position: 1, name: 'frame.menu.home (nl)', item: 'https://shop.example/?lang=nl' },
        {
          position: 2,
          name: 'pages.participations.title (nl)',
          item: 'https://shop.example/profile/participations?lang=nl',
        },
      ],
    })
  })

  test('of the home page names the site, and has no way to itself', () => {
    const found = things(pageHead(shell(), 'home', { path: '/', isHome: true }) as Tags)
    expect([...found.keys()]).toEqual(['Organization', 'WebSite'])
  })

  test('is never made in a browser, where a new script would take the page down', () => {
    vi.stubEnv('SSR', false)
    const jsonLd = vi.fn<() => []>()
    const tags = pageMeta(shell(), { title: 'T', description: 'D', path: '/', jsonLd }) as Tags
    expect(things(tags).size).toBe(0)
    expect(jsonLd).not.toHaveBeenCalled()
  })

  test.each([
    [{}, 'InStock'],
    [{ tickets_sold: 10 }, 'SoldOut'],
    [{ is_active: false, end_date: new Date(-DAY).toISOString() }, 'Discontinued'],
  ])('of a contest offers a ticket: %j is %s', (change, availability) => {
    const found = things(offerHead(shell('nl'), { ...offer, ...change }, 'aube') as Tags)
    expect(found.get('Product')).toMatchObject({
      name: 'Dageraad',
      image: ['https://shop.example/media/aube-1600.webp'],
      offers: {
        '@type': 'Offer',
        url: 'https://shop.example/offers/aube?lang=nl',
        price: '4.90',
        priceCurrency: 'EUR',
        availability: `https://schema.org/${availability}`,
        priceSpecification: { valueAddedTaxIncluded: false },
      },
    })
    expect(found.get('Event')).toMatchObject({
      offers: { availability: `https://schema.org/${availability}` },
    })
  })

  test('of a contest announces the live draw on the video platform', () => {
    const found = things(offerHead(shell(), offer, 'aube') as Tags)
    expect(found.get('Event')).toMatchObject({
      startDate: offer.end_date,
      eventStatus: 'https://schema.org/EventScheduled',
      eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
      location: { '@type': 'VirtualLocation', url: 'https://video.example/' },
      organizer: { name: 'Volant' },
    })
  })

  test('of a contest taken out of sale before its end announces no draw', () => {
    const found = things(offerHead(shell(), { ...offer, is_active: false }, 'aube') as Tags)
    expect(found.has('Product')).toBe(true)
    expect(found.has('Event')).toBe(false)
  })
})

describe('the head of a contest', () => {
  test('speaks the language of the page and falls back to French', () => {
    expect(offerHead(shell('nl'), offer, 'aube')).toContainEqual({ title: 'Dageraad | Volant' })
    expect(offerHead(shell('en'), offer, 'aube')).toContainEqual({ title: 'Aube | Volant' })
  })

  test('has the first picture loaded as the carousel shows it, by the server alone', () => {
    const preloads = (one: Offer): Tags => find(offerHead(shell(), one, 'aube') as Tags, 'rel', 'preload')
    expect(preloads(offer)).toMatchObject([
      {
        as: 'image',
        imageSrcSet: '/media/aube-480.avif 480w, /media/aube-1600.avif 1600w',
        imageSizes: SLIDE_SIZES,
        fetchPriority: 'high',
      },
    ])
    expect(preloads({ ...offer, pictures: [] })).toEqual([])
    vi.stubEnv('SSR', false)
    expect(preloads(offer)).toEqual([])
  })

  test('cuts a long description between two words', () => {
    const text = String(
      find(offerHead(shell(), offer, 'aube') as Tags, 'name', 'description')[0]?.['content'],
    )
    expect(text.length).toBeLessThanOrEqual(160)
    expect(text).toMatch(/mot…$/)
  })

  test('shows a picture made of its first one, and another when that changes', () => {
    const tags = offerHead(shell(), offer, 'aube') as Tags
    expect(content(tags, 'og:image')).toBe('https://shop.example/media/og-aube.jpg?v=aube')
    expect(content(tags, 'og:image:alt')).toBe('Une Aube rouge')
    const pictures = [{ ...offer.pictures[0], src: '/media/aube-bleue', alt: { fr: '', nl: '', en: '' } }]
    const other = offerHead(shell(), { ...offer, pictures } as Offer, 'aube') as Tags
    expect(content(other, 'og:image')).toBe('https://shop.example/media/og-aube.jpg?v=aube-bleue')
    expect(content(other, 'og:image:alt')).toBe('Aube')
    const without = offerHead(shell(), { ...offer, pictures: [] }, 'aube') as Tags
    expect(content(without, 'og:image')).toBe('https://shop.example/media/og-site-fr.jpg')
  })

  test('of a contest that is unknown says nothing of it', () => {
    expect(offerHead(shell(), null, 'aube')).toContainEqual({ title: 'pages.offer.title (fr) | Volant' })
  })
})

describe('an address for other sites', () => {
  test.each([
    ['/offers', 'https://shop.example/offers'],
    ['/', 'https://shop.example/'],
    ['https://cdn.example/a.jpg', 'https://cdn.example/a.jpg'],
    ['//evil.example/', 'https://shop.example/evil.example/'],
    ['/\\evil.example/', 'https://shop.example/\\evil.example/'],
    ['javascript:alert(1)', 'https://shop.example/javascript:alert(1)'],
  ])('%s is %s', (given, address) => {
    expect(absolute('https://shop.example', given)).toBe(address)
  })
})

test('the shell is what the root has loaded', () => {
  expect(shellOf([{ id: 'root', loaderData: shell() }])).toEqual(shell())
  expect(() => shellOf([{ id: 'routes/home' }])).toThrow('root')
})
