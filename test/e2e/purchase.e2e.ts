import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { countryName } from '#shared/countries.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { awake } from '../support/browser.ts'
import { layoutFaults } from '../support/page-checks.ts'
import {
  addButton,
  approve,
  arrive,
  beginPayment,
  field,
  logIn,
  press as pressButton,
  recordTimers,
  register,
  runHeldTimers,
  seeTitle,
  wallet,
} from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

/** WCAG 1.4.12: spacing that a reader may ask for. */
const TEXT_SPACING = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-bottom: 2em !important; }`
const TWICE = 'html { font-size: 200% !important; }'

/** A window, and what its reader does to a page: text twice as large (WCAG 1.4.4), more space in it. */
interface Reader {
  name: string
  width: number
  css?: string
}
/** The reader walks through the shop; the others look at every state on the way. */
interface Journey extends Reader {
  language: Language
  others?: readonly Reader[]
}

const PHONE = { name: 'a phone', width: 360 }
const WIDE = { name: 'a wide window', width: 1440 }
/** The narrowest window (WCAG 1.4.10). */
const NARROW = { name: 'a window of 320 pixels', width: 320 }
const LARGE = { name: 'text twice its size on 360 pixels', width: 360, css: TWICE }
const LARGE_NARROW = { name: 'text twice its size on 320 pixels', width: 320, css: TWICE }
const SPACED = { name: 'wide text spacing on 360 pixels', width: 360, css: TEXT_SPACING }

const JOURNEYS = sized<readonly Journey[]>({
  short: [{ ...PHONE, language: 'nl', others: [LARGE_NARROW] }],
  extended: [
    ...LANGUAGES.flatMap((language) => [PHONE, WIDE, NARROW, LARGE].map((one) => ({ ...one, language }))),
    { ...LARGE, language: 'nl', others: [NARROW, LARGE_NARROW, SPACED] },
    { name: 'text twice its size on 640 pixels', width: 640, language: 'nl', css: TWICE },
    { name: 'text twice its size on 1280 pixels', width: 1280, language: 'en', css: TWICE },
    { ...SPACED, language: 'fr' },
    { name: 'wide text spacing on 1280 pixels', width: 1280, language: 'nl', css: TEXT_SPACING },
  ],
})

const { shop, visit } = await openStage()

/** Gives the page a reader's window and style; by the browser, so that no security policy is in its way. */
async function readAs(page: Page, { width, css = '' }: Reader): Promise<void> {
  const size = page.viewportSize()
  if (size && size.width !== width) await page.setViewportSize({ ...size, width })
  await page.evaluate((text) => {
    const sheet = (document.adoptedStyleSheets[0] ??= new CSSStyleSheet())
    sheet.replaceSync(text)
  }, css)
}

let journeys = 0

test.for(JOURNEYS)(
  'in $language, $name: a visitor registers, logs in, answers, buys with PayPal and downloads the ticket; nothing is cut off or scrolls sideways [spec 1.21, 2.5, 2.83, 4.17, 4.23, 5.12, 6.11, 6.14, 8.46, 8.50]',
  async ({ language, others = [], ...own }, { annotate }) => {
    const t = words(language)
    const slug = `voiture-${(journeys += 1)}`
    const title = 'Kampioenschapsautomobiel met aanhangwagenkoppeling'
    const question = 'Hoofdstad van Duitsland ?'
    const offerId = await shop.newOffer({
      slug,
      title,
      question,
      choices: ['Berlin', 'Bonn'],
      correct_choice: 'Berlin',
      pictures: ['fastback-detail', 'roadster-front', 'supercar-night'],
      price_cents: 1_234_50,
      total_tickets: 250_000,
    })
    await shop.newOffer({ slug: `${slug}-fin`, title, end_date: new Date(Date.now() - 60_000) })
    // What is looked at in several ways moves in none of them.
    const still = own.css || others.length > 0 ? ({ reducedMotion: 'reduce' } as const) : {}
    const visitor = await visit(undefined, { width: own.width, language, ...still })
    const { page, faults } = visitor
    const press = (key: MessageKey) => pressButton(page, t(key))
    const found: string[] = []
    const fits = async (what: string): Promise<void> => {
      for (const reader of [...others, own]) {
        await readAs(page, reader)
        for (const fault of await layoutFaults(page)) found.push(`${what}, ${reader.name}: ${fault}`)
      }
    }

    await annotate('The visitor looks at the open pages')
    await page.goto('/')
    await awake(page)
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    await fits('/')
    await page.getByRole('link', { name: t('home.hero.action') }).click()
    await seeTitle(page, t('offers.title'))
    for (const path of ['/offers', '/policies/terms-and-conditions', '/nowhere', '/login', '/register']) {
      await page.goto(path)
      await awake(page)
      await fits(path)
    }
    // A browser reports every page that it could not find.
    expect(faults.splice(0)).toEqual([expect.stringContaining('404')])

    await annotate('The visitor registers')
    await press('accounts.register.submit')
    await page.getByText(t('errors.email.required')).first().waitFor()
    await fits('/register with errors')
    const username = `kampioenschapsautomobilist-${slug}`
    const account = { username, email: `${slug}@example.test`, password: 'correct horse' }
    await page.getByLabel(t('accounts.dialCode')).selectOption('+32')
    await register(page, t, { ...account, phone: '0471 23 45 67' })
    await arrive(page, '/login')
    // The address changes a moment before the page, and both forms have fields of the same names.
    await seeTitle(page, t('accounts.login.title'))
    expect(await field(page, t('accounts.email')).inputValue()).toBe(account.email)
    await fits('/login after registering')

    await annotate('The visitor logs in')
    await logIn(page, t, account)
    await arrive(page, '/')
    await page.getByText(t('frame.welcome', { name: username })).waitFor()
    await fits('/ signed in')
    if (own.width < 768) {
      await press('frame.toggleSidebar')
      await page.getByRole('dialog').waitFor()
      await fits('sheet')
      await page.keyboard.press('Escape')
    }

    await annotate('The customer gives the right answer and puts two tickets into the cart')
    await page.goto(`/offers/${slug}-fin`)
    await page.locator('main h1').waitFor()
    await fits('ended offer')
    await page.goto(`/offers/${slug}`)
    const add = addButton(page, t)
    await page.getByLabel(question).selectOption('Bonn')
    expect(await add.isDisabled()).toBe(true)
    await fits('offer, wrong answer')
    await page.getByLabel(question).selectOption('Berlin')
    await press('offers.buy.more')
    await add.click()
    await page.getByText(t('offers.buy.added')).first().waitFor()
    await fits('offer, added')
    // Its icon and number are no words that `fits` would look at.
    for (const way of await page.locator('.buy-bar a, .buy-bar button').all()) {
      const box = (await way.isVisible()) ? await way.boundingBox() : null
      if (box && box.x + box.width > own.width) found.push(`the bar reaches to ${box.x + box.width}`)
    }

    await annotate('The customer chooses the country in the cart')
    // The numbers are looked at for as long as it takes.
    await recordTimers(page, 2_000)
    await page.goto('/cart')
    await seeTitle(page, t('cart.title'))
    await page.getByText(t('cart.country.warning')).first().waitFor()
    await fits('cart without country')
    await press('cart.clear')
    await fits('question before emptying')
    await page.keyboard.press('Escape')
    const country = { label: countryName('BE', language) }
    await page.getByLabel(t('cart.country.label')).selectOption(country)
    await wallet(page).waitFor()
    await fits('cart ready to pay')

    await annotate('The customer pays with PayPal')
    const approval = await beginPayment(visitor)
    await page.getByText(t('checkout.approvalOpen', { provider: 'PayPal' })).waitFor()
    await fits('cart while paying')
    await approve(approval)
    await seeTitle(page, t('checkout.success'))
    await fits('numbers')
    await runHeldTimers(page)

    await annotate('The customer downloads a ticket')
    await page.waitForURL(/\/profile\/participations/)
    await seeTitle(page, t('tickets.title'))
    const count = page.getByText(t('tickets.count', { count: 2 }))
    await count.first().waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await fits('participations')
    const tickets = shop.db.selectFrom('tickets').select(['number']).where('offer_id', '=', offerId)
    const [number = ''] = (await tickets.execute()).map((one) => String(one.number).padStart(6, '0'))
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: t('tickets.download', { number }) }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(new RegExp(`-${slug}-${number}\\.pdf$`))
    expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })

    await annotate('The customer edits the data')
    await page.goto('/profile/data')
    await press('accounts.profile.edit')
    await press('accounts.profile.changePassword')
    await fits('data, editing, with errors')
    expect(found).toEqual([])
    expect(faults).toEqual([])
  },
)
