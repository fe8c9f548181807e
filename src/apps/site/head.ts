import type { MetaDescriptor, MetaFunction } from 'react-router'
import { translatorOf } from '#i18n/active-messages.ts'
import type { Messages } from '#i18n/keys.ts'
import { absolute, canonicalPath } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import { LANGUAGES, LOCALES } from '#shared/languages.ts'
import { PROMISES } from '#shared/promises.ts'
import { type Thing, breadcrumbData, organisation, websiteData } from './structured-data.ts'

/** JPEGs for social sites have this size (spec section 2, "Every page"). */
const PICTURE = { type: 'image/jpeg', width: '1200', height: '630' }

export interface SharingPicture {
  path: string
  alt: string
}

export interface PageHead {
  title: string
  description: string
  /** Without a query. */
  path: string
  keywords?: string
  image?: SharingPicture
  noindex?: boolean
  /** Without structured data. */
  isBare?: boolean
  /** Called on the server only. */
  jsonLd?: () => Thing[]
  /** Titled "{brand} - {title}" instead of "{title} {brand}". */
  isHome?: boolean
}

/** Spec section 2, "Every page". */
export function pageMeta(shell: Shell, page: PageHead): MetaDescriptor[] {
  const { brand, publicUrl } = shell.settings
  const t = translatorOf(shell.language)
  const title = page.isHome ? `${brand} - ${page.title}` : `${page.title} | ${brand}`
  const keywords = [page.keywords, t('pages.keywords')].filter(Boolean).join(', ')
  const address = absolute(publicUrl, canonicalPath(page.path, shell.language))
  return [
    { title },
    { name: 'description', content: page.description },
    { name: 'keywords', content: keywords },
    ...sharingTags(shell, { title, description: page.description, address }),
    ...pictureTags(publicUrl, page.image ?? sitePicture(shell)),
    { tagName: 'link', rel: 'canonical', href: address },
    ...(page.noindex ? [{ name: 'robots', content: 'noindex' }] : alternates(publicUrl, page.path)),
    ...(import.meta.env.SSR && !page.isBare ? structuredData(shell, page) : []),
  ]
}

type Pages = Messages['pages']

type NamedPage = {
  [Name in keyof Pages]: Pages[Name] extends { title: string; description: string } ? Name : never
}[keyof Pages]
type NamedHead = [name: NamedPage, page: Omit<PageHead, 'title' | 'description'> & Partial<PageHead>]

/** The head of a page with texts from the catalogue. */
export function pageHead(shell: Shell, ...[name, page]: NamedHead): MetaDescriptor[] {
  const t = translatorOf(shell.language)
  return pageMeta(shell, {
    title: t(`pages.${name}.title`),
    description: t(`pages.${name}.description`, PROMISES),
    ...page,
  })
}

/** The `meta` of a page whose head needs no data. */
export const metaOf =
  (...head: NamedHead): MetaFunction =>
  ({ matches }) =>
    pageHead(shellOf(matches), ...head)

const sitePicture = ({ language, settings }: Shell): SharingPicture => ({
  path: `/media/og-site-${language}.jpg`,
  alt: translatorOf(language)('pages.pictureAlt', { brand: settings.brand }),
})

const sharingTags = (
  { settings, language }: Shell,
  { title, description, address }: { title: string; description: string; address: string },
): MetaDescriptor[] => [
  { property: 'og:type', content: 'website' },
  { property: 'og:site_name', content: settings.brand },
  { property: 'og:locale', content: LOCALES[language] },
  ...LANGUAGES.filter((one) => one !== language).map((one) => ({
    property: 'og:locale:alternate',
    content: LOCALES[one],
  })),
  { property: 'og:title', content: title },
  { property: 'og:description', content: description },
  { property: 'og:url', content: address },
  { name: 'twitter:card', content: 'summary_large_image' },
  { name: 'twitter:title', content: title },
  { name: 'twitter:description', content: description },
]

function pictureTags(publicUrl: string, { path, alt }: SharingPicture): MetaDescriptor[] {
  const address = absolute(publicUrl, path)
  return [
    { property: 'og:image', content: address },
    { property: 'og:image:type', content: PICTURE.type },
    { property: 'og:image:width', content: PICTURE.width },
    { property: 'og:image:height', content: PICTURE.height },
    { property: 'og:image:alt', content: alt },
    { name: 'twitter:image', content: address },
    { name: 'twitter:image:alt', content: alt },
  ]
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

// On the server only, because Trusted Types refuse a new script in the browser. React Router escapes "<".
function structuredData(shell: Shell, page: PageHead): MetaDescriptor[] {
  const items = [
    organisation(shell),
    ...(page.isHome ? [websiteData(shell)] : breadcrumbData(shell, page)),
    ...(page.jsonLd?.() ?? []),
  ]
  return items.map((item) => ({
    'script:ld+json': Object.assign({ '@context': 'https://schema.org' }, item),
  }))
}

/** The shell, from the loader data of the root route. */
export function shellOf(matches: readonly ({ id: string; loaderData?: unknown } | undefined)[]): Shell {
  const shell = matches.find((match) => match?.id === 'root')?.loaderData
  if (!shell) throw new Error('the root route has loaded nothing')
  return shell as Shell
}
