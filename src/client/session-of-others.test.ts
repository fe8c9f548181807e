import { describe, expect, test } from 'vitest'
import { EXPIRED, NOW, browser, signIn } from '../../test/support/browser-sessions.ts'

/** A token of an account. */
const tokenOf = (account: string, name = ''): string =>
  `x.${btoa(JSON.stringify({ exp: NOW / 1000 + 300, sub: account, name })).replaceAll('=', '')}.y`

describe('somebody else who logs in in another tab, of which this one heard no end before', () => {
  const elseLogsIn = ({ storage }: ReturnType<typeof browser>): void => {
    storage.setItem('access', tokenOf('2'))
    storage.setItem('refresh', 'refresh-2')
  }

  test('is told, once, and not the same person’s next token', () => {
    const shop = browser()
    signIn(shop, tokenOf('1'))
    shop.storage.setItem('access', tokenOf('1', 'renewed'))
    shop.session.syncFromOtherTab()
    expect(shop.events).toEqual([])
    elseLogsIn(shop)
    shop.session.syncFromOtherTab()
    shop.session.syncFromOtherTab()
    expect(shop.events).toEqual(['replaced-elsewhere'])
  })

  test('has no call repeated in their name, and keeps their session', async () => {
    const shop = browser()
    signIn(shop, tokenOf('1'))
    elseLogsIn(shop)
    await expect(shop.session.renew(tokenOf('1'))).resolves.toBeNull()
    expect(shop.session.expire(EXPIRED)).toBe(true)
    expect(shop.events).toEqual(['replaced-elsewhere'])
    expect(shop.storage.getItem('access')).toBe(tokenOf('2'))
    expect(shop.storage.getItem('refresh')).toBe('refresh-2')
  })

  test('the same while a renewal is under way', async () => {
    const shop = browser({
      answer: () => {
        elseLogsIn(shop)
        return Response.json({ access: tokenOf('1', 'renewed') })
      },
    })
    signIn(shop, tokenOf('1'))
    await expect(shop.session.renew(tokenOf('1'))).resolves.toBeNull()
    expect(shop.storage.getItem('access')).toBe(tokenOf('2'))
    expect(shop.events).toEqual(['replaced-elsewhere'])
  })
})

test('a login ends what was shown to somebody else, and nothing of the same person', () => {
  const shop = browser()
  signIn(shop, tokenOf('1'))
  shop.session.start({ access: tokenOf('1', 'next'), refresh: 'refresh-1b' })
  expect([shop.events, shop.announceEnd.mock.calls]).toEqual([['started'], []])
  shop.session.start({ access: tokenOf('2'), refresh: 'refresh-2' })
  expect(shop.events).toEqual(['started', 'ended', 'started'])
  expect(shop.announceEnd).toHaveBeenCalledOnce()
  expect([shop.storage.getItem('access'), shop.storage.getItem('refresh')]).toEqual([
    tokenOf('2'),
    'refresh-2',
  ])
})
