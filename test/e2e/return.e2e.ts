import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { layoutFaults, seeAccessible, smallTargets } from '../support/page-checks.ts'
import { arrive, callsOf, logIn, respondWith, seeTitle, seeToast } from '../support/page-control.ts'
import { sharedStage } from '../support/stage.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'

const { shop, visit, member } = await sharedStage()

const DAY_MS = 86_400_000

/** A contest of which everything can be reminded. */
async function contest(slug: string): Promise<{ slug: string; title: string }> {
  const title = `Berline ${slug}`
  await shop.newOffer({
    slug,
    titles: { fr: title, nl: title, en: title },
    end_date: new Date(Date.now() + 7 * DAY_MS),
    draw_at: new Date(Date.now() + 8 * DAY_MS),
  })
  return { slug, title }
}

/** Expects a whole page that everybody can use, in both schemes. */
async function seeWhole(page: Page): Promise<void> {
  await seeAccessible(page, {}, ['light', 'dark'])
  expect([...(await layoutFaults(page)), ...(await smallTargets(page))]).toEqual([])
}

test.for(TESTED_LANGUAGES)(
  'a stranger marks a contest, logs in on the way, finds it marked, and gets reminders: %s',
  async (language, { annotate }) => {
    const t = words(language)
    const { slug, title } = await contest(`return-${language}`)
    const customer = await shop.newCustomer()
    const { page, faults } = await visit(`/draws/${slug}`, { language, width: 360 })
    const heart = page.getByRole('button', { name: t('favourites.heart.label', { title }) })
    const pressed = () => heart.getAttribute('aria-pressed')

    await annotate('The heart of a stranger leads to the login, and back to the contest')
    const calls = callsOf(page)
    await page.getByRole('link', { name: t('favourites.heart.add', { title }) }).click()
    await seeTitle(page, t('accounts.login.title'))
    expect(calls.filter((call) => call.includes('/api/favourites'))).toEqual([])
    await logIn(page, t, customer)
    await arrive(page, `/draws/${slug}`)
    await seeToast(page, t('favourites.heart.marked', { title }))
    await expect.poll(pressed).toBe('true')
    await seeWhole(page)

    await annotate('By keyboard it is taken away; what the server refuses comes back, with its words')
    await respondWith(page, '/api/favourites/*', { status: 409, body: { detail: 'Genoeg.' } }, 1)
    await heart.press('Space')
    await seeToast(page, 'Genoeg.')
    await expect.poll(pressed).toBe('true')
    await page.reload()
    await expect.poll(pressed).toBe('true')

    await annotate('Reminders are off, say where they go, and are kept one by one')
    await page.getByRole('button', { name: t('favourites.remind.action') }).click()
    const dialog = page.getByRole('dialog', { name: t('favourites.remind.title') })
    const box = (kind: 'closing' | 'draw' | 'result') =>
      dialog.getByRole('checkbox', { name: t(`favourites.remind.${kind}`) })
    await dialog.getByText(customer.email, { exact: true }).waitFor()
    for (const kind of ['closing', 'draw', 'result'] as const) expect(await box(kind).isChecked()).toBe(false)
    for (const kind of ['draw', 'result'] as const) await box(kind).check()
    await seeAccessible(page)
    await dialog.getByRole('button', { name: t('favourites.remind.done') }).click()
    await page.getByRole('button', { name: t('favourites.remind.count', { count: 2 }) }).waitFor()

    await annotate('The list has both, and stops all reminders')
    await page.goto('/profile/favourites')
    await seeTitle(page, t('favourites.list.title'))
    const card = page.getByRole('article', { name: title })
    const draw = card.getByRole('checkbox', { name: t('favourites.remind.draw') })
    await expect.poll(() => draw.isChecked()).toBe(true)
    await seeWhole(page)
    await page.getByRole('button', { name: t('favourites.list.stop') }).click()
    await seeToast(page, t('favourites.list.stopped'))
    await expect.poll(() => draw.isChecked()).toBe(false)
    await card.getByRole('button', { name: t('favourites.heart.label', { title }) }).click()
    await expect.poll(async () => (await customer.get('/api/favourites/')).body).toEqual({ favourites: [] })
    await page.reload()
    await page.getByText(t('favourites.list.empty'), { exact: true }).waitFor()
    await seeWhole(page)
    // The browser reports the refusal that the test has made.
    expect(faults.filter((fault) => !fault.includes('409'))).toEqual([])
  },
)

const t = words('en')

test.runIf(isExtended)(
  'who asks for a reminder on the way to the login chooses after it; a list that cannot be loaded is asked for again',
  async () => {
    const { slug } = await contest('asked-on-the-way')
    const { page } = await visit(`/draws/${slug}`)
    await page.getByRole('link', { name: t('favourites.remind.action') }).click()
    await logIn(page, t, await shop.newCustomer())
    await page.getByRole('dialog', { name: t('favourites.remind.title') }).waitFor()
    await respondWith(page, '/api/favourites', { status: 503, body: { detail: 'Later.' } }, 1)
    await page.goto('/profile/favourites')
    await page.getByText('Later.', { exact: true }).waitFor()
    await seeAccessible(page)
    await page.getByRole('button', { name: t('favourites.list.retry') }).click()
    await page.getByText(t('favourites.list.empty'), { exact: true }).waitFor()
  },
)

test.runIf(isExtended)(
  'the public page and the one for customers share the public one; without a sheet its link is copied, and said to be',
  async () => {
    const { slug, title } = await contest('shared')
    const { page, context } = await member(`/offers/${slug}`)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const link = `${shop.config.publicUrl}/draws/${slug}`
    const share = () => page.getByRole('button', { name: t('contest.share.action'), exact: true }).click()
    await share()
    await seeToast(page, t('contest.share.copied'))
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link)
    await page.addInitScript(() => {
      Object.assign(Navigator.prototype, {
        share: async (data: object) => void Object.assign(window, { shared: data }),
      })
    })
    await page.goto(`/draws/${slug}`)
    await share()
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { shared?: object }).shared))
      .toEqual({ title, url: link })
  },
)
