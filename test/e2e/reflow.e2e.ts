import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { type Visitor, awake } from '../support/browser.ts'
import { layoutFaults } from '../support/page-checks.ts'
import {
  approve,
  arrive,
  beginPayment,
  fill,
  holdTimers,
  press as pressButton,
  runKeptTimers,
  wallet,
} from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

/** WCAG 1.4.12: spacing that a reader may ask for. */
const TEXT_SPACING = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-bottom: 2em !important; }`

/** What readers do to a page: a narrow window (1.4.10), text twice as large (1.4.4), more space in it. */
const TWICE = 'html { font-size: 200% !important; }'
const EVERY_READER = [
  ...LANGUAGES.map((language) => ({ name: 'a window of 320 pixels', width: 320, language, css: '' })),
  ...LANGUAGES.map((language) => ({
    name: 'text twice its size on 360 pixels',
    width: 360,
    language,
    css: TWICE,
  })),
  { name: 'text twice its size on 640 pixels', width: 640, language: 'nl', css: TWICE },
  { name: 'text twice its size on 1280 pixels', width: 1280, language: 'en', css: TWICE },
  { name: 'wide text spacing on 360 pixels', width: 360, language: 'fr', css: TEXT_SPACING },
  { name: 'wide text spacing on 1280 pixels', width: 1280, language: 'nl', css: TEXT_SPACING },
] as const

type Reader = { name: string; width: number; language: Language; css: string }
/**
 * The first of a group walks through the shop; the others look at every state on the way. The short form makes one
 * journey with text twice as large, in the language of the longest words, and looks at each state in a narrow window
 * and with wide spacing, too; the long form makes a journey for each.
 */
const GROUPS = sized<{ reader: Reader; others: readonly Reader[] }[]>({
  short: [
    {
      reader: { name: 'text twice its size on 360 pixels', width: 360, language: 'nl', css: TWICE },
      others: [
        { name: 'a window of 320 pixels', width: 320, language: 'nl', css: '' },
        { name: 'wide text spacing on 360 pixels', width: 360, language: 'nl', css: TEXT_SPACING },
      ],
    },
  ],
  extended: EVERY_READER.map((reader) => ({ reader, others: [] })),
})

const { shop, visit } = await openStage()

describe.each(GROUPS)('$reader.name, in $reader.language', ({ reader: own, others }) => {
  const { width, language, css } = own
  const t = words(language)

  /** A visitor whose every page has the reader's style: by the browser, so that no security policy is in its way. */
  async function reader(): Promise<Visitor & { fits: (what: string) => Promise<void>; found: string[] }> {
    const visitor = await visit(undefined, { width, language, reducedMotion: 'reduce' })
    const found: string[] = []
    const look = async (what: string, as: Reader): Promise<void> => {
      await applyStyle(visitor.page, as.css)
      for (const fault of await layoutFaults(visitor.page)) found.push(`${what}, ${as.name}: ${fault}`)
    }
    const fits = async (what: string): Promise<void> => {
      for (const other of others) {
        await resize(visitor.page, other.width)
        await look(what, other)
      }
      await resize(visitor.page, width)
      await look(what, own)
    }
    return { ...visitor, fits, found }
  }

  test('a ticket can be bought, and nothing is cut off or scrolls sideways on the way', async () => {
    const slug = `lecture-${language}-${width}-${css.length}`
    const title = 'Kampioenschapsautomobiel met aanhangwagenkoppeling'
    await shop.newOffer({
      slug,
      title,
      question: 'Hoofdstad van Duitsland ?',
      choices: ['Berlin', 'Bonn'],
      correct_choice: 'Berlin',
      pictures: ['fastback-detail', 'roadster-front', 'supercar-night'],
      price_cents: 1_234_50,
      total_tickets: 250_000,
    })
    await shop.newOffer({ slug: `${slug}-fin`, title, end_date: new Date(Date.now() - 60_000) })
    const visitor = await reader()
    const { page, fits, found } = visitor
    const press = (key: MessageKey) => pressButton(page, t(key))

    for (const path of [
      '/',
      '/offers',
      '/policies/terms-and-conditions',
      '/nowhere',
      '/login',
      '/register',
    ]) {
      await page.goto(path)
      await awake(page)
      await fits(path)
    }
    await press('accounts.register.submit')
    await page.getByText(t('errors.email.required')).first().waitFor()
    await fits('/register with errors')
    const email = `${slug}@example.test`
    const username = `kampioenschapsautomobilist-${slug}`
    await page.getByLabel(t('accounts.dialCode')).selectOption('+32')
    await fill(page, {
      [t('accounts.username')]: username,
      [t('accounts.email')]: email,
      [t('accounts.phone')]: '0471234567',
      [t('accounts.password')]: 'correct horse',
      [t('accounts.confirm')]: 'correct horse',
    })
    await press('accounts.register.submit')
    await arrive(page, '/login')
    // The address changes a moment before the page, and both forms have fields of the same names.
    await page.getByRole('heading', { level: 1, name: t('accounts.login.title') }).waitFor()
    await fits('/login after registering')
    await fill(page, { [t('accounts.password')]: 'correct horse' })
    await press('accounts.login.submit')
    await arrive(page, '/')
    await page.getByText(t('frame.welcome', { name: username })).waitFor()
    await fits('/ signed in')

    if (width < 768) {
      await press('frame.toggleSidebar')
      await page.getByRole('dialog').waitFor()
      await fits('sheet')
      await page.keyboard.press('Escape')
    }
    await page.goto(`/offers/${slug}-fin`)
    await page.locator('main h1').waitFor()
    await fits('ended offer')
    await page.goto(`/offers/${slug}`)
    await page.locator('#offer-question').selectOption('Bonn')
    await fits('offer, wrong answer')
    await page.locator('#offer-question').selectOption('Berlin')
    await page.getByRole('button', { name: t('offers.buy.more') }).click()
    const add = page.getByRole('button', { name: t('offers.buy.add') })
    await add.filter({ visible: true }).click()
    await page.getByText(t('offers.buy.added')).waitFor()
    await fits('offer, added')
    // Its icon and number are no words that `fits` would look at.
    for (const way of await page.locator('.buy-bar a, .buy-bar button').all()) {
      const box = (await way.isVisible()) ? await way.boundingBox() : null
      if (box && box.x + box.width > width) found.push(`the bar reaches to ${box.x + box.width}`)
    }

    // The numbers are shown for two seconds before the page goes on.
    await holdTimers(page, 2_000, t('checkout.success'))
    await page.goto('/cart')
    await page.getByRole('heading', { level: 1, name: t('cart.title') }).waitFor()
    await fits('cart without country')
    await press('cart.clear')
    await fits('question before emptying')
    await page.keyboard.press('Escape')
    await page.getByLabel(t('cart.country.label')).selectOption('BE')
    await wallet(page).waitFor()
    await fits('cart ready to pay')
    const approval = await beginPayment(visitor)
    await page.getByText(t('checkout.approvalOpen', { provider: 'PayPal' })).waitFor()
    await fits('cart while paying')
    await approve(approval)
    await page.getByRole('heading', { level: 1, name: t('checkout.success') }).waitFor()
    await fits('numbers')
    await runKeptTimers(page)
    await page.waitForURL(/\/profile\/participations/)
    await page.getByText(t('tickets.count', { count: 2 })).waitFor()
    await fits('participations')
    await page.goto('/profile/data')
    await press('accounts.profile.edit')
    await press('accounts.profile.changePassword')
    await fits('data, editing, with errors')
    expect(found).toEqual([])
  })
})

async function resize(page: Page, width: number): Promise<void> {
  const size = page.viewportSize()
  if (size && size.width !== width) await page.setViewportSize({ ...size, width })
}

/** Gives the page the reader's style in place of another; a page that was left has lost it. */
async function applyStyle(page: Page, css: string): Promise<void> {
  await page.evaluate((text) => {
    const sheet = (document.adoptedStyleSheets[0] ??= new CSSStyleSheet())
    sheet.replaceSync(text)
  }, css)
}
