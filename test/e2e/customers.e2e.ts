import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { paths } from '#client/paths.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { awake, sidewaysScroll } from '../support/browser.ts'
import { consoleOf, seeScreen } from '../support/console.ts'
import { seeAccessible, smallTargets } from '../support/page-checks.ts'
import { respondWith, arrive, hasFocus, press, seeTitle, seeToast } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000', TRUST_PROXY: 'true' }, host: 'localhost' })
const { shop, member } = stage
const open = consoleOf(stage)

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

let networks = 0
async function sendMessage(user_email: string, message: string, language: Language = 'nl'): Promise<string> {
  const template_params = { user_name: 'Jo Peeters', user_email, message }
  const call = {
    user_id: 'volant',
    service_id: 'volant',
    template_id: `contact-${language}`,
    template_params,
  }
  const from = { 'x-forwarded-for': `198.51.100.${(networks += 1)}` }
  await shop.anonymous('POST', '/api/v1.0/email/send', call, { headers: from })
  const { rows } = await shop.pool.query('SELECT id FROM messages WHERE email = $1 ORDER BY id DESC', [
    user_email,
  ])
  return rows[0].id
}

const EVERY_LOOK = (['fr', 'nl', 'en'] as const).flatMap((language) =>
  ([360, 1440] as const).map((width) => [language, width] as const),
)
const LOOKS = sized<readonly (readonly [Language, number])[]>({ short: [['nl', 360]], extended: EVERY_LOOK })
const CORRECTION_LOOKS = sized<readonly (readonly [Language, number])[]>({
  short: [['fr', 360]],
  extended: EVERY_LOOK,
})
const SHOP_LOOKS = sized<readonly (readonly [Language, number])[]>({
  short: [['fr', 360]],
  extended: EVERY_LOOK,
})

describe('The screens of customers and messages', () => {
  test.each(LOOKS)(
    'have no error, no accessibility fault and no sideways scroll: %s, %i pixels',
    async (language, width) => {
      const t = words(language)
      const { customer } = await shop.paidOrder(2)
      const id = await sendMessage(customer.email, 'Waar blijven mijn tickets? Ik wacht al drie dagen.')
      const { page, faults } = await open('/customers', { language, width })
      const look = async (what: string): Promise<void> => {
        expect(await sidewaysScroll(page), what).toBe(0)
        // A checkbox is pressed by its label.
        const small = (await smallTargets(page)).filter((line) => !line.startsWith('INPUT ""'))
        expect(small, what).toEqual([])
        await seeAccessible(page, {}, ['dark', 'light'])
      }
      for (const screen of ['/customers', `/customers/${customer.id}`, '/messages', `/messages/${id}`]) {
        await page.goto(`/admin${screen}`)
        await seeScreen(page)
        await look(screen)
      }
      await page.goto(`/admin/customers/${customer.id}`)
      for (const action of ['email', 'suspend', 'export', 'erase'] as const) {
        await press(page, t(`consoleCustomers.${action}.do`))
        await page
          .getByRole('dialog')
          .getByRole('button', { name: t('console.common.cancel') })
          .waitFor()
        if (action === 'erase') await page.getByText(t('consoleCustomers.erase.blocked')).waitFor()
        await look(action)
        await page.keyboard.press('Escape')
      }
      expect(faults).toEqual([])
    },
  )
})

describe('An operator', () => {
  test('finds a customer, suspends the account and opens it again, on a phone in Dutch', async () => {
    const t = words('nl')
    const { customer } = await shop.paidOrder(1)
    const { page, faults } = await open('/customers', { role: 'support', width: 360, language: 'nl' })
    await page.getByLabel(t('consoleCustomers.search.label')).fill(customer.email.slice(0, -3).toUpperCase())
    await page.getByRole('button', { name: t('console.common.search'), exact: true }).click()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.locator('tbody a').first().click()
    await page.getByText(customer.email).first().waitFor()

    await press(page, t('consoleCustomers.suspend.do'))
    const suspending = dialog(page, t('consoleCustomers.suspend.title'))
    await suspending.getByText(t('consoleCustomers.suspend.tickets', { count: 1 })).waitFor()
    await suspending.getByLabel(t('consoleCustomers.suspend.reason')).selectOption('other')
    await suspending.getByLabel(t('consoleCustomers.suspend.note')).fill('Belde twee keer.')
    await suspending.getByRole('button', { name: t('consoleCustomers.suspend.do'), exact: true }).click()
    // The server asks for words where no sentence fits, and what was typed is still there.
    await suspending.getByText(t('errors.field.required')).waitFor()
    expect(await suspending.getByLabel(t('consoleCustomers.suspend.note')).inputValue()).toBe(
      'Belde twee keer.',
    )
    await suspending.getByLabel(t('consoleCustomers.suspend.message')).fill('We kijken dit na.')
    await suspending.getByRole('button', { name: t('consoleCustomers.suspend.do'), exact: true }).click()
    await page.getByText('Belde twee keer.').waitFor()
    expect((await customer.get('/api/cart/')).status).toBe(403)

    await press(page, t('consoleCustomers.restore.do'))
    const restoring = dialog(page, t('consoleCustomers.restore.do'))
    await restoring.getByLabel(t('consoleCustomers.restore.note')).fill('Misverstand.')
    await restoring.getByRole('button', { name: t('consoleCustomers.restore.do'), exact: true }).click()
    await page.getByText(/Misverstand\./).waitFor()
    expect((await customer.get('/api/cart/')).status).toBe(200)
    // Support neither exports nor erases.
    for (const action of ['export', 'erase'] as const)
      expect(await page.getByRole('button', { name: t(`consoleCustomers.${action}.do`) }).count()).toBe(0)
    expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
  })

  test('answers a message from a template, and is told when somebody else was faster', async () => {
    const t = words('fr')
    const id = await sendMessage('asks@example.test', 'Où est mon billet ?', 'fr')
    const { page } = await open('/messages', { role: 'support', language: 'fr' })
    await page.getByRole('link', { name: 'Jo Peeters' }).last().click()
    await page.getByText('Où est mon billet ?').waitFor()
    const text = page.getByLabel(t('consoleMessages.answer.text'))
    await page.getByLabel(t('consoleMessages.answer.template')).selectOption('ticketMissing')
    await expect.poll(() => text.inputValue()).toContain('[[numéro de commande]]')
    await press(page, t('consoleMessages.answer.send'))
    await page.getByText(t('consoleMessages.refusals.gap')).waitFor()
    const filled = (await text.inputValue())
      .replaceAll('[[numéro de commande]]', 'K7QM-2F9P')
      .replaceAll(/\[\[.*?\]\]/g, 'tout est là')
    await text.fill(filled)
    // Another language would replace what was written: it asks.
    await page.getByLabel(t('consoleMessages.answer.language')).selectOption('nl')
    await press(page, t('consoleMessages.answer.keep'))
    expect(await text.inputValue()).toBe(filled)
    await page.getByLabel(t('consoleMessages.answer.language')).selectOption('fr')
    await press(page, t('consoleMessages.answer.keep'))

    const other = await shop.newStaff('manager')
    const quick = {
      version: 1,
      template: 'own',
      language: 'fr',
      subject: 'Réponse',
      text: 'Le voici, bonne chance.',
    }
    expect((await other.post(`/api/staff/messages/${id}/answer/`, quick)).status).toBe(200)
    await press(page, t('consoleMessages.answer.send'))
    await page.getByText(t('consoleMessages.refusals.changed')).waitFor()
    await page.getByText('Le voici, bonne chance.').waitFor()
    expect(await text.inputValue()).toBe(filled)
    await press(page, t('consoleMessages.answer.send'))
    await page.getByText('tout est là').first().waitFor()
    await expect
      .poll(
        async () =>
          (await shop.pool.query(`SELECT 1 FROM emails WHERE recipient = 'asks@example.test'`)).rowCount,
      )
      .toBe(2)
  })

  test('exports and erases a customer, with the password asked once for each', async () => {
    const t = words('en')
    const { customer } = await shop.paidOrder(1)
    const { page, staff } = await open(`/customers/${customer.id}`, { role: 'manager' })
    await page
      .getByRole('button', { name: t('console.sentEmail.open') })
      .first()
      .click()
    const email = dialog(page, t('console.emailKinds.receipt'))
    await email.getByText(customer.email).first().waitFor()
    await email.getByText('€5.93').first().waitFor()
    await seeAccessible(page)
    await email.getByRole('button', { name: t('console.common.close') }).click()
    await shop.pool.query('DELETE FROM staff_step_ups')
    const stepUp = async (): Promise<void> => {
      const asking = dialog(page, t('console.stepUp.title'))
      await asking.getByLabel(t('console.stepUp.password'), { exact: true }).fill(staff.password)
      await asking.getByRole('button', { name: t('console.common.confirm') }).click()
    }
    await press(page, t('consoleCustomers.export.do'))
    const exporting = dialog(page, t('consoleCustomers.export.do'))
    const download = page.waitForEvent('download')
    await exporting.getByRole('button', { name: t('consoleCustomers.export.do'), exact: true }).click()
    await stepUp()
    expect((await download).suggestedFilename()).toMatch(/^my-data-.*\.zip$/)
    await exporting.waitFor({ state: 'hidden' })

    await press(page, t('consoleCustomers.erase.do'))
    const erasing = dialog(
      page,
      t('consoleCustomers.erase.title', { name: await page.locator('main h1').innerText() }),
    )
    const confirm = erasing.getByRole('button', { name: t('consoleCustomers.erase.confirm') })
    await erasing.getByText(t('consoleCustomers.erase.blocked')).waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    await erasing.getByRole('checkbox').check()
    await erasing.getByText(t('consoleCustomers.erase.givenUp', { count: 1 })).waitFor()
    await confirm.click()
    await stepUp()
    await page
      .getByRole('heading', { name: t('consoleCustomers.closedName', { id: String(customer.id) }) })
      .waitFor()
    expect(await page.getByText(customer.email).count()).toBe(0)
    await seeAccessible(page)
  })
})

test.for(CORRECTION_LOOKS)(
  'a mistyped address is corrected: proposed, withdrawn, proposed again, confirmed by the link of the email: %s, %i pixels',
  async ([language, width], { annotate }) => {
    const t = words(language)
    const { customer } = await shop.paidOrder(2)
    const { email: former, id } = customer
    await shop.pool.query('UPDATE users SET email_confirmed_at = NULL, language = $2 WHERE id = $1', [
      id,
      language,
    ])
    const email = `right-${former}`

    await annotate('Staff propose another address, at first a wrong one')
    const { page, context, faults } = await open(`/customers/${id}`, { role: 'support', width, language })
    const look = async (shown: Page = page): Promise<void> => {
      expect(await sidewaysScroll(shown), shown.url()).toBe(0)
      await seeAccessible(shown, { iframes: false })
    }
    const waiting = page.getByText(t('consoleCustomers.account.pending'), { exact: true })
    const correcting = dialog(page, t('consoleCustomers.correct.do'))
    const address = correcting.getByLabel(t('consoleCustomers.correct.email'))
    const note = correcting.getByLabel(t('consoleCustomers.correct.note'))
    const send = correcting.getByRole('button', { name: t('consoleCustomers.correct.send') })

    await press(page, t('consoleCustomers.correct.do'))
    await correcting.getByText(t('consoleCustomers.correct.now', { email: former })).waitFor()
    await correcting.getByText(t('consoleCustomers.correct.told')).waitFor()
    expect(await send.isDisabled()).toBe(true)
    await look()
    await address.fill('right@')
    await note.fill('Rang us, knew the order number')
    await send.click()
    await correcting.getByText(t('errors.email.invalid')).waitFor()
    expect(await hasFocus(address)).toBe(true)
    expect(await note.inputValue()).toBe('Rang us, knew the order number')
    await look()
    await address.fill(email)
    await send.click()
    await seeToast(page, t('consoleCustomers.correct.done'))
    await waiting.waitFor()
    await page.getByText(email, { exact: true }).waitFor()
    await page.getByText(/Rang us, knew the order number/).waitFor()
    await look()

    await annotate('Staff withdraw the proposal')
    await press(page, t('consoleCustomers.withdraw.do'))
    const withdrawing = dialog(page, t('consoleCustomers.withdraw.do'))
    await withdrawing.getByText(t('consoleCustomers.withdraw.text')).waitFor()
    await look()
    await withdrawing.getByRole('button', { name: t('consoleCustomers.withdraw.do'), exact: true }).click()
    await seeToast(page, t('consoleCustomers.withdraw.done'))
    await waiting.waitFor({ state: 'hidden' })
    const dead = await shop.emailLinkTo(email)
    expect((await shop.anonymous('POST', '/api/user/email-link/', { token: dead })).status).toBe(410)

    await annotate('Staff propose the address again')
    await press(page, t('consoleCustomers.correct.do'))
    await address.fill(email)
    await note.fill('Rang again')
    await send.click()
    await waiting.waitFor()

    await annotate('The former and the new address get an email')
    /** The mailbox of the demonstration, at the newest email of a subject to an address. */
    const mail = await context.newPage()
    const read = async (subject: string, to: string): Promise<void> => {
      await mail.goto(paths.mailbox())
      await awake(mail)
      await mail.getByRole('link', { name: to }).filter({ hasText: subject }).first().click()
      await seeTitle(mail, subject)
    }
    await read(translate(language, 'emails.correction.askedSubject'), former)
    expect(await mail.getByText(email).count()).toBe(0)
    await read(translate(language, 'emails.correction.confirmSubject'), email)

    await annotate('The customer follows the link of the email and confirms')
    const opening = context.waitForEvent('page')
    const link = { name: translate(language, 'emails.confirmChange.action') }
    await mail.frameLocator('iframe').getByRole('link', link).click()
    const opened = await opening
    await opened.waitForURL(({ pathname, hash }) => pathname === paths.emailLink() && hash !== '')
    await awake(opened)
    await seeTitle(opened, t('emailLink.correct.title'))
    await look(opened)
    await press(opened, t('emailLink.correct.action'))
    await opened.getByText(t('emailLink.correct.done', { email })).waitFor()
    expect(await hasFocus(opened.locator('main h1'))).toBe(true)
    await look(opened)

    await annotate('The receipt goes again with its tickets, and the console has the new address')
    await mail.goto(paths.mailbox())
    await mail.getByRole('link', { name: email }).first().click()
    await mail.getByRole('link', { name: /\.pdf/ }).first().waitFor()
    await page.reload()
    await page.getByText(email, { exact: true }).first().waitFor()
    expect(await waiting.count()).toBe(0)
    expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
  },
)

describe('A customer', () => {
  test.each(SHOP_LOOKS)(
    'downloads the data and closes the account with the password: %s, %i pixels',
    async (language, width) => {
      const t = words(language)
      const { customer } = await shop.paidOrder(1)
      const { page, faults } = await member('/profile/data', { customer, language, width })
      await page.getByRole('heading', { name: t('ownData.title'), exact: true }).waitFor()
      await seeAccessible(page)
      await press(page, t('ownData.download'))
      const downloading = dialog(page, t('ownData.download'))
      const password = t('accounts.profile.currentPassword')
      await downloading.getByLabel(password, { exact: true }).fill('wrong horse')
      await downloading.getByRole('button', { name: t('ownData.start'), exact: true }).click()
      await downloading.getByText(t('formErrors.password.currentWrong')).waitFor()
      await seeAccessible(page)
      await downloading.getByLabel(password, { exact: true }).fill(customer.password)
      const download = page.waitForEvent('download')
      await downloading.getByRole('button', { name: t('ownData.start'), exact: true }).click()
      expect((await download).suggestedFilename()).toMatch(new RegExp(`^${t('ownData.fileName')}-.*\\.zip$`))
      await seeToast(page, t('ownData.downloaded'))

      await press(page, t('ownData.close'))
      const closing = dialog(page, t('ownData.close'))
      const confirm = closing.getByRole('button', { name: t('ownData.confirm'), exact: true })
      await closing.getByLabel(password, { exact: true }).fill(customer.password)
      expect(await sidewaysScroll(page)).toBe(0)
      await seeAccessible(page)
      await confirm.click()
      await closing.getByText(t('ownData.giveUpFirst')).waitFor()
      await closing.getByRole('checkbox').check()
      await confirm.click()
      await arrive(page, '/login')
      await seeToast(page, t('ownData.closed'))
      const left = await page.evaluate(() => [
        localStorage.getItem('access'),
        localStorage.getItem('refresh'),
      ])
      expect(left).toEqual([null, null])
      const login = { username: customer.email, password: customer.password }
      expect((await shop.anonymous('POST', '/api/token/', login)).status).toBe(401)
      expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
    },
  )

  test('reads what is still under way instead of closing the account', async () => {
    const t = words('en')
    const customer = await shop.newCustomer()
    await customer.order(await shop.newOffer(), 1)
    const { page } = await member('/profile/data', { customer })
    await press(page, t('ownData.close'))
    const closing = dialog(page, t('ownData.close'))
    await closing.getByText(t('ownData.runs')).waitFor()
    expect(await closing.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Order \w{4}-\w{4}: it is not complete\.$/),
    ])
    await respondWith(page, '/api/user/close/', { status: 500 }, 1)
    await page.keyboard.press('Escape')
    await press(page, t('ownData.close'))
    await closing.getByText(t('ownData.failed')).waitFor()
  })
})
