import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { awake, sidewaysScroll } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import {
  respondWith,
  field,
  fill as fillFields,
  hasFocus,
  holdBack,
  press,
  seeTitle,
} from '../support/page-control.ts'
import { type Stage, openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, type Words, words } from '../support/words.ts'

const PAGE = '/contact'
const DESK = 'desk@volant.test'
const MESSAGE = 'Is the red car really red?'

const own = await openStage({ env: { CONTACT_EMAIL: DESK, CONTACT_BLOCKED: '@spam.test' } })
const withService = await openStage({
  env: {
    // Nobody listens there.
    EMAILJS_ORIGIN: 'http://127.0.0.1:9',
    EMAILJS_PUBLIC_KEY: 'key',
    EMAILJS_SERVICE_ID: 'service',
    EMAILJS_TEMPLATE_ID: 'template',
  },
})
const { shop } = own

/** A visitor whom the e-mail service's client takes for a person, as a browser that nothing drives. */
async function onThePage(
  { visit }: Stage,
  options: Parameters<Stage['visit']>[1] = {},
): ReturnType<Stage['visit']> {
  const visitor = await visit(undefined, options)
  const asPerson = () => Object.defineProperty(navigator, 'webdriver', { get: () => false })
  await visitor.context.addInitScript(asPerson)
  await visitor.page.goto(PAGE)
  await awake(visitor.page)
  return visitor
}

const FIELDS = ['contact.name', 'contact.email', 'contact.message'] as const
const fill = (page: Page, t: Words, email: string) =>
  fillFields(page, {
    [t('contact.name')]: 'Jo Peeters',
    [t('contact.email')]: email,
    [t('contact.message')]: MESSAGE,
  })
const filled = (page: Page, t: Words) => Promise.all(FIELDS.map((key) => field(page, t(key)).inputValue()))

const emailsOf = (email: string) =>
  shop.db.selectFrom('emails').selectAll().where('reply_to', '=', email).execute()

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test.each(sized({ short: [360], extended: [360, 1440] }))(
    'a visitor sees what is wrong, sends a message, and cannot send another within a minute: %i pixels',
    async (width) => {
      const { page, faults } = await onThePage(own, { language, width })
      // Long enough that it must break on a phone.
      const email = `alexandrine.vandenbroucke.${language}.${width}@example.test`
      expect(await page.title()).toBe(`${t('pages.contact.title')} | Volant`)
      expect(await page.getByRole('link', { name: DESK }).count()).toBeGreaterThanOrEqual(1)
      expect(await page.getByText(/24/).count()).toBeGreaterThanOrEqual(1)

      await press(page, t('contact.submit'))
      for (const key of [
        'formErrors.contact.nameTooShort',
        'errors.email.invalid',
        'formErrors.contact.messageTooShort',
        'formErrors.correctFirst',
      ] as const)
        await page.getByText(t(key)).waitFor()
      const name = field(page, t('contact.name'))
      expect(await hasFocus(name)).toBe(true)
      await seeAccessible(page)
      expect(await sidewaysScroll(page)).toBe(0)
      await name.fill('J')
      await page.getByText(t('formErrors.contact.nameTooShort')).waitFor({ state: 'detached' })

      await fill(page, t, email)
      await press(page, t('contact.submit'))
      await page.getByText(t('contact.sent')).waitFor()
      await page.getByText(t('contact.sentNote', { email })).waitFor()
      await seeAccessible(page)
      expect(await filled(page, t)).toEqual(['', '', ''])
      expect(await sidewaysScroll(page)).toBe(0)
      const [mail] = await emailsOf(email)
      expect(mail).toMatchObject({ recipient: DESK, language, kind: 'contact' })

      await fill(page, t, email)
      await press(page, t('contact.submit'))
      await page.getByText(t('contact.failed.rateLimited', { email: DESK })).waitFor()
      expect(await emailsOf(email)).toHaveLength(1)
      expect(await filled(page, t)).toEqual(['Jo Peeters', email, MESSAGE])
      expect(faults).toEqual([])
    },
  )

  test.runIf(isExtended)(
    'a browser without a person is refused, a blocked sender too [spec 7.44]',
    async () => {
      const robot = await own.visit(PAGE, { language })
      await fill(robot.page, t, 'robot@example.test')
      await press(robot.page, t('contact.submit'))
      await robot.page.getByText(t('contact.failed.headless', { email: DESK })).waitFor()
      expect(await emailsOf('robot@example.test')).toEqual([])
      expect(robot.faults).toEqual([])

      const { page } = await onThePage(own, { language, width: 360 })
      await fill(page, t, 'jo@spam.test')
      await press(page, t('contact.submit'))
      await page.getByText(t('contact.failed.blocked', { email: DESK })).waitFor()
      await seeAccessible(page)
      // A message that was not sent may be sent again at once.
      await fill(page, t, `again.${language}@example.test`)
      await press(page, t('contact.submit'))
      await page.getByText(t('contact.sent')).waitFor()
    },
  )
})

test.runIf(isExtended)('the form knows the address of a customer, whose menu leads to it', async () => {
  const t = words('nl')
  const { page, customer } = await own.member('/', { language: 'nl' })
  const link = { name: t('frame.menu.contact'), exact: true }
  await page.getByRole('navigation').getByRole('link', link).click()
  await seeTitle(page, t('contact.title'))
  await expect.poll(() => field(page, t('contact.email')).inputValue()).toBe(customer.email)
})

test.runIf(isExtended)(
  'the form is sent to the e-mail service: sending, refused, sent, unreachable; a picture is beside it [spec 2.8, 2.115, 3.26, 4.44-4.47, 6.3, 7.43, 8.35, 8.49]',
  async () => {
    const t = words('en')
    const { page, faults } = await onThePage(withService)
    const form = page.locator('main form')
    const [beside, picture] = [await form.boundingBox(), await page.locator('main img').first().boundingBox()]
    const isLeft = (picture?.x ?? 0) + (picture?.width ?? 0) <= (beside?.x ?? 0)
    expect(isLeft || (picture?.x ?? 0) >= (beside?.x ?? 0) + (beside?.width ?? 0)).toBe(true)

    const SERVICE = '/api/v1.0/email/send'
    const submit = async (): Promise<void> => {
      // A second message is refused for a minute.
      await page.evaluate(() => localStorage.clear())
      // The form empties itself while it is shown again: no hand is so fast that it types in that moment.
      const written = ['Jo Peeters', 'jo@example.test', MESSAGE]
      const fillAgain = async () => {
        await fill(page, t, 'jo@example.test')
        return await filled(page, t)
      }
      await expect.poll(fillAgain).toEqual(written)
      await press(page, t('contact.submit'))
    }
    const send = async (status: number, body: string): Promise<unknown> => {
      await respondWith(page, SERVICE, { status, body }, 1)
      const release = await holdBack(page, SERVICE)
      const sent = page.waitForRequest((request) => request.url().endsWith(SERVICE))
      await submit()
      const busy = form.getByRole('button', { name: t('contact.sending') })
      await busy.waitFor()
      expect(await busy.isDisabled()).toBe(true)
      release()
      return (await sent).postDataJSON()
    }
    await send(400, 'No template')
    await page.getByText('No template', { exact: true }).waitFor()
    await page.getByText(t('contact.failed.kept', { email: 'contact@volant.example' })).waitFor()
    expect(await filled(page, t)).toEqual(['Jo Peeters', 'jo@example.test', MESSAGE])
    const sent = await send(200, 'OK')
    await page.getByText('Message sent successfully!', { exact: true }).waitFor()
    expect(await filled(page, t)).toEqual(['', '', ''])
    await form.getByRole('button', { name: t('contact.submit'), exact: true }).waitFor()
    expect(sent).toEqual({
      lib_version: '4.4.1',
      user_id: 'key',
      service_id: 'service',
      template_id: 'template',
      template_params: { user_name: 'Jo Peeters', user_email: 'jo@example.test', message: MESSAGE },
    })
    await submit()
    await page.getByText(t('errors.network')).waitFor()
    expect(faults.filter((fault) => fault.startsWith('security'))).toEqual([])
  },
)
