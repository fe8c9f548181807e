import routes from '../../src/apps/site/routes.ts'

/**
 * How visitors see each route of src/apps/site/routes.ts. `indexed`: search engines may show it. `guarded`: its head is public
 * and its body is not. `unlisted`: public, readable without scripts, not indexed. `account`: public, not indexed, and useless without scripts. `demo`: only in the demonstration.
 * `missing`: any other path.
 */
type Kind = 'indexed' | 'guarded' | 'unlisted' | 'account' | 'demo' | 'missing'

interface Seen {
  kind: Kind
  /** An address of it, for routes with parts that vary. */
  path?: string
}

const KINDS: Record<string, Seen> = {
  '': { kind: 'indexed' },
  offers: { kind: 'indexed' },
  'offers/:slug': { kind: 'guarded', path: '/offers/ouverte' },
  draws: { kind: 'indexed' },
  winners: { kind: 'indexed' },
  'draws/:slug': { kind: 'indexed', path: '/draws/ouverte' },
  'draws/:slug/live': { kind: 'unlisted', path: '/draws/ouverte/live' },
  cart: { kind: 'guarded' },
  'profile/participations': { kind: 'guarded' },
  'profile/favourites': { kind: 'guarded' },
  'profile/data': { kind: 'guarded' },
  'profile/orders': { kind: 'guarded' },
  'profile/sessions': { kind: 'guarded' },
  login: { kind: 'account' },
  register: { kind: 'account' },
  'forgot-password': { kind: 'account' },
  'reset-password': { kind: 'account' },
  'email-link': { kind: 'account' },
  // Without the token of a link.
  unsubscribe: { kind: 'missing' },
  claim: { kind: 'account' },
  logout: { kind: 'account' },
  contact: { kind: 'indexed' },
  'policies/terms-and-conditions': { kind: 'indexed' },
  'policies/accessibility': { kind: 'indexed' },
  'draws/verify': { kind: 'indexed' },
  'demo/mailbox': { kind: 'demo' },
  'demo/mailbox/:id': { kind: 'missing', path: '/demo/mailbox/nowhere' },
  '*': { kind: 'missing', path: '/nowhere/at-all' },
}

export interface SeenRoute {
  path: string
  kind: Kind
}

/** Every page of the shop by an address, that of an offer by the slug "ouverte"; throws for a route that is not classified above. */
export const seenRoutes: readonly SeenRoute[] = routes
  .flatMap(({ children = [] }) => children)
  .map(({ path = '' }) => {
    const seen = KINDS[path]
    if (!seen) throw new Error(`test/support/routes.ts does not classify the route "${path}"`)
    return { path: seen.path ?? `/${path}`, kind: seen.kind }
  })
