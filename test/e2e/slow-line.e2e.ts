import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleOf } from '../support/console.ts'
import { arrive, callsOf, field, holdBack, holdDocument, press, seeTitle } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const stage = await openStage({ host: 'localhost' })
const { shop, visit } = stage
const open = consoleOf(stage)
const t = words('en')

beforeAll(() => shop.newOffer({ slug: 'slow' }))

const SCRIPTS = /\/assets\/[^?]*\.js$/

/** Keeps the scripts of a page back, as a slow line does. @returns what lets them pass */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  await page.route(SCRIPTS, async (route) => {
    await released
    await route.fallback()
  })
  return resolve
}

const sign = (page: Page): Locator => page.locator('html[data-waiting]')

/** The sign is seen, and said. */
async function seeSign(page: Page, text: string): Promise<void> {
  await sign(page).waitFor({ state: 'attached' })
  await page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
}

const WAITING = t('errors.early.waiting')

describe('a form that is filled in before the scripts are there', () => {
  test.each([
    [
      'Enter, twice',
      async (page: Page) => [await page.keyboard.press('Enter'), await page.keyboard.press('Enter')],
    ],
    [
      'a click, three times',
      async (page: Page) => {
        for (let count = 0; count < 3; count += 1) await press(page, t('accounts.login.submit'))
      },
    ],
  ])('logs in once, by %s', async (_, send) => {
    const customer = await shop.newCustomer()
    const { page, faults } = await visit()
    const release = await holdScripts(page)
    const calls = callsOf(page)
    await page.goto('/login?next=/contact', { waitUntil: 'domcontentloaded' })
    await field(page, t('accounts.email')).pressSequentially(customer.email)
    await field(page, t('accounts.password')).pressSequentially(customer.password)
    await send(page)
    await seeSign(page, WAITING)
    expect(page.url()).toBe(`${shop.config.publicUrl}/login?next=/contact`)
    expect(await field(page, t('accounts.email')).inputValue()).toBe(customer.email)
    expect(calls).toEqual([])
    release()
    await arrive(page, '/contact')
    await sign(page).waitFor({ state: 'detached' })
    expect(calls.filter((call) => call === 'POST /api/token/')).toHaveLength(1)
    expect(faults).toEqual([])
  })

  test('registers with every value, also of the drop-down', async () => {
    const { page } = await visit()
    const release = await holdScripts(page)
    const calls = callsOf(page)
    await page.goto('/register', { waitUntil: 'domcontentloaded' })
    const values = [
      ['accounts.username', 'slow line'],
      ['accounts.email', 'slow@example.test'],
      ['accounts.phone', '612345678'],
      ['accounts.password', 'long enough!'],
      ['accounts.confirm', 'long enough!'],
    ] as const
    for (const [label, value] of values) await field(page, t(label)).pressSequentially(value)
    await page.getByLabel(t('accounts.dialCode')).selectOption('+31')
    await press(page, t('accounts.register.submit'))
    const sent = page.waitForRequest((request) => request.url().endsWith('/api/user/register/'))
    release()
    expect((await sent).postDataJSON()).toMatchObject({
      email: 'slow@example.test',
      phone_number: '+31612345678',
    })
    await arrive(page, '/login')
    expect(calls.filter((call) => call === 'POST /api/user/register/')).toHaveLength(1)
  })

  test('keeps what is typed without being sent, and the caret', async () => {
    const { page } = await visit()
    const release = await holdScripts(page)
    await page.goto('/contact', { waitUntil: 'domcontentloaded' })
    await field(page, t('contact.name')).pressSequentially('Ada')
    await field(page, t('contact.message')).pressSequentially('Hello there')
    await page.keyboard.press('ArrowLeft')
    release()
    await sign(page).waitFor({ state: 'detached' })
    await page.waitForFunction(() =>
      Object.keys(document.querySelector('main')!).some((name) => name.startsWith('__react')),
    )
    await press(page, t('contact.submit'))
    await page.getByText(t('errors.email.invalid')).first().waitFor()
    expect(await field(page, t('contact.name')).inputValue()).toBe('Ada')
    expect(await field(page, t('contact.message')).inputValue()).toBe('Hello there')
  })

  test('a language that is chosen too early is the language of the next page', async () => {
    const { page } = await visit()
    const release = await holdScripts(page)
    await page.goto('/contact', { waitUntil: 'domcontentloaded' })
    await page.getByLabel(t('frame.language')).locator('visible=true').first().selectOption('nl')
    release()
    await page.waitForURL(/lang=nl/)
  })
})

test('a page whose scripts never come says so, and keeps what was typed for the next attempt', async () => {
  const { page } = await visit()
  await page.clock.install()
  await page.route(SCRIPTS, (route) => route.abort())
  await page.goto('/register', { waitUntil: 'domcontentloaded' })
  await field(page, t('accounts.username')).fill('slow line')
  await field(page, t('accounts.email')).fill('slow@example.test')
  await field(page, t('accounts.password')).fill('long enough!')
  await press(page, t('accounts.register.submit'))
  await page.clock.fastForward(13_000)
  await page.getByText(t('errors.early.stuck')).waitFor()
  expect(await field(page, t('accounts.email')).inputValue()).toBe('slow@example.test')
  await page.unroute(SCRIPTS)
  await press(page, t('errors.unreachable.retry'))
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('main') ?? {}).some((name) => name.startsWith('__react')),
  )
  await expect.poll(() => field(page, t('accounts.email')).inputValue()).toBe('slow@example.test')
  expect(await field(page, t('accounts.username')).inputValue()).toBe('slow line')
  expect(await field(page, t('accounts.password')).inputValue()).toBe('')
  expect(await page.evaluate(() => sessionStorage.getItem('volant-typed'))).toBeNull()
})

test('a page on its way is seen and heard, from the list to a contest and to the cart', async () => {
  const { page } = await stage.member('/offers')
  const release = await holdBack(page, '/api/offers/slow/')
  await page.locator('main a[href="/offers/slow"]').first().click()
  await seeSign(page, WAITING)
  release()
  await arrive(page, '/offers/slow')
  await sign(page).waitFor({ state: 'detached' })
  // The page is asked before it is left, and tells by itself: a question waits for the next document.
  const said: string[] = []
  await page.exposeFunction('say', (text: string) => said.push(text))
  await page.evaluate(() => {
    const { say } = window as unknown as { say: (text: string) => void }
    const look = (): void => {
      if ('waiting' in document.documentElement.dataset)
        say(document.getElementById('page-status')?.textContent ?? '')
    }
    new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true })
  })
  const releaseCart = await holdDocument(page, '/cart')
  const link = page
    .locator('aside')
    .getByRole('link', { name: t('frame.menu.cart') })
    .first()
  await link.evaluate((element: HTMLElement) => element.click())
  await expect.poll(() => said).toContain(WAITING)
  releaseCart()
  await seeTitle(page, t('cart.empty.title'))
  await sign(page).waitFor({ state: 'detached' })
})

test('a screen of the console on its way is seen and heard', async () => {
  const { page } = await open('/')
  const release = await holdBack(page, '/api/staff/orders/')
  await page.getByRole('link', { name: t('console.nav.orders'), exact: true }).click()
  await seeSign(page, t('console.frame.loading'))
  release()
  await seeTitle(page, t('console.nav.orders'))
  await sign(page).waitFor({ state: 'detached' })
})
