import { canonicalPath } from '#client/paths.ts'
import { DEFAULT_LANGUAGE, LANGUAGES } from '#shared/languages.ts'

/** Most pictures of one page that the protocol allows. */
const IMAGES_MAX = 1000

const NAMESPACES = [
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
].join(' ')

/** A page as search engines are told of it. */
export interface SitemapPage {
  path: string
  /** When it last changed in a way worth reading it again. */
  changed?: Date | undefined
  /** Paths or addresses of its pictures. */
  images?: readonly string[]
}

/** The sitemap as XML: each page once for each language, with the addresses of all its languages. */
export function sitemap(publicUrl: string, pages: readonly SitemapPage[]): string {
  const entries = pages.flatMap((page) => LANGUAGES.map((language) => entry(publicUrl, page, language)))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACES}>\n${entries.join('\n')}\n</urlset>\n`
}

function entry(
  publicUrl: string,
  { path, changed, images = [] }: SitemapPage,
  language: (typeof LANGUAGES)[number],
): string {
  const address = (one: (typeof LANGUAGES)[number]): string => publicUrl + canonicalPath(path, one)
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
