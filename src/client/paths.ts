import { onePagePath } from '#shared/page-path.ts'
import { DEFAULT_LANGUAGE, type Language, isLanguage } from '#shared/languages.ts'

type Query = Record<string, string | true | undefined>

function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}

/** Parameters that the payment's return adds to an address, each shown once (spec section 2, "Cart"). */
export const PAYMENT_NOTICES = ['success', 'canceled', 'payment'] as const

/** An order whose payment is being confirmed. */
export const CONFIRMING = 'confirming'

/** An order whose payment its buyer approved and did not finish; links of emails name it. */
export const UNFINISHED = 'unfinished'

export function withoutPaymentNotices(address: string): string {
  const [path = '', search] = address.split('?', 2)
  const query = new URLSearchParams(search)
  for (const name of PAYMENT_NOTICES) query.delete(name)
  return query.size === 0 ? path : `${path}?${query}`
}

/** What the payment's return tells by an address; undefined without a payment. */
export function paymentReturn(
  address: string,
): 'success' | 'confirming' | 'unfinished' | 'canceled' | 'failed' | undefined {
  const query = new URLSearchParams(address.split('?', 2)[1])
  if (query.has('success')) return 'success'
  if (query.has(CONFIRMING)) return 'confirming'
  if (query.has(UNFINISHED)) return 'unfinished'
  if (query.has('canceled')) return 'canceled'
  return query.has('payment') ? 'failed' : undefined
}

/** Every address of a page (spec section 2, "Screens and routes"). */
export const paths = {
  home: () => '/',
  offers: (query?: { sort?: string; price?: string }) => withQuery('/offers', query),
  offer: (slug: string) => `/offers/${encodeURIComponent(slug)}`,
  draws: (query?: { after?: string }) => withQuery('/draws', query),
  winners: (query?: { after?: string }) => withQuery('/winners', query),
  /** The public page of a contest. */
  draw: (slug: string) => `/draws/${encodeURIComponent(slug)}`,
  /** A file for calendars. */
  drawCalendar: (slug: string) => `${paths.draw(slug)}/draw.ics`,
  liveDraw: (slug: string) => `${paths.draw(slug)}/live`,
  cart: (query?: { success?: true; canceled?: true; unfinished?: string }) => withQuery('/cart', query),
  participations: (query?: { success?: true; canceled?: true }) =>
    withQuery('/profile/participations', query),
  profileData: () => '/profile/data',
  orders: () => '/profile/orders',
  favourites: () => '/profile/favourites',
  sessions: () => '/profile/sessions',
  contact: () => '/contact',
  login: (query?: { next?: string }) => withQuery('/login', query),
  register: (query?: { next?: string; code?: string }) => withQuery('/register', query),
  logout: () => '/logout',
  forgotPassword: () => '/forgot-password',
  resetPassword: () => '/reset-password',
  emailLink: () => '/email-link',
  /** Ends reminders, with the `token` of a link in the query: one click of an email program needs it there (RFC 8058). */
  unsubscribe: () => '/unsubscribe',
  verifyDraw: () => '/draws/verify',
  /** With the secret of a link as the fragment, or of a contest for whoever is logged in. */
  claim: (query?: { contest?: string }) => withQuery('/claim', query),
  mailbox: (id?: string) => (id === undefined ? '/demo/mailbox' : `/demo/mailbox/${encodeURIComponent(id)}`),
  terms: () => '/policies/terms-and-conditions',
  freeEntry: () => `${paths.terms()}#free-entry`,
  accessibility: () => '/policies/accessibility',
  /** Other languages get the English one (spec section 2, "policy banner"). */
  termsPdf: (language: string) => termsPdf(isLanguage(language) ? language : 'en'),
  manifest: () => '/manifest.webmanifest',
} as const

const termsPdf = (language: Language): string =>
  `/terms-and-conditions${language === DEFAULT_LANGUAGE ? '' : `-${language}`}.pdf`

/** Parses a path of the shop. Resolving it would let "//other.example/" name another host, and fail for "//". */
const readPath = (path: string): URL => new URL(`http://shop.invalid${path}`)

/** The same page in another language. */
export const inLanguage = (pathAndQuery: string, language: Language): string => {
  const { pathname, searchParams } = readPath(pathAndQuery)
  searchParams.set('lang', language)
  // Two leading slashes would name another host.
  return `${pathname.replace(/^\/+/, '/')}?${searchParams}`
}

/** The canonical path: bare in French, with `?lang=` in the others. */
export const canonicalPath = (path: string, language: Language): string =>
  language === DEFAULT_LANGUAGE ? path : inLanguage(path, language)

/** Restricts a `next` of the address bar to paths of this shop that do not redirect at once. */
export function safeNext(next: string | null | undefined, fallback: string = paths.home()): string {
  if (!next?.startsWith('/') || /[\\\s]/.test(next)) return fallback
  const { pathname: written, search, hash } = readPath(next)
  // Parsing resolves "/.//other.example/" to two leading slashes.
  if (written.startsWith('//')) return fallback
  const pathname = onePagePath(written)
  const leaves: readonly string[] = [
    paths.login(),
    paths.logout(),
    paths.register(),
    paths.forgotPassword(),
    paths.resetPassword(),
    paths.emailLink(),
  ]
  return leaves.includes(pathname) ? fallback : `${pathname}${search}${hash}`
}

/** Whether a navigation needs a new document: only the cart's security policy allows the payment provider's script. */
export const crossesDocuments = (from: string, to: string): boolean => isCart(from) !== isCart(to)

const isCart = (path: string): boolean => path.replace(/[?#].*$/s, '') === paths.cart()

/** The absolute address of a path; an absolute one stays. Resolving would let "//other.example/" name another host. */
export const absolute = (publicUrl: string, pathOrAddress: string): string =>
  /^https?:\/\//.test(pathOrAddress) ? pathOrAddress : `${publicUrl}/${pathOrAddress.replace(/^\/+/, '')}`
