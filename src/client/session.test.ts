import { describe, expect, test } from 'vitest'
import { EXPIRED, NOW, browser, page, refusal, signIn, token } from '../../test/support/browser-sessions.ts'
import { areDifferentAccounts, isExpired } from './tokens.ts'

type Browser = ReturnType<typeof browser>
type Options = Parameters<typeof browser>[0]

const cut = () => Promise.reject(new TypeError('Failed to fetch'))
const stored = ({ storage }: Browser) => [storage.getItem('access'), storage.getItem('refresh')]

/** A browser with a signed-in visitor. */
function signedIn(options: Options = {}, access = token(300)): Browser {
  const shop = browser(options)
  signIn(shop, access)
  return shop
}

/** How a renewal failed, and what it left. */
async function failedRenewal(options: Options, access = token(300)) {
  const shop = signedIn(options, access)
  const failure: unknown = await shop.session.renew(access).catch((error: unknown) => error)
  return { failure, stored: stored(shop), events: shop.events, expired: shop.session.takeExpired() }
}
const kept = (failure: object, access = token(300)) => ({
  failure,
  stored: [access, 'refresh-1'],
  events: [],
  expired: false,
})

test('a login keeps both tokens under their names [spec 3.22, 7.7]', () => {
  const shop = browser()
  shop.session.start({ access: 'a', refresh: 'r' })
  expect(stored(shop)).toEqual(['a', 'r'])
  expect(shop.events).toEqual(['started'])
  expect(shop.session.isAuthenticated()).toBe(true)
})

describe('a renewal', () => {
  test('replaces the access token and nothing else [spec 4.4, 7.9]', async () => {
    const shop = signedIn()
    await expect(shop.session.renew(token(300))).resolves.toBe(token(300, 'renewed'))
    expect(stored(shop)).toEqual([token(300, 'renewed'), 'refresh-1'])
    expect(shop.transport.mock.calls[0]).toMatchObject([
      '/api/token/refresh/',
      { body: '{"refresh":"refresh-1"}', headers: { authorization: `Bearer ${token(300)}` } },
    ])
  })

  test('happens once for fifty tabs at once', async () => {
    const shop = signedIn({ tabs: 50 })
    const renewed = await Promise.all(shop.sessions.map((session) => session.renew(token(300))))
    expect(new Set(renewed)).toEqual(new Set([token(300, 'renewed')]))
    expect(shop.transport).toHaveBeenCalledOnce()
  })

  test('happens in every tab where they share no lock', async () => {
    const shop = signedIn({ tabs: 50, locks: false })
    await Promise.all(shop.sessions.map((session) => session.renew(token(300))))
    expect(shop.transport).toHaveBeenCalledTimes(50)
  })

  test.each([400, 401, 403])('that our API refuses (%i) ends the session [spec 4.6]', async (status) => {
    const shop = signedIn({ respond: () => refusal(status) })
    await expect(shop.session.renew(token(300))).resolves.toBeNull()
    expect(stored(shop)).toEqual([null, null])
    expect(shop.events).toEqual(['expired'])
    expect([shop.session.takeExpired(), shop.session.takeExpired()]).toEqual([true, false])
  })

  test('that failed is no longer reported after a new login', async () => {
    const shop = signedIn({ respond: () => refusal(401) })
    await shop.session.renew(token(300))
    shop.session.start({ access: token(300), refresh: 'refresh-2' })
    expect(shop.session.takeExpired()).toBe(false)
  })

  test('that fails is reported once, for concurrent calls and for one without a token right after', async () => {
    const shop = signedIn({ respond: () => refusal(401) })
    await Promise.all([1, 2, 3].map(() => shop.session.renew(token(300))))
    await expect(shop.session.renew('')).resolves.toBeNull()
    expect(shop.events).toEqual(['expired'])
    shop.session.start({ access: token(300), refresh: 'refresh-2' })
    shop.session.expire(EXPIRED)
    expect(shop.events).toEqual(['expired', 'started', 'expired'])
  })

  test('without a refresh token fails at once [spec 4.8]', async () => {
    const shop = browser()
    await expect(shop.session.renew('')).resolves.toBeNull()
    expect(shop.transport).not.toHaveBeenCalled()
    expect(shop.events).toEqual(['expired'])
  })

  test('while the network is down keeps the session', async () => {
    const failure = { network: true, message: 'no network' }
    expect(await failedRenewal({ respond: cut })).toMatchObject(kept(failure))
  })

  test.each([429, 503])('that is refused with %i keeps the session and gives the reason', async (status) => {
    const message = 'Too many requests.'
    const respond = () => Response.json({ detail: message }, { status })
    expect(await failedRenewal({ respond })).toMatchObject(kept({ status, message }))
  })

  test.each([200, 204, 301, 400, 401, 403, 404, 405, 408, 413, 421, 429, 500, 502, 503, 504])(
    'that something other than our API responds (%i) keeps the session',
    async (status) => {
      const respond = () => (status === 204 ? new Response(null, { status }) : page(status))
      const failure = { status, network: false }
      expect(await failedRenewal({ respond }, token(-1))).toMatchObject(kept(failure, token(-1)))
      await expect(signedIn({ respond }, token(-1)).session.ensure()).rejects.toMatchObject({ status })
    },
  )

  test.each<[number, object]>([
    [400, { code: 'request.malformed', detail: 'The request could not be read.' }],
    [400, { code: 'request.invalid', detail: 'Invalid request.' }],
    [400, { code: 'request.invalid', detail: 'Too long', fields: { other: ['Too long'] } }],
    [400, { refresh: ['This field is required.'] }],
    [401, { code: 'proxy.login', detail: 'Who are you?' }],
    [403, { code: 'request.origin', detail: 'Not from here.' }],
    ...[404, 408, 500, 502, 504].map((status): [number, object] => [status, { code: 'internal' }]),
    [200, { access: null }],
  ])('that is refused for another reason than its token keeps the session: %i %j', async (status, body) => {
    const respond = () => Response.json(body, { status })
    expect(await failedRenewal({ respond })).toMatchObject(kept({ status }))
  })

  test('does not undo a login that happened meanwhile', async () => {
    const shop = signedIn({
      respond: () => {
        shop.storage.setItem('access', 'fresh')
        shop.storage.setItem('refresh', 'refresh-2')
        return refusal(401)
      },
    })
    await expect(shop.session.renew(token(300))).resolves.toBe('fresh')
    expect(shop.storage.getItem('refresh')).toBe('refresh-2')
  })
})

describe('a call refused after its renewal', () => {
  test('ends the session once', () => {
    const shop = signedIn()
    expect([shop.session.expire(EXPIRED), shop.session.expire(EXPIRED)]).toEqual([true, true])
    expect(shop.events).toEqual(['expired'])
    expect(stored(shop)).toEqual([null, null])
    expect(shop.session.takeExpired()).toBe(true)
  })

  test.each([
    { ...EXPIRED, code: undefined },
    { ...EXPIRED, code: 'proxy.denied' },
    { ...EXPIRED, status: 403 },
    { ...EXPIRED, status: 429, code: 'auth.busy' },
  ])('for another reason than its token keeps the session: %j', ({ code, ...failure }) => {
    const shop = signedIn()
    expect(shop.session.expire({ ...failure, ...(code !== undefined && { code }) })).toBe(false)
    expect([shop.events, stored(shop)]).toEqual([[], [token(300), 'refresh-1']])
  })
})

describe('the guard', () => {
  test('accepts a valid token without a call [spec 4.9]', async () => {
    const shop = signedIn()
    await expect(shop.session.ensure()).resolves.toBe(true)
    expect(shop.transport).not.toHaveBeenCalled()
  })

  test.each([token(-1), 'not-a-token'])('renews %s [spec 4.10]', async (expired) => {
    const shop = signedIn({}, expired)
    await expect(shop.session.ensure()).resolves.toBe(true)
    expect(shop.transport).toHaveBeenCalledOnce()
  })

  test('refuses a visitor and an ended session', async () => {
    await expect(browser().session.ensure()).resolves.toBe(false)
    const shop = signedIn({ respond: () => refusal(401) }, token(-1))
    await expect(shop.session.ensure()).resolves.toBe(false)
    expect(shop.storage.getItem('access')).toBeNull()
    expect(shop.events).toEqual(['ended'])
  })
})

describe('a logout', () => {
  test('clears all local storage, tells the other tabs and revokes the session [spec 2.11]', async () => {
    const shop = signedIn()
    shop.storage.setItem('billing_country', 'BE')
    await shop.session.end()
    expect([...stored(shop), shop.storage.getItem('billing_country')]).toEqual([null, null, null])
    expect(shop.announceEnd).toHaveBeenCalledOnce()
    const call = ['/api/token/logout/', { body: '{"refresh":"refresh-1"}' }]
    expect(shop.transport.mock.calls[0]).toMatchObject(call)
  })

  test('succeeds when the server cannot be reached', async () => {
    const shop = signedIn({ respond: cut })
    await expect(shop.session.end()).resolves.toBeUndefined()
    expect(shop.session.isAuthenticated()).toBe(false)
  })

  test('in another tab is reported once', () => {
    const shop = signedIn({ tabs: 2 })
    shop.storage.clear()
    shop.sessions[1]?.syncFromOtherTab()
    shop.sessions[1]?.syncFromOtherTab()
    expect(shop.events).toEqual(['ended-elsewhere'])
  })
})

/** A token of an account. */
const tokenOf = (account: string, name = ''): string =>
  `x.${btoa(JSON.stringify({ exp: NOW / 1000 + 300, sub: account, name })).replaceAll('=', '')}.y`
const OTHER = [tokenOf('2'), 'refresh-2'] as const

/** Another person logs in in another tab, and this one did not see the logout before. */
function otherLogsIn({ storage }: Browser): void {
  storage.setItem('access', OTHER[0])
  storage.setItem('refresh', OTHER[1])
}

test('an expiry in another tab is told apart from a logout there, until the next login', async () => {
  const shop = browser({ tabs: 2, respond: () => refusal(401) })
  const [one, other] = shop.sessions as [Browser['session'], Browser['session']]
  const heard = (): string[] => {
    shop.events.length = 0
    other.syncFromOtherTab()
    return [...shop.events]
  }
  signIn(shop)
  expect(await one.renew(token(300))).toBeNull()
  expect(heard()).toEqual(['expired-elsewhere'])
  expect(other.takeExpired()).toBe(false)
  one.start({ access: token(300), refresh: 'refresh-2' })
  expect(heard()).toEqual(['started-elsewhere'])
  await one.end()
  expect(heard()).toEqual(['ended-elsewhere'])
  signIn(shop, token(-1))
  expect(await one.ensure()).toBe(false)
  expect(heard()).toEqual(['expired-elsewhere'])
})

describe('a login of another account', () => {
  test('in another tab is reported once, and a renewed token of the same account is not', () => {
    const shop = signedIn({}, tokenOf('1'))
    shop.storage.setItem('access', tokenOf('1', 'renewed'))
    shop.session.syncFromOtherTab()
    expect(shop.events).toEqual([])
    otherLogsIn(shop)
    shop.session.syncFromOtherTab()
    shop.session.syncFromOtherTab()
    expect(shop.events).toEqual(['replaced-elsewhere'])
  })

  test.each(['before', 'during'])('%s a renewal: no call is repeated with its token', async (moment) => {
    const shop = signedIn(
      {
        respond: () => {
          otherLogsIn(shop)
          return Response.json({ access: tokenOf('1', 'renewed') })
        },
      },
      tokenOf('1'),
    )
    if (moment === 'before') otherLogsIn(shop)
    await expect(shop.session.renew(tokenOf('1'))).resolves.toBeNull()
    expect(shop.session.expire(EXPIRED)).toBe(true)
    expect([stored(shop), shop.events]).toEqual([OTHER, ['replaced-elsewhere']])
  })

  test('in this tab ends what was shown before, and every login the session before it', () => {
    const shop = signedIn({}, tokenOf('1'))
    shop.session.start({ access: tokenOf('1', 'next'), refresh: 'refresh-1b' })
    expect([shop.events, shop.announceEnd.mock.calls]).toEqual([['started'], []])
    shop.session.start({ access: OTHER[0], refresh: OTHER[1] })
    expect(shop.events).toEqual(['started', 'ended', 'started'])
    expect(shop.announceEnd).toHaveBeenCalledOnce()
    expect(stored(shop)).toEqual(OTHER)
    expect(shop.transport.mock.calls.map(([path, init]) => [path, init?.body])).toEqual(
      ['refresh-1', 'refresh-1b'].map((refresh) => ['/api/token/logout/', JSON.stringify({ refresh })]),
    )
  })
})

test('a token counts as expired shortly before its expiry', () => {
  expect([isExpired(token(4), NOW), isExpired(token(6), NOW)]).toEqual([true, false])
})

test.each(['null', '7', '"text"', '[]', '{', ''])(
  'a token with the claims %j counts as expired, and of no other account',
  (claims) => {
    const odd = `x.${btoa(claims)}.y`
    expect([isExpired(odd, NOW), areDifferentAccounts(odd, token(300))]).toEqual([true, false])
  },
)
