import { DEFAULT_LANGUAGE, type Language, isLanguage } from '#shared/languages.ts'

type Query = Record<string, string | true | undefined>

/** Adds the filled fields of a query to a path; `true` gives "true". */
function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}

/** Every address of the shop's pages (spec section 2, "Screens and routes"). Nothing else spells one out. */
export const paths = {
  home: () => '/',
  offers: () => '/offers',
  offer: (slug: string) => `/offers/${encodeURIComponent(slug)}`,
  cart: (query?: { success?: true; canceled?: true }) => withQuery('/cart', query),
  participations: (query?: { success?: true; canceled?: true }) =>
    withQuery('/profile/participations', query),
  profileData: () => '/profile/data',
  contact: () => '/contact',
  login: (query?: { next?: string }) => withQuery('/login', query),
  register: (query?: { next?: string; code?: string }) => withQuery('/register', query),
  logout: () => '/logout',
  forgotPassword: () => '/forgot-password',
  resetPassword: () => '/reset-password',
  /** The emails of a demonstration, or one of them. */
  mailbox: (id?: string) => (id === undefined ? '/demo/mailbox' : `/demo/mailbox/${encodeURIComponent(id)}`),
  terms: () => '/policies/terms-and-conditions',
  /** The conditions of taking part by post, within the rules. */
  freeEntry: () => `${paths.terms()}#free-entry`,
  accessibility: () => '/policies/accessibility',
  /** The rules as a PDF; a language that is not ours reads the English one (spec section 2, "policy banner"). */
  termsPdf: (language: string) => TERMS_PDF[isLanguage(language) ? language : 'en'],
  /** What a phone is told that puts the shop on its home screen. */
  manifest: () => '/manifest.webmanifest',
} as const

const TERMS_PDF: Record<Language, string> = {
  fr: '/terms-and-conditions.pdf',
  nl: '/terms-and-conditions-nl.pdf',
  en: '/terms-and-conditions-en.pdf',
}

/**
 * Takes a path of the shop apart. It is put behind a host as text: resolved, "//other.example/" would name another one,
 * and "//" or "//[" none at all, which throws.
 */
const readPath = (path: string): URL => new URL(`http://shop.invalid${path}`)

/** The same page in another language: the address that search engines are told and the language selector loads. */
export const inLanguage = (pathAndQuery: string, language: Language): string => {
  const { pathname, searchParams } = readPath(pathAndQuery)
  searchParams.set('lang', language)
  // With two slashes in front it would be the address of another host.
  return `${pathname.replace(/^\/+/, '/')}?${searchParams}`
}

/** The address under which a page is known in a language: the bare path in French, `?lang=` in the others. */
export const canonicalPath = (path: string, language: Language): string =>
  language === DEFAULT_LANGUAGE ? path : inLanguage(path, language)

/**
 * A `next` from the address bar, made safe: only a path of this shop is followed, and never one that would
 * leave again at once.
 */
export function safeNext(next: string | null | undefined, fallback: string = paths.home()): string {
  if (!next?.startsWith('/') || /[\\\s]/.test(next)) return fallback
  const { pathname, search, hash } = readPath(next)
  const leaves: readonly string[] = [
    paths.login(),
    paths.logout(),
    paths.register(),
    paths.forgotPassword(),
    paths.resetPassword(),
  ]
  // Only now: "/.//other.example/" has its two slashes in front once its dot is resolved.
  return pathname.startsWith('//') || leaves.includes(pathname) ? fallback : `${pathname}${search}${hash}`
}

/**
 * Whether moving between two pages needs a new document: the cart has a security policy of its own, because the
 * payment provider's script runs there, and must neither carry it out nor miss it.
 */
export const crossesDocuments = (from: string, to: string): boolean => isCart(from) !== isCart(to)

const isCart = (path: string): boolean => path.replace(/[?#].*$/s, '') === paths.cart()

/**
 * The address under which other sites find something of ours; addresses that are complete stay as they are. The path is
 * put behind our address as text: resolved, "//other.example/" would name another host.
 */
export const absolute = (publicUrl: string, pathOrAddress: string): string =>
  /^https?:\/\//.test(pathOrAddress) ? pathOrAddress : `${publicUrl}/${pathOrAddress.replace(/^\/+/, '')}`
