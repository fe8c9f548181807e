import type { FastifyInstance } from 'fastify'
import { publicDrawsRepository } from '#features/draws/server/index.ts'
import { type OfferRow, offersRepository } from '#features/offers/server/index.ts'
import { canonicalPath, paths } from '#client/paths.ts'
import { translate } from '#i18n/server-translator.ts'
import type { ReadDatabase } from '#platform/database.ts'
import type { Clock } from '#shared/clock.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language, isLanguage } from '#shared/languages.ts'
import { THEME_COLORS } from '#shared/theme-colors.ts'
import type { Config } from './config.ts'

interface SiteFilesDeps {
  db: ReadDatabase
  clock: Clock
  config: Pick<Config, 'brand' | 'publicUrl' | 'contactEmail'>
}

const TEN_MINUTES = 'public, max-age=600'
const FOR_AN_HOUR = 'public, max-age=3600'
const UTF8 = 'charset=utf-8'

/** RFC 9116: less than a year. */
const SECURITY_TXT_DAYS = 180
const DAY_MS = 86_400_000

/** robots.txt, the sitemap, the web manifest and security.txt. */
export const siteFiles =
  ({ db, clock, config }: SiteFilesDeps) =>
  async (app: FastifyInstance): Promise<void> => {
    const open = { config: { auth: 'ignored' }, schema: { hide: true } } as const
    const { publicUrl } = config

    app.get('/robots.txt', open, async (_, reply) =>
      reply.type(`text/plain; ${UTF8}`).header('cache-control', FOR_AN_HOUR).send(robots(publicUrl)),
    )

    app.get('/sitemap.xml', open, async (_, reply) => {
      const pages = await sitemapPages(db)
      const body = sitemap(publicUrl, pages)
      return reply.type(`application/xml; ${UTF8}`).header('cache-control', TEN_MINUTES).send(body)
    })

    app.get<{ Querystring: { lang?: string } }>(paths.manifest(), open, async (request, reply) => {
      const body = JSON.stringify(manifest(config.brand, request.query.lang))
      return reply.type(`application/manifest+json; ${UTF8}`).header('cache-control', FOR_AN_HOUR).send(body)
    })

    app.get('/.well-known/security.txt', open, async (_, reply) =>
      reply
        .type(`text/plain; ${UTF8}`)
        .header('cache-control', FOR_AN_HOUR)
        .send(securityTxt(config, clock())),
    )
  }

/** Guarded pages are not listed: a crawler must fetch them to see that they are not to be indexed. */
const robots = (publicUrl: string): string =>
  `User-agent: *\nDisallow: /api/\nDisallow: /reports/\n\nSitemap: ${publicUrl}/sitemap.xml\n`

/** The last change of several pages. */
const latest = (pages: readonly { changed: Date }[]): Date | undefined =>
  pages.length > 0 ? new Date(Math.max(...pages.map(({ changed }) => changed.getTime()))) : undefined

/** The first picture of each contest. */
const picturesOf = (list: readonly Pick<OfferRow, 'pictures'>[]): string[] =>
  list.flatMap(({ pictures }) =>
    pictures.slice(0, 1).map(({ src, widths }) => `${src}-${widths.at(-1)}.webp`),
  )

/** Contests by their public pages. */
async function sitemapPages(db: ReadDatabase): Promise<SitemapPage[]> {
  const offers = offersRepository(db)
  const [changed, list, draws] = await Promise.all([
    offers.changedAt(),
    offers.list(),
    publicDrawsRepository(db).pages(),
  ])
  const bySlug = Map.groupBy(list, ({ slug }) => slug)
  return [
    { path: paths.home(), changed },
    { path: paths.offers(), changed, images: picturesOf(list) },
    { path: paths.draws(), changed: latest(draws) },
    { path: paths.winners() },
    ...draws.map(({ slug, changed: at }) => ({
      path: paths.draw(slug),
      changed: at,
      images: picturesOf(bySlug.get(slug) ?? []),
    })),
    { path: paths.contact() },
    { path: paths.terms() },
    { path: paths.accessibility() },
    { path: paths.verifyDraw() },
  ]
}

function manifest(brand: string, asked: string | undefined) {
  const lang = isLanguage(asked) ? asked : DEFAULT_LANGUAGE
  const png = (name: string, size: number, purpose: string) => ({
    src: `/${name}-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  })
  return {
    id: '/',
    name: brand,
    short_name: brand,
    description: translate(lang, 'pages.home.description'),
    lang,
    dir: 'ltr',
    start_url: canonicalPath(paths.home(), lang),
    scope: '/',
    // Has the browser's back button: paying leads to another site and back.
    display: 'minimal-ui',
    theme_color: THEME_COLORS.light,
    background_color: THEME_COLORS.light,
    categories: ['shopping'],
    icons: [
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      png('icon', 192, 'any'),
      png('icon', 512, 'any'),
      png('icon-maskable', 512, 'maskable'),
    ],
  }
}

const securityTxt = ({ publicUrl, contactEmail }: SiteFilesDeps['config'], now: Date): string =>
  [
    `Contact: mailto:${contactEmail}`,
    `Expires: ${new Date(Math.floor(now.getTime() / DAY_MS + SECURITY_TXT_DAYS) * DAY_MS).toISOString()}`,
    `Preferred-Languages: ${LANGUAGES.join(', ')}`,
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n')

/** Largest number of pictures in the protocol. */
const IMAGES_MAX = 1000

const NAMESPACES = [
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
].join(' ')

interface SitemapPage {
  path: string
  changed?: Date | undefined
  /** Paths or addresses. */
  images?: readonly string[]
}

/** Each page once for each language, with the addresses of all its languages. */
function sitemap(publicUrl: string, pages: readonly SitemapPage[]): string {
  const entries = pages.flatMap((page) => LANGUAGES.map((language) => entry(publicUrl, page, language)))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACES}>\n${entries.join('\n')}\n</urlset>\n`
}

function entry(publicUrl: string, { path, changed, images = [] }: SitemapPage, language: Language): string {
  const address = (one: Language): string => publicUrl + canonicalPath(path, one)
  const alternate = (hreflang: string, href: string): string =>
    `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${escapeXml(href)}"/>`
  return [
    '<url>',
    `<loc>${escapeXml(address(language))}</loc>`,
    ...(changed ? [`<lastmod>${changed.toISOString()}</lastmod>`] : []),
    ...LANGUAGES.map((one) => alternate(one, address(one))),
    alternate('x-default', address(DEFAULT_LANGUAGE)),
    ...images.slice(0, IMAGES_MAX).map((image) => {
      const whole = image.startsWith('/') ? publicUrl + image : image
      return `<image:image><image:loc>${escapeXml(whole)}</image:loc></image:image>`
    }),
    '</url>',
  ].join('')
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const escapeXml = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
