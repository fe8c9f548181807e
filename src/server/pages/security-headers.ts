import type { PublicSettings } from '#shared/public-settings.ts'

/** HSTS for two years. */
const HSTS = 'max-age=63072000; includeSubDomains'

/** Headers of every answer, whatever it is. */
export const baseHeaders = (publicUrl: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-resource-policy': 'same-origin',
  ...(publicUrl.startsWith('https:') && { 'strict-transport-security': HSTS }),
})

/** Where browsers report violations of the policy. */
export const REPORTS_PATH = '/reports/policy'

const NO_FEATURES = `accelerometer autoplay browsing-topics camera display-capture encrypted-media
  geolocation gyroscope hid idle-detection magnetometer microphone midi screen-wake-lock serial usb xr-spatial-tracking`
  .split(/\s+/)
  .map((feature) => `${feature}=()`)
  .join(', ')

export interface DocumentPolicy {
  /** Hashes of the document's inline scripts. */
  scripts: readonly string[]
  /** For what the payment provider's script adds to the page; see `needsNonce`. */
  nonce?: string
  path: string
  settings: PublicSettings
  /** Development: styles are injected and modules replaced while the page is open. */
  dev: boolean
}

/** Headers of an HTML document. The payment provider's script runs on the cart alone. */
export function documentHeaders(policy: DocumentPolicy): Record<string, string> {
  const provider = providerSources(policy)
  return {
    'content-security-policy': serialize(provider ? cartPolicy(policy, provider) : defaultPolicy(policy)),
    'reporting-endpoints': `policy="${REPORTS_PATH}"`,
    'cross-origin-opener-policy': provider ? 'same-origin-allow-popups' : 'same-origin',
    'permissions-policy': `${NO_FEATURES}, payment=(${provider ? `self "${provider.origin}"` : ''})`,
    'x-frame-options': 'DENY',
  }
}

type Directives = Record<string, string[]>

const serialize = (directives: Directives): string =>
  Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ')

function defaultPolicy(policy: DocumentPolicy): Directives {
  const base = {
    ...commonPolicy(policy),
    // The demonstration's mailbox shows an email's HTML in a frame.
    ...(policy.settings.mailbox && { 'frame-src': ["'self'"] }),
  }
  return policy.dev
    ? base
    : { ...base, 'require-trusted-types-for': ["'script'"], 'trusted-types': ["'none'"] }
}

const commonPolicy = ({ scripts, dev, settings }: DocumentPolicy): Directives => ({
  'default-src': ["'none'"],
  'script-src': ["'self'", ...scripts],
  'style-src': dev ? ["'self'", "'unsafe-inline'"] : ["'self'"],
  'img-src': ["'self'", 'data:', ...pictureOrigins(settings)],
  'font-src': ["'self'"],
  'connect-src': ["'self'", ...(dev ? ['ws:'] : []), ...emailServiceSources(settings)],
  'manifest-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'report-to': ['policy'],
})

/** The provider's script writes scripts and styles with our nonce, so Trusted Types are off here. */
function cartPolicy(policy: DocumentPolicy, { sources }: { sources: string[] }): Directives {
  const { nonce, dev } = policy
  const common = commonPolicy(policy)
  const nonces = nonce === undefined ? [] : [`'nonce-${nonce}'`]
  const also = (name: string): string[] => [...(common[name] ?? []), ...sources]
  return {
    ...common,
    'script-src': [...also('script-src'), ...nonces],
    // A nonce would make browsers ignore the 'unsafe-inline' of development.
    'style-src': dev ? also('style-src') : [...also('style-src'), ...nonces],
    'img-src': also('img-src'),
    'connect-src': also('connect-src'),
    'frame-src': sources,
    'child-src': sources,
  }
}

/** Other origins of the home page's pictures; for every page, since one document shows many pages. */
const pictureOrigins = ({ pictures, publicUrl }: PublicSettings): string[] => {
  const addresses = Object.values(pictures).filter((one) => one !== null && !one.startsWith('/'))
  const origins = new Set(addresses.map((one) => new URL(one as string).origin))
  origins.delete(new URL(publicUrl).origin)
  return [...origins]
}

/** Origin of the contact form's e-mail service; for every page, for the same reason. */
const emailServiceSources = ({ emailService }: PublicSettings): string[] =>
  emailService ? [new URL(emailService.origin).origin] : []

/** Whether a page needs a nonce for the provider's script; such a page is not cached. */
export const needsNonce = (page: Pick<DocumentPolicy, 'path' | 'settings'>): boolean =>
  providerSources(page) !== undefined

/** The hosts of the payment provider, on the cart alone and only if its script is used. */
function providerSources({
  path,
  settings,
}: Pick<DocumentPolicy, 'path' | 'settings'>): { origin: string; sources: string[] } | undefined {
  if (path !== '/cart' || settings.paypal.flow === 'redirect') return undefined
  const { origin, hostname } = new URL(settings.paypal.sdkBaseUrl)
  const isPayPal = /(^|\.)paypal\.com$/.test(hostname)
  return { origin, sources: isPayPal ? ['https://*.paypal.com', 'https://*.paypalobjects.com'] : [origin] }
}
