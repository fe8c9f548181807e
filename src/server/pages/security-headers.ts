import type { PublicSettings } from '#shared/public-settings.ts'
import { WORKER_POLICY } from './offline-worker.ts'

/** Two years. */
const HSTS = 'max-age=63072000; includeSubDomains'

/** What is no document shows nothing, should a browser take it for one. */
const NOTHING_SHOWN =
  "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Headers of every response; a document replaces the policy, and what may be kept says so (ADR 0107). */
export const baseHeaders = (publicUrl: string): Record<string, string> => ({
  'cache-control': 'no-store',
  'content-security-policy': NOTHING_SHOWN,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-resource-policy': 'same-origin',
  ...(publicUrl.startsWith('https:') && { 'strict-transport-security': HSTS }),
})

/** The name under which a page starts the worker that checks draws (features/draws/screens/verify/shop-worker.ts). */
const DRAW_WORKER_POLICY = 'draw-worker'

export const REPORTS_PATH = '/reports/policy'

const NO_FEATURES = `accelerometer autoplay browsing-topics camera display-capture encrypted-media
  geolocation gyroscope hid idle-detection magnetometer microphone midi screen-wake-lock serial usb xr-spatial-tracking`
  .split(/\s+/)
  .map((feature) => `${feature}=()`)
  .join(', ')

/** Headers of the console's document, which runs nothing of anybody else. `blob:` shows pictures before they are sent. */
export const consoleHeaders = (dev: boolean): Record<string, string> => ({
  'content-security-policy': serialize({
    'default-src': ["'none'"],
    'script-src': dev ? ["'self'", "'unsafe-inline'"] : ["'self'"],
    'style-src': dev ? ["'self'", "'unsafe-inline'"] : ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...(dev ? ['ws:'] : [])],
    // The preview, which alone allows it.
    'frame-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
    ...(!dev && { 'require-trusted-types-for': ["'script'"], 'trusted-types': ["'none'"] }),
    'report-to': ['policy'],
  }),
  'reporting-endpoints': `policy="${REPORTS_PATH}"`,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': `${NO_FEATURES}, payment=()`,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
})

/** Headers of the frame in which the console shows pages of the shop: it connects to nothing, so it can buy nothing. */
export const previewHeaders = (dev: boolean): Record<string, string> => ({
  'content-security-policy': serialize({
    'default-src': ["'none'"],
    'script-src': dev ? ["'self'", "'unsafe-inline'"] : ["'self'"],
    'style-src': dev ? ["'self'", "'unsafe-inline'"] : ["'self'"],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': dev ? ["'self'", 'ws:'] : ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'self'"],
    ...(!dev && { 'require-trusted-types-for': ["'script'"], 'trusted-types': ["'none'"] }),
    'report-to': ['policy'],
  }),
  'reporting-endpoints': `policy="${REPORTS_PATH}"`,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': `${NO_FEATURES}, payment=()`,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'SAMEORIGIN',
  'x-robots-tag': 'noindex',
})

export interface DocumentPolicy {
  /** Hashes of inline scripts. */
  scripts: readonly string[]
  /** For additions of the payment provider's script; see `needsNonce`. */
  nonce?: string
  path: string
  settings: PublicSettings
  /** In development styles are injected and modules replaced. */
  dev: boolean
}

/** Headers of a document. The payment provider's script runs on the cart only. */
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
    // The demo mailbox shows an email's HTML in a frame.
    ...(policy.settings.mailbox && { 'frame-src': ["'self'"] }),
  }
  return policy.dev
    ? base
    : {
        ...base,
        'require-trusted-types-for': ["'script'"],
        'trusted-types': [WORKER_POLICY, DRAW_WORKER_POLICY],
      }
}

const commonPolicy = ({ scripts, dev, settings }: DocumentPolicy): Directives => ({
  'default-src': ["'none'"],
  'script-src': ["'self'", ...scripts],
  'style-src': dev ? ["'self'", "'unsafe-inline'"] : ["'self'"],
  'img-src': ["'self'", 'data:', ...pictureOrigins(settings)],
  'font-src': ["'self'"],
  'connect-src': ["'self'", ...(dev ? ['ws:'] : []), ...emailServiceSources(settings)],
  'manifest-src': ["'self'"],
  'worker-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'report-to': ['policy'],
})

/** The provider's script adds scripts and styles with our nonce, so Trusted Types are off here. */
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

/** Origins of the home page's pictures; for every page, since one document shows many pages. */
const pictureOrigins = ({ pictures, publicUrl }: PublicSettings): string[] => {
  const addresses = Object.values(pictures).filter((one) => one !== null && !one.startsWith('/'))
  const origins = new Set(addresses.map((one) => new URL(one as string).origin))
  origins.delete(new URL(publicUrl).origin)
  return [...origins]
}

/** Also for every page. */
const emailServiceSources = ({ emailService }: PublicSettings): string[] =>
  emailService ? [new URL(emailService.origin).origin] : []

/** Such a page is not cached. */
export const needsNonce = (page: Pick<DocumentPolicy, 'path' | 'settings'>): boolean =>
  providerSources(page) !== undefined

/** On the cart only, and only if the provider's script is used. */
function providerSources({
  path,
  settings,
}: Pick<DocumentPolicy, 'path' | 'settings'>): { origin: string; sources: string[] } | undefined {
  if (path !== '/cart' || settings.paypal.flow === 'redirect') return undefined
  const { origin, hostname } = new URL(settings.paypal.sdkBaseUrl)
  const isPayPal = /(^|\.)paypal\.com$/.test(hostname)
  return { origin, sources: isPayPal ? ['https://*.paypal.com', 'https://*.paypalobjects.com'] : [origin] }
}
