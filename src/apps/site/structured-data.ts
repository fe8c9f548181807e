import { translatorOf } from '#i18n/active-messages.ts'
import { absolute, canonicalPath, paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import { LANGUAGES } from '#shared/languages.ts'
import type { ListItem, Organization, BreadcrumbList, Thing as SchemaThing, WebSite } from 'schema-dts'
import { crumbsOf } from './frame/crumbs.ts'

/** Checked against the vocabulary of schema.org by the compiler. */
export type Thing = Exclude<SchemaThing, string>

/** Reference to the organisation from other things. */
export const organisationId = ({ settings }: Shell): { '@id': string } => ({
  '@id': absolute(settings.publicUrl, '/#organization'),
})

/** Spec section 2, "Organisation structured data". */
export function organisation(shell: Shell): Organization {
  const { settings, language } = shell
  const { company } = settings
  return {
    '@type': 'Organization',
    ...organisationId(shell),
    name: settings.brand,
    legalName: company.name,
    identifier: company.number,
    ...(company.vatNumber !== null && { vatID: company.vatNumber }),
    address: {
      '@type': 'PostalAddress',
      streetAddress: company.address,
      addressCountry: company.country,
    },
    url: absolute(settings.publicUrl, '/'),
    logo: absolute(settings.publicUrl, '/icon-512.png'),
    description: translatorOf(language)('pages.home.description'),
    email: settings.contactEmail,
    contactPoint: {
      '@type': 'ContactPoint',
      contactType: 'customer service',
      url: absolute(settings.publicUrl, paths.contact()),
      email: settings.contactEmail,
      availableLanguage: LANGUAGES,
    },
  }
}

/** The site, whose name search engines show. */
export const websiteData = (shell: Shell): WebSite => ({
  '@type': 'WebSite',
  name: shell.settings.brand,
  url: absolute(shell.settings.publicUrl, '/'),
  inLanguage: LANGUAGES,
  publisher: organisationId(shell),
})

/** The breadcrumb from the home page; parts without a page are left out. */
export function breadcrumbData(
  { settings, language }: Shell,
  page: { path: string; title: string; noindex?: boolean },
): BreadcrumbList[] {
  const t = translatorOf(language)
  const parents = crumbsOf(page.path)
    .slice(0, -1)
    .flatMap(({ path, label, isPage }) => (isPage && label ? [{ path, name: t(label) }] : []))
  const steps = [
    { path: paths.home(), name: t('frame.menu.home') },
    ...parents,
    { path: page.path, name: page.title },
  ]
  const item = ({ path, name }: { path: string; name: string }, index: number): ListItem => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: absolute(settings.publicUrl, canonicalPath(path, language)),
  })
  return [{ '@type': 'BreadcrumbList', itemListElement: steps.map(item) }]
}
