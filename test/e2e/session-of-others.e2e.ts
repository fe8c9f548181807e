import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { keepTokens, member, network, putIntoCart } from '../support/visits.ts'
import { words } from '../support/words.ts'

/** Several people at one browser, one after the other. */
const t = words('en')

const { shop, browser } = await openStage()

const stored = (page: Page): Promise<(string | null)[]> =>
  page.evaluate(() => ['access', 'refresh'].map((name) => localStorage.getItem(name)))

test('a page that slept while somebody else logged in is loaded anew, as theirs', async () => {
  const first = await member(browser, shop)
  const { page, context, close } = first
  await page.goto('/profile/data')
  await page.getByText(first.customer.email).first().waitFor()
  const second = await shop.newCustomer()
  const other = await context.newPage()
  await other.goto('/api/health/live')
  // As a page sees it that heard neither of the logout nor of the login in their time.
  await keepTokens(other, { ...(await shop.sessionOf(second)) })
  await page.getByText(second.email).first().waitFor()
  expect(await page.getByText(first.customer.email).count()).toBe(0)
  await close()
})

test('who logs in while somebody else is signed in sees nothing of theirs', async () => {
  const first = await member(browser, shop)
  const { page, close } = first
  await putIntoCart(first.customer, await shop.newOffer(), 3)
  const second = await shop.newCustomer()
  await page.goto('/login')
  await awake(page)
  const nameOf = async ({ id }: { id: number }): Promise<string> =>
    (await shop.db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow())
      .username
  await page
    .getByText(await nameOf(first.customer))
    .first()
    .waitFor()
  await page.getByLabel(t('accounts.email')).fill(second.email)
  await page.getByLabel(t('accounts.password'), { exact: true }).fill(second.password)
  await page.getByRole('button', { name: t('accounts.login.submit'), exact: true }).click()
  await page.waitForURL(({ pathname }) => pathname === '/')
  await page
    .getByText(await nameOf(second))
    .first()
    .waitFor()
  expect(await page.getByText(await nameOf(first.customer)).count()).toBe(0)
  expect(await page.locator('aside [data-badge]').count()).toBe(0)
  await close()
})

test('who logs in in another tab while a logout is still on its way stays signed in', async () => {
  const { page, context, close } = await member(browser, shop)
  await page.goto('/profile/participations')
  await page.getByText('No ticket found').waitFor()
  const other = await context.newPage()
  await other.goto('/contact')
  await awake(other)
  await other.evaluate(() => sessionStorage.setItem('volant-pending-order', 'ORDER'))
  const next = await shop.sessionOf(await shop.newCustomer())
  await network(page, { latency: 3_000 })
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/api/token/logout/'))
  await page.getByRole('link', { name: 'Logout' }).first().click()
  await other.waitForURL(({ pathname }) => pathname === '/login')
  expect(await other.evaluate(() => sessionStorage.getItem('volant-pending-order'))).toBeNull()
  await keepTokens(other, next)
  expect((await answered).status()).toBe(204)
  await page.waitForURL(({ pathname }) => pathname === '/login')
  expect(await stored(other)).toEqual([next['access'], next['refresh']])
  await close()
})
