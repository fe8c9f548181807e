import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { insertDraw } from '../support/draws.ts'
import { beginPayment, callsOf } from '../support/page-control.ts'
import { sharedStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

// A browser on a machine whose clock is wrong counts, judges and renews as the database's clock says.

const t = words('en')
const { shop, member, visit } = await sharedStage()
const MINUTE_MS = 60_000

/** Moves the clock of the machine, but not the one that nobody can set. */
const moveClock = (context: BrowserContext, byMs: number): Promise<unknown> =>
  context.addInitScript((ms) => {
    const Real = Date
    const moved = { ms }
    class Wrong extends Real {
      constructor(...parts: [number]) {
        super(...((parts.length > 0 ? parts : [Wrong.now()]) as [number]))
      }
      static override now(): number {
        return Real.now() + moved.ms
      }
    }
    Object.assign(window, { Date: Wrong, moved })
  }, byMs)

/** Sets it while the page is open. */
const setClock = (page: Page, byMs: number): Promise<unknown> =>
  page.evaluate((ms) => Object.assign((window as never as { moved: object }).moved, { ms }), byMs)

/** Responds with 401 to calls that the page has made. */
function refusals(page: Page): string[] {
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 401) refused.push(response.url())
  })
  return refused
}

const CLOCKS = [
  ['18 minutes ahead', 18 * MINUTE_MS],
  ['two hours behind', -120 * MINUTE_MS],
  ...sized({
    short: [],
    extended: [
      ['30 minutes ahead', 30 * MINUTE_MS],
      ['a day ahead', 1_440 * MINUTE_MS],
    ] as const,
  }),
] as const

/** In the middle of a minute, so that the minutes shown do not change while the test looks. */
const inMinutes = (count: number): Date => new Date(Date.now() + count * MINUTE_MS + MINUTE_MS / 2)

// In the short form of the tests a clock that is ahead meets the token, and one that is behind the reservation.
describe.each(CLOCKS)('a machine whose clock is %s', (_, ahead) => {
  test('sees the time that is left, also after its clock was set', async () => {
    const slug = `clock-${ahead + 10 ** 9}`
    await shop.newOffer({ slug, end_date: inMinutes(40) })
    const { page, context } = await member()
    await moveClock(context, ahead)
    await page.goto(`/offers/${slug}`)
    const left = page.getByText(t('offers.countdown.minutes', { minutes: 40 }), { exact: true }).first()
    await left.waitFor()
    const buy = page.getByRole('button', { name: t('offers.buy.add') }).first()
    await buy.waitFor()
    for (const later of [0, 3, -5]) {
      await setClock(page, ahead + later * 60 * MINUTE_MS)
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await left.waitFor()
      expect(await buy.count()).toBe(1)
    }
  })

  test.runIf(isExtended || ahead < 0)(
    'keeps the reservation that the server keeps, and asks for no more time',
    async () => {
      const customer = await shop.newCustomer()
      const visitor = await member(undefined, { customer, stored: { billing_country: 'BE' } })
      const { page, context } = visitor
      await customer.add(await shop.newOffer(), 1)
      await customer.create()
      await moveClock(context, ahead)
      await page.goto('/cart')
      const minutes = shop.config.holdMinutes
      const first = new RegExp(`^(${minutes}:00|${minutes - 1}:\\d\\d)$`)
      await page.getByRole('timer').filter({ hasText: first }).waitFor()
      const calls = callsOf(page)
      await beginPayment(visitor)
      await page.getByText(/^Your tickets are reserved until/).waitFor()
      await setClock(page, ahead + 60 * MINUTE_MS)
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await page.waitForTimeout(1_000)
      expect(await page.getByText(t('checkout.holdOver')).count()).toBe(0)
      expect(calls.filter((call) => call.includes('extend-hold'))).toEqual([])
    },
  )

  test.runIf(isExtended || ahead > 0)('renews its token when it has ended, and not before', async () => {
    const { page, context } = await member()
    const calls = callsOf(page)
    const refused = refusals(page)
    await moveClock(context, ahead)
    for (const path of ['/profile/participations', '/profile/data', '/profile/orders']) {
      await page.goto(path)
      await page.locator('main h1').waitFor()
    }
    expect(calls.filter((call) => call.includes('/api/token/'))).toEqual([])
    expect(refused).toEqual([])
  })
})

test('the live page of a draw counts by the database', async () => {
  const slug = 'counted'
  await insertDraw(shop, { slug, stage: 'sealed', drawsIn: 91 * 60, closesBefore: 12_000 })
  for (const [, ahead] of [['', 0], ...CLOCKS] as const) {
    const { page, context } = await visit()
    await moveClock(context, ahead)
    await page.goto(`/draws/${slug}/live`)
    await awake(page)
    await page
      .getByText(/^01:(?:30|29|28):\d\d$/)
      .first()
      .waitFor()
  }
})
