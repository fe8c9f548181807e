import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ALL_SCREENS, RECORD_SCREENS, type RecordPath } from '#apps/console/navigation.ts'
import type { Language } from '#shared/languages.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { permits } from '#shared/staff-permissions.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf, seeScreen, tabTo, typeIntoPalette } from '../support/console.ts'
import { insertDraw } from '../support/draws.ts'
import { announcements, listen, seeAccessible } from '../support/page-checks.ts'
import { field, hasFocus } from '../support/page-control.ts'
import { postcard } from '../support/postcards.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const { shop, visit } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })

const open = consoleOf({ shop, visit })

/** A shop in which each screen has rows. */
async function fill() {
  const owner = await shop.newStaff('owner')
  const { ours, offerId, customer } = await shop.paidOrder(2)
  await shop.paidOrder(1)
  const drawn = await insertDraw(shop, { slug: 'drawn', stage: 'drawn', owner: customer })
  const card = postcard(offerId)
  await owner.post('/api/staff/post/entries/', card)
  await shop.anonymous('POST', '/api/v1.0/email/send', {
    user_id: 'volant',
    service_id: 'volant',
    template_id: 'contact-en',
    template_params: { user_name: 'Jo', user_email: 'jo@person.test', message: 'Where are my tickets?' },
  })
  await shop.checkout.alerts.raise(shop.db, { kind: 'ledgerDiffers', subject: ours.id })
  await shop.checkout.alerts.raise(shop.db, { kind: 'jobMissing', subject: 'mailer' })
  const { rows: messages } = await shop.pool.query('SELECT id FROM messages')
  const { rows: statements } = await shop.pool.query(
    `INSERT INTO statements (file_hash, imported_by, from_day, to_day, rows, unbooked, agreed, sums, found)
     VALUES (sha256('file'), $1, '2026-10-01', '2026-10-31', 1, 0, 1, '[]', '[]') RETURNING id`,
    [owner.id],
  )
  const ids: Record<RecordPath, string | number> = {
    '/offers/:id': offerId,
    '/orders/:id': shownOrderNumber(ours.number),
    '/customers/:id': customer.id,
    '/post/entries/:id': card.id,
    '/draws/:id': drawn.offerId,
    '/messages/:id': messages[0].id,
    '/reports/statements/:id': statements[0].id,
  }
  return { ids, order: shownOrderNumber(ours.number), customer, drawn }
}

/** Of the palette; selects of the screen below have options, too. */
const optionOf = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('dialog').getByRole('option', { name, exact: typeof name === 'string' })
const optionsOf = (page: Page): Locator => page.getByRole('dialog').getByRole('option')

const filled = await fill()
const records = RECORD_SCREENS.map((path) => path.replace(':id', String(filled.ids[path])))
/** Every screen that the routes have. */
const SCREENS = [
  ...ALL_SCREENS.map(({ to }) => (to === '/search' ? `/search?q=${filled.order}` : to)),
  ...records,
  '/sign-in',
  '/nowhere',
]

const LOOKS = sized<readonly (readonly [Language, number])[]>({
  short: [['nl', 360]],
  extended: (['fr', 'nl', 'en'] as const).flatMap((language) =>
    ([360, 1440] as const).map((width) => [language, width] as const),
  ),
})

describe('Every screen', () => {
  test.each(LOOKS)(
    'has rows, no error, no accessibility fault and no sideways scroll: %s, %i pixels',
    async (language, width) => {
      const t = words(language)
      const { page, faults } = await open('/', { language, width })
      for (const screen of SCREENS) {
        await page.goto(`/admin${screen}`)
        await seeScreen(page)
        const title = await page.locator('main h1').first().textContent()
        expect(title === t('console.common.notFound'), screen).toBe(screen === '/nowhere')
        expect(title, screen).not.toBe(t('console.common.failed'))
        expect(await sidewaysScroll(page), screen).toBe(0)
        await seeAccessible(page)
      }
      expect(faults).toEqual([])
    },
  )

  test('is in the palette of a role that may open it, and of no other', async () => {
    const t = words('en')
    for (const role of ['owner', 'postal'] as const) {
      const { page } = await open('/', { role })
      await typeIntoPalette(page, t, '')
      const options = await optionsOf(page).allTextContents()
      for (const { name, permission } of ALL_SCREENS)
        expect(options.includes(t(`console.nav.${name}`)), `${role}: ${name}`).toBe(permits(role, permission))
    }
  })
})

describe('The keyboard', () => {
  const focusedRow = (page: Page): Promise<number> =>
    page.evaluate(() => {
      const rows = [...document.querySelectorAll('main [data-row-link]')].filter((row) =>
        row.checkVisibility(),
      )
      return rows.indexOf(document.activeElement as Element)
    })

  test.runIf(isExtended)(
    'j and k walk all rows of all tables of a screen, in the order of the document',
    async () => {
      const { page } = await open(customerPath)
      expect(await page.locator('main table:has([data-row-link])').count()).toBeGreaterThan(1)
      const rows = await page.locator('main [data-row-link]').count()
      const seen: number[] = []
      for (let step = 0; step <= rows; step += 1) {
        await page.keyboard.press('j')
        seen.push(await focusedRow(page))
      }
      expect(seen).toEqual([...Array.from({ length: rows }, (_, at) => at), rows - 1])
      for (let step = 1; step <= rows; step += 1) {
        await page.keyboard.press('k')
        expect(await focusedRow(page)).toBe(Math.max(0, rows - 1 - step))
      }
    },
  )

  test.runIf(isExtended)('j and k walk the items of alerts, of the audit log and of the staff', async () => {
    const { page } = await open('/alerts')
    for (const path of ['/alerts', '/audit', '/staff']) {
      await page.goto(`/admin${path}`)
      await seeScreen(page)
      const rows: number[] = []
      for (const key of ['j', 'j', 'k']) {
        await page.keyboard.press(key)
        rows.push(await focusedRow(page))
      }
      expect(rows, path).toEqual([0, 1, 0])
    }
  })

  test.runIf(isExtended)(
    'alone signs in, finds an order, looks at what a refund would do, and leaves it',
    async () => {
      const t = words('en')
      const { email, password } = await shop.newStaff('support')
      const { page, faults } = await visit('/admin/sign-in')
      await tabTo(page, field(page, t('console.signIn.email')))
      await page.keyboard.type(email)
      await tabTo(page, field(page, t('console.signIn.password')))
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: t('console.today.title') }).waitFor()
      await typeIntoPalette(page, t, filled.order)
      const found = optionOf(page, new RegExp(`^${t('console.keys.kinds.order')} ${filled.order}`))
      await found.waitFor()
      while ((await found.getAttribute('data-highlighted')) === null) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      const heading = page.getByRole('heading', { level: 1, name: filled.order })
      await heading.waitFor()
      // Whoever comes by a screen reader begins at the heading.
      await expect.poll(() => hasFocus(heading)).toBe(true)

      // What can be done with the order comes first.
      await typeIntoPalette(page, t, '')
      const here = `${t('console.keys.kinds.here')} `
      expect((await optionsOf(page).allTextContents()).slice(0, 4)).toEqual([
        here + t('consoleOrders.order.reconcile'),
        here + t('consoleOrders.order.refund'),
        here + t('consoleOrders.order.resend'),
        t('console.nav.today'),
      ])
      await page.keyboard.type(t('consoleOrders.order.refund'))
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await tabTo(page, dialog.getByLabel(t('consoleOrders.refund.note')))
      await page.keyboard.type('Bought twice.')
      await tabTo(page, dialog.getByRole('button', { name: t('consoleOrders.refund.preview') }))
      await page.keyboard.press('Enter')
      await dialog.getByText(t('consoleOrders.refund.will')).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      const { rows } = await shop.pool.query('SELECT 1 FROM refunds')
      expect(rows).toEqual([])
      expect(faults).toEqual([])
    },
  )

  test.runIf(isExtended)('says what was done, in a region that screen readers hear', async () => {
    const t = words('en')
    const { page, context } = await open('/')
    await listen(context)
    await page.goto(`/admin/orders/${filled.order}`)
    await seeScreen(page)
    await page.getByRole('button', { name: t('consoleOrders.order.resend') }).click()
    await expect
      .poll(async () => (await announcements(page)).join(' '))
      .toContain(t('consoleOrders.order.resent'))
  })
})

describe('The palette', () => {
  test.runIf(isExtended)(
    'finds a contest and its draw, somebody of staff, and what has an accent',
    async () => {
      const t = words('en')
      const { page, staff } = await open('/')
      const search = async (text: string, name: string | RegExp): Promise<void> => {
        await typeIntoPalette(page, t, text)
        await optionOf(page, name).click()
      }
      const { rows } = await shop.pool.query('SELECT title_en FROM offers WHERE id = $1', [
        filled.drawn.offerId,
      ])
      const title: string = rows[0].title_en
      await search(title, `${t('console.keys.kinds.draw')} ${title}`)
      await page.waitForURL(`**/admin/draws/${filled.drawn.offerId}`)
      await search(staff.name, `${t('console.keys.kinds.staff')} ${staff.name}`)
      await page.waitForURL(`**/admin/staff#person-${staff.id}`)
      await expect.poll(() => hasFocus(page.locator(`#person-${staff.id}`))).toBe(true)
      await search('31/10/2026', `${t('console.keys.kinds.statement')} 01/10/2026 – 31/10/2026`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await search('mailer', /mailer$/)
      await page.waitForURL(/\/admin\/alerts\?with=(\d+)#alert-\1$/)

      // The language is an action, too.
      await search('language: fran', `${t('console.frame.language')}: Français`)
      const french = words('fr')
      await page.getByRole('heading', { level: 1, name: french('consoleAlerts.title') }).waitFor()
      await typeIntoPalette(page, french, 'systeme')
      await optionOf(page, french('console.nav.system')).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: french('consoleSystem.title') }).waitFor()
    },
  )

  test.runIf(isExtended)('does on another screen what was asked for, once', async () => {
    const t = words('en')
    const { page } = await open('/')
    await typeIntoPalette(page, t, t('console.keys.actions.verifyAudit'))
    await page.keyboard.press('Enter')
    await page
      .getByRole('status')
      .getByText(/^The chain is intact/)
      .waitFor()
    await page.goto('/admin/')
    await seeScreen(page)
    await page.goto('/admin/audit')
    await seeScreen(page)
    expect(await page.getByText(/^The chain is intact/).count()).toBe(0)
  })
})

describe('Today, left open', () => {
  test('shows a new alert, and leads to the sign-in when the role is taken away', async () => {
    const t = words('en')
    const { page, context, staff } = await open('/', { role: 'support' })
    await listen(context)
    await page.clock.install()
    await page.reload()
    await seeScreen(page)
    const before = t('console.today.alerts', { count: 2 })
    const after = t('console.today.alerts', { count: 3 })
    await page.getByRole('link', { name: before }).waitFor()
    await shop.checkout.alerts.raise(shop.db, { kind: 'jobMissing', subject: 'sweep' })
    await page.clock.fastForward(20_000)
    await page.getByRole('link', { name: after }).waitFor()
    expect((await announcements(page)).join(' ')).toContain(after)
    await shop.checkout.alerts.clear(shop.db, 'jobMissing', 'sweep')
    await shop.pool.query('UPDATE users SET role = NULL WHERE id = $1', [staff.id])
    // The live connection ends by itself.
    await page.getByRole('heading', { name: t('console.signIn.title') }).waitFor()
  })
})

type Opening = (page: Page, t: ReturnType<typeof words>) => Promise<unknown>

const button =
  (name: Parameters<ReturnType<typeof words>>[0]): Opening =>
  (page, t) =>
    page
      .getByRole('main')
      .getByRole('button', { name: t(name), exact: true })
      .click()

/** Opens what is done with somebody of staff. */
const action =
  (name: 'removeRole' | 'removeFactors'): Opening =>
  async (page, t) => {
    await page.locator('main tbody [data-row-link]').first().click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t(`console.people.${name}`) })
      .click()
    await page.getByRole('dialog').getByLabel(t('console.common.reason')).waitFor()
  }

const customerPath = records[RECORD_SCREENS.indexOf('/customers/:id')] ?? ''

const DIALOGS: readonly [name: string, path: string, open: Opening, width?: number][] = [
  ['log out everywhere', customerPath, button('consoleCustomers.sessions.endAll')],
  ['suspend', customerPath, button('consoleCustomers.suspend.do')],
  ['export', customerPath, button('consoleCustomers.export.do')],
  ['erase', customerPath, button('consoleCustomers.erase.do')],
  ['give a role', '/staff', button('console.people.give')],
  ['actions for somebody', '/staff', (page) => page.locator('main tbody [data-row-link]').first().click()],
  ['remove a role', '/staff', action('removeRole')],
  ['remove second factors', '/staff', action('removeFactors')],
  ['an entry of the log', '/audit', (page) => page.locator('main [data-row-link]').first().click()],
  ['the check of the log', '/audit', button('console.audit.verify')],
  [
    'step-up',
    '/account',
    async (page, t) => {
      await shop.pool.query('DELETE FROM staff_step_ups')
      await button('console.account.setUp')(page, t)
    },
  ],
  ['columns', '/orders', button('consoleOrders.list.columns')],
  ['palette', '/', (page, t) => typeIntoPalette(page, t, 'a')],
  [
    'menu on a phone',
    '/',
    (page, t) => page.getByRole('button', { name: t('console.frame.openMenu') }).click(),
    360,
  ],
]

describe.runIf(isExtended)('Every dialog', () => {
  test.each(DIALOGS)('has no accessibility fault: %s', async (_name, path, opening, width = 1440) => {
    const t = words('en')
    const { page } = await open(path, { width })
    await opening(page, t)
    await page
      .getByRole('dialog')
      .or(page.getByText(/^The chain is intact/))
      .first()
      .waitFor()
    await seeAccessible(page, {}, ['dark', 'light'])
  })

  test('has no accessibility fault: restore', async () => {
    const t = words('en')
    const { page, staff } = await open('/')
    const suspended = await shop.newCustomer()
    await staff.post(`/api/staff/customers/${suspended.id}/suspend/`, {
      reason: 'fraud_suspected',
      note: 'Cards of others.',
      message: '',
    })
    await page.goto(`/admin/customers/${suspended.id}`)
    await button('consoleCustomers.restore.do')(page, t)
    await page.getByRole('dialog').waitFor()
    await seeAccessible(page, {}, ['dark', 'light'])
  })
})
