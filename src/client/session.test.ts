import { describe, expect, test } from 'vitest'
import { EXPIRED, NOW, browser, page, refusal, signIn, token } from '../../test/support/browser-sessions.ts'
import { areOfTwo, isExpired } from './tokens.ts'

test('a login keeps both tokens under their names [spec 3.22, 7.7]', () => {
  const { session, storage, events } = browser()
  session.start({ access: 'a', refresh: 'r' })
  expect([storage.getItem('access'), storage.getItem('refresh')]).toEqual(['a', 'r'])
  expect(events).toEqual(['started'])
  expect(session.isAuthenticated()).toBe(true)
})

describe('renewing a rejected token', () => {
  test('replaces the access token and nothing else [spec 4.4, 7.9]', async () => {
    const shop = browser()
    signIn(shop)
    await expect(shop.session.renew(token(300))).resolves.toBe(token(300, 'renewed'))
    expect(shop.storage.getItem('access')).toBe(token(300, 'renewed'))
    expect(shop.storage.getItem('refresh')).toBe('refresh-1')
    expect(shop.transport.mock.calls[0]).toMatchObject([
      '/api/token/refresh/',
      { body: '{"refresh":"refresh-1"}', headers: { authorization: `Bearer ${token(300)}` } },
    ])
  })

  test('happens once for fifty tabs at once', async () => {
    const shop = browser({ tabs: 50 })
    signIn(shop)
    const renewed = await Promise.all(shop.sessions.map((session) => session.renew(token(300))))
    expect(new Set(renewed)).toEqual(new Set([token(300, 'renewed')]))
    expect(shop.transport).toHaveBeenCalledOnce()
  })

  test('happens in every tab where they share no lock', async () => {
    const shop = browser({ tabs: 50, locks: false })
    signIn(shop)
    await Promise.all(shop.sessions.map((session) => session.renew(token(300))))
    expect(shop.transport).toHaveBeenCalledTimes(50)
  })

  test.each([400, 401, 403])(
    'that our API refuses (%i) ends the session: both tokens go [spec 4.6]',
    async (status) => {
      const shop = browser({ answer: () => refusal(status) })
      signIn(shop)
      await expect(shop.session.renew(token(300))).resolves.toBeNull()
      expect([shop.storage.getItem('access'), shop.storage.getItem('refresh')]).toEqual([null, null])
      expect(shop.events).toEqual(['expired'])
      expect([shop.session.takeExpired(), shop.session.takeExpired()]).toEqual([true, false])
    },
  )

  test('that failed is no longer news after a new login', async () => {
    const shop = browser({ answer: () => refusal(401) })
    signIn(shop)
    await shop.session.renew(token(300))
    shop.session.start({ access: token(300), refresh: 'refresh-2' })
    expect(shop.session.takeExpired()).toBe(false)
  })

  test('that fails for several calls at once is told once', async () => {
    const shop = browser({ answer: () => refusal(401) })
    signIn(shop)
    await Promise.all([1, 2, 3].map(() => shop.session.renew(token(300))))
    expect(shop.events).toEqual(['expired'])
  })

  test('that fails is not told again by a call that left without a token right after', async () => {
    const shop = browser({ answer: () => refusal(401) })
    signIn(shop)
    await shop.session.renew(token(300))
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

  test('that is refused all the same ends a session once, and nothing where there is none', () => {
    const shop = browser()
    signIn(shop)
    expect([shop.session.expire(EXPIRED), shop.session.expire(EXPIRED)]).toEqual([true, true])
    expect(shop.events).toEqual(['expired'])
    expect([shop.storage.getItem('access'), shop.storage.getItem('refresh')]).toEqual([null, null])
    expect(shop.session.takeExpired()).toBe(true)
  })

  test.each([
    { ...EXPIRED, code: undefined },
    { ...EXPIRED, code: 'proxy.denied' },
    { ...EXPIRED, status: 403 },
    { ...EXPIRED, status: 429, code: 'auth.busy' },
  ])('whose call is refused otherwise goes on: %j', ({ code, ...failure }) => {
    const shop = browser()
    signIn(shop)
    expect(shop.session.expire({ ...failure, ...(code !== undefined && { code }) })).toBe(false)
    expect(shop.events).toEqual([])
    expect(shop.storage.getItem('refresh')).toBe('refresh-1')
  })

  test('while the network is down keeps the session', async () => {
    const shop = browser({ answer: () => Promise.reject(new TypeError('Failed to fetch')) })
    signIn(shop)
    await expect(shop.session.renew(token(300))).rejects.toMatchObject({
      network: true,
      message: 'no network',
    })
    expect(shop.storage.getItem('refresh')).toBe('refresh-1')
    expect(shop.events).toEqual([])
  })

  test.each([429, 503])('that is put off with %i keeps the session, and says why', async (status) => {
    const shop = browser({ answer: () => Response.json({ detail: 'Too many requests.' }, { status }) })
    signIn(shop)
    await expect(shop.session.renew(token(300))).rejects.toMatchObject({
      status,
      message: 'Too many requests.',
    })
    expect(shop.storage.getItem('refresh')).toBe('refresh-1')
    expect(shop.events).toEqual([])
  })

  test.each([200, 204, 301, 400, 401, 403, 404, 405, 408, 413, 421, 429, 500, 502, 503, 504])(
    'that somebody else answers (%i) keeps the session',
    async (status) => {
      const shop = browser({ answer: () => (status === 204 ? new Response(null, { status }) : page(status)) })
      signIn(shop, token(-1))
      await expect(shop.session.renew(token(-1))).rejects.toMatchObject({ status, network: false })
      await expect(shop.session.ensure()).rejects.toMatchObject({ status })
      expect([shop.storage.getItem('access'), shop.storage.getItem('refresh')]).toEqual([
        token(-1),
        'refresh-1',
      ])
      expect([shop.events, shop.session.takeExpired()]).toEqual([[], false])
    },
  )

  test.each([
    [400, { code: 'request.malformed', detail: 'The request could not be read.' }],
    [400, { code: 'request.invalid', detail: 'Invalid request.' }],
    [400, { code: 'request.invalid', detail: 'Too long', fields: { other: ['Too long'] } }],
    [400, { refresh: ['This field is required.'] }],
    [401, { code: 'proxy.login', detail: 'Who are you?' }],
    [403, { code: 'request.origin', detail: 'Not from here.' }],
  ])('that is refused for another reason than its token keeps the session: %i %j', async (status, body) => {
    const shop = browser({ answer: () => Response.json(body, { status }) })
    signIn(shop)
    await expect(shop.session.renew(token(300))).rejects.toMatchObject({ status })
    expect([shop.storage.getItem('access'), shop.storage.getItem('refresh')]).toEqual([
      token(300),
      'refresh-1',
    ])
    expect(shop.events).toEqual([])
  })

  test.each([404, 408, 500, 502, 504])(
    'that our API cannot answer (%i) keeps the session',
    async (status) => {
      const shop = browser({ answer: () => Response.json({ code: 'internal' }, { status }) })
      signIn(shop)
      await expect(shop.session.renew(token(300))).rejects.toMatchObject({ status, code: 'internal' })
      expect(shop.storage.getItem('refresh')).toBe('refresh-1')
      expect(shop.events).toEqual([])
    },
  )

  test('that brings no token keeps what there is', async () => {
    const shop = browser({ answer: () => Response.json({ access: null }) })
    signIn(shop)
    await expect(shop.session.renew(token(300))).rejects.toMatchObject({ status: 200 })
    expect(shop.storage.getItem('access')).toBe(token(300))
  })

  test('does not undo a login that happened meanwhile', async () => {
    const shop = browser({
      answer: () => {
        shop.storage.setItem('access', 'fresh')
        shop.storage.setItem('refresh', 'refresh-2')
        return refusal(401)
      },
    })
    signIn(shop)
    await expect(shop.session.renew(token(300))).resolves.toBe('fresh')
    expect(shop.storage.getItem('refresh')).toBe('refresh-2')
  })
})

describe('the guard', () => {
  test('lets a good token pass without asking the server [spec 4.9]', async () => {
    const shop = browser()
    signIn(shop)
    await expect(shop.session.ensure()).resolves.toBe(true)
    expect(shop.transport).not.toHaveBeenCalled()
  })

  test.each([token(-1), 'not-a-token'])('renews %s [spec 4.10]', async (expired) => {
    const shop = browser()
    signIn(shop, expired)
    await expect(shop.session.ensure()).resolves.toBe(true)
    expect(shop.transport).toHaveBeenCalledOnce()
  })

  test('stops a visitor, and a session that is over', async () => {
    await expect(browser().session.ensure()).resolves.toBe(false)
    const shop = browser({ answer: () => refusal(401) })
    signIn(shop, token(-1))
    await expect(shop.session.ensure()).resolves.toBe(false)
    expect(shop.storage.getItem('access')).toBeNull()
    expect(shop.events).toEqual(['ended'])
  })
})

describe('a logout', () => {
  test('clears all local storage, tells the other tabs and revokes the session [spec 2.11]', async () => {
    const shop = browser()
    signIn(shop)
    shop.storage.setItem('billing_country', 'BE')
    await shop.session.end()
    expect(['access', 'refresh', 'billing_country'].map((name) => shop.storage.getItem(name))).toEqual([
      null,
      null,
      null,
    ])
    expect(shop.announceEnd).toHaveBeenCalledOnce()
    expect(shop.transport.mock.calls[0]).toMatchObject([
      '/api/token/logout/',
      { body: '{"refresh":"refresh-1"}' },
    ])
  })

  test('succeeds when the server cannot be reached', async () => {
    const shop = browser({ answer: () => Promise.reject(new TypeError('Failed to fetch')) })
    signIn(shop)
    await expect(shop.session.end()).resolves.toBeUndefined()
    expect(shop.session.isAuthenticated()).toBe(false)
  })

  test('of another tab is noticed once', async () => {
    const shop = browser({ tabs: 2 })
    signIn(shop)
    const other = shop.sessions[1]!
    shop.storage.clear()
    other.syncFromOtherTab()
    other.syncFromOtherTab()
    expect(shop.events).toEqual(['ended-elsewhere'])
  })
})

test('a token counts as expired a little before it is', () => {
  expect(isExpired(token(4), NOW)).toBe(true)
  expect(isExpired(token(6), NOW)).toBe(false)
})

test.each(['null', '7', '"text"', '[]', '{', ''])(
  'a token whose claims are %j counts as expired, and as nobody else’s',
  (claims) => {
    const odd = `x.${btoa(claims)}.y`
    expect(isExpired(odd, NOW)).toBe(true)
    expect(areOfTwo(odd, token(300))).toBe(false)
  },
)
