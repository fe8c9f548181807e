import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Shell } from '#client/shell.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import type { PublicSettings } from '#shared/public-settings.ts'

vi.mock('#i18n/active-messages.ts', () => ({
  translatorOf: (language: string) => (name: string) => `${name} (${language})`,
}))

const { pageHead, pageMeta, shellOf } = await import('./head.ts')
const { offerHead } = await import('./offer-head.ts')

const shell = (language: Shell['language'] = 'fr'): Shell => ({
  language,
  sidebar: 'expanded',
  renderedAt: 0,
  settings: {
    brand: 'Volant',
    publicUrl: 'https://shop.example',
    contactEmail: 'help@shop.example',
  } as PublicSettings,
})

type Tags = Record<string, unknown>[]
const find = (tags: Tags, name: string, value: string): Tags => tags.filter((tag) => tag[name] === value)
const content = (tags: Tags, property: string): unknown => find(tags, 'property', property)[0]?.['content']
const canonical = (tags: Tags): unknown => find(tags, 'rel', 'canonical')[0]?.['href']

describe('the head of a page', () => {
  test('has a title of the page and the brand, the home page the other way round', () => {
    expect(pageHead(shell(), 'offers', { path: '/offers' })).toContainEqual({
      title: 'pages.offers.title (fr) | Volant',
    })
    expect(pageHead(shell(), 'home', { path: '/', isHome: true })).toContainEqual({
      title: 'Volant - pages.home.title (fr)',
    })
  })

  test('tells social sites the locale and a picture of 1200 x 630', () => {
    const tags = pageHead(shell(), 'home', { path: '/' }) as Tags
    expect(content(tags, 'og:locale')).toBe('fr_FR')
    expect(content(tags, 'og:image')).toBe('https://shop.example/media/og-site.jpg')
    expect([content(tags, 'og:image:width'), content(tags, 'og:image:height')]).toEqual(['1200', '630'])
  })

  test('names its address in its own language, and the same page in every other', () => {
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

describe('structured data', () => {
  const organisation = (tags: Tags): unknown =>
    tags
      .map((tag) => tag['script:ld+json'] as Record<string, unknown> | undefined)
      .find((item) => item?.['@type'] === 'Organization')

  afterEach(() => vi.unstubAllEnvs())

  test('says who runs the shop and where to ask', () => {
    vi.stubEnv('SSR', true)
    expect(
      organisation(pageMeta(shell(), { title: 'T', description: 'D', path: '/' }) as Tags),
    ).toMatchObject({
      name: 'Volant',
      url: 'https://shop.example',
      logo: 'https://shop.example/icon.svg',
      contactPoint: { contactType: 'customer service', url: 'https://shop.example/contact' },
    })
  })

  test('is never made in a browser, where a new script would take the page down', () => {
    vi.stubEnv('SSR', false)
    const tags = pageMeta(shell(), { title: 'T', description: 'D', path: '/', jsonLd: [{}] }) as Tags
    expect(tags.some((tag) => 'script:ld+json' in tag)).toBe(false)
  })
})

describe('the head of a contest', () => {
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
    tickets_sold: 10,
    total_tickets: 10,
    end_date: '2027-01-01T00:00:00Z',
    pictures: [{ src: '/media/aube', widths: [480, 1600], width: 1600, height: 1000 }],
  } as unknown as Offer

  test('speaks the language of the page and falls back to French', () => {
    expect(offerHead(shell('nl'), offer, 'aube')).toContainEqual({ title: 'Dageraad | Volant' })
    expect(offerHead(shell('en'), offer, 'aube')).toContainEqual({ title: 'Aube | Volant' })
  })

  test('cuts a long description between two words', () => {
    const text = String(
      find(offerHead(shell(), offer, 'aube') as Tags, 'name', 'description')[0]?.['content'],
    )
    expect(text.length).toBeLessThanOrEqual(160)
    expect(text).toMatch(/mot…$/)
  })

  test('shows its first picture, with its true size', () => {
    const tags = offerHead(shell(), offer, 'aube') as Tags
    expect(content(tags, 'og:image')).toBe('https://shop.example/media/aube-1600.webp')
    expect(content(tags, 'og:image:height')).toBe('1000')
  })

  test('of a contest that is unknown says nothing of it', () => {
    expect(offerHead(shell(), null, 'aube')).toContainEqual({ title: 'pages.offer.title (fr) | Volant' })
  })
})

test('the shell is what the root has loaded', () => {
  expect(shellOf([{ id: 'root', loaderData: shell() }])).toEqual(shell())
  expect(() => shellOf([{ id: 'routes/home' }])).toThrow('root')
})
