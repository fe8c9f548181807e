import type { MetaDescriptor } from 'react-router'
import { translatorOf } from '#i18n/active-messages.ts'
import { canonicalPath, paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import { LANGUAGES, LOCALES } from '#shared/languages.ts'

const LOGO = '/icon.svg'

/** The picture of pages without one of their own (spec section 2, "Every page"). */
const SITE_PICTURE: SharingPicture = { path: '/media/og-site.jpg', width: 1200, height: 630 }

/** A picture for social sites: its path or address, and its size in pixels. */
export interface SharingPicture {
  path: string
  width: number
  height: number
}

export interface PageHead {
  title: string
  description: string
  /** Path of the page without its query. */
  path: string
  /** The shop's own by default. */
  image?: SharingPicture
  /** Guarded pages and errors stay out of search engines. */
  noindex?: boolean
  /** Structured data besides the organisation's. */
  jsonLd?: Record<string, unknown>[]
  /** The home page is titled "{brand} - {title}", every other one "{title} | {brand}". */
  isHome?: boolean
}

/** The head of a page as spec section 2, "Every page", lists it. */
export function pageMeta(shell: Shell, page: PageHead): MetaDescriptor[] {
  const { brand, publicUrl } = shell.settings
  const t = translatorOf(shell.language)
  const title = page.isHome ? `${brand} - ${page.title}` : `${page.title} | ${brand}`
  const address = absolute(publicUrl, canonicalPath(page.path, shell.language))
  const picture = page.image ?? SITE_PICTURE
  const image = absolute(publicUrl, picture.path)
  return [
    { title },
    { name: 'description', content: page.description },
    { name: 'keywords', content: t('pages.keywords') },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: brand },
    { property: 'og:locale', content: LOCALES[shell.language] },
    ...LANGUAGES.filter((language) => language !== shell.language).map((language) => ({
      property: 'og:locale:alternate',
      content: LOCALES[language],
    })),
    { property: 'og:title', content: title },
    { property: 'og:description', content: page.description },
    { property: 'og:url', content: address },
    { property: 'og:image', content: image },
    { property: 'og:image:width', content: String(picture.width) },
    { property: 'og:image:height', content: String(picture.height) },
    { name: 'twitter:card', content: 'summary_large_image' },
    { name: 'twitter:title', content: title },
    { name: 'twitter:description', content: page.description },
    { name: 'twitter:image', content: image },
    { tagName: 'link', rel: 'canonical', href: address },
    ...(page.noindex ? [{ name: 'robots', content: 'noindex' }] : alternates(publicUrl, page.path)),
    ...structuredData([organisation(shell, t('pages.home.description')), ...(page.jsonLd ?? [])]),
  ]
}

/** Pages whose title and description stand in the catalogue, under `pages`. */
type NamedPage =
  | 'home'
  | 'offers'
  | 'offer'
  | 'cart'
  | 'participations'
  | 'profileData'
  | 'login'
  | 'register'
  | 'logout'
  | 'terms'
  | 'notFound'

/** The head of a page by its texts in the catalogue. */
export function pageHead(
  shell: Shell,
  name: NamedPage,
  page: Omit<PageHead, 'title' | 'description'> & Partial<PageHead>,
): MetaDescriptor[] {
  const t = translatorOf(shell.language)
  return pageMeta(shell, {
    title: t(`pages.${name}.title`),
    description: t(`pages.${name}.description`),
    ...page,
  })
}

const alternates = (publicUrl: string, path: string): MetaDescriptor[] => [
  ...LANGUAGES.map((language) => ({
    tagName: 'link' as const,
    rel: 'alternate',
    hrefLang: language,
    href: absolute(publicUrl, canonicalPath(path, language)),
  })),
  { tagName: 'link', rel: 'alternate', hrefLang: 'x-default', href: absolute(publicUrl, path) },
]

// Only in the server's HTML: a script made in the browser is refused by Trusted Types and would take the page down.
const structuredData = (items: Record<string, unknown>[]): MetaDescriptor[] =>
  import.meta.env.SSR
    ? items.map((item) => ({ 'script:ld+json': { '@context': 'https://schema.org', ...item } }))
    : []

/** Who runs the shop, and where customers turn to (spec section 2, "Organisation structured data"). */
function organisation({ settings }: Shell, description: string): Record<string, unknown> {
  return {
    '@type': 'Organization',
    name: settings.brand,
    url: settings.publicUrl,
    logo: absolute(settings.publicUrl, LOGO),
    description,
    contactPoint: {
      '@type': 'ContactPoint',
      contactType: 'customer service',
      url: absolute(settings.publicUrl, paths.contact()),
      email: settings.contactEmail,
      availableLanguage: LANGUAGES,
    },
  }
}

/** An address that other sites can follow; addresses that are complete stay as they are. */
export const absolute = (publicUrl: string, pathOrAddress: string): string =>
  new URL(pathOrAddress, `${publicUrl}/`).href

/** The shell as a `meta` function finds it: what the root route has loaded. */
export function shellOf(matches: readonly ({ id: string; loaderData?: unknown } | undefined)[]): Shell {
  const shell = matches.find((match) => match?.id === 'root')?.loaderData
  if (!shell) throw new Error('the root route has loaded nothing')
  return shell as Shell
}
