import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Language } from '#shared/languages.ts'
import { violations } from '../support/axe.ts'
import { type Visitor, awake, newVisitor, sidewaysScroll } from '../support/browser.ts'
import { closeGate } from '../support/races.ts'
import { type TestShop, testShop } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const PAGE = '/contact'
const DESK = 'desk@volant.test'

const { shop, browser } = await openStage({ env: { CONTACT_EMAIL: DESK, CONTACT_BLOCKED: '@spam.test' } })

type Words = ReturnType<typeof words>

/** Lets the e-mail service's client take the test for a person, as a browser that nothing drives. */
const likeAPerson = (visitor: Visitor) =>
  visitor.context.addInitScript(() => Object.defineProperty(navigator, 'webdriver', { get: () => false }))

async function onThePage(language: Language, width: number, person = true, baseUrl = shop.config.publicUrl) {
  const visitor = await newVisitor(browser, { baseUrl, width, language })
  if (person) await likeAPerson(visitor)
  await visitor.page.goto(PAGE)
  await awake(visitor.page)
  return visitor
}

async function fill(page: Page, t: Words, email: string, message = 'Is the red car really red?') {
  await page.getByLabel(t('contact.name'), { exact: true }).fill('Jo Peeters')
  await page.getByLabel(t('contact.email'), { exact: true }).fill(email)
  await page.getByLabel(t('contact.message'), { exact: true }).fill(message)
}

const press = (page: Page, t: Words): Promise<void> =>
  page.getByRole('button', { name: t('contact.submit'), exact: true }).click()

const emailsOf = (email: string) =>
  shop.db.selectFrom('emails').selectAll().where('reply_to', '=', email).execute()

/** The next message is not held back by the last one. */
const aMinuteLater = (page: Page): Promise<void> =>
  page.evaluate(() => localStorage.removeItem('contact_sent'))

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  test.each(sized({ short: [360], extended: [360, 1440] }))(
    'a visitor is told what is wrong, then sends a message: %i pixels',
    async (width) => {
      const t = words(language)
      const { page, faults, close } = await onThePage(language, width)
      // Long enough that it must break on a phone.
      const email = `alexandrine.vandenbroucke.${language}.${width}@example.test`
      expect(await page.title()).toBe(`${t('pages.contact.title')} | Volant`)
      expect(await page.getByRole('link', { name: DESK }).count()).toBeGreaterThanOrEqual(1)
      expect(await page.getByText(/24/).count()).toBeGreaterThanOrEqual(1)

      await press(page, t)
      await page.getByText(t('errors.contact.nameTooShort')).waitFor()
      await page.getByText(t('errors.email.invalid')).waitFor()
      await page.getByText(t('errors.contact.messageTooShort')).waitFor()
      await page.getByText(t('errors.correctFirst')).waitFor()
      const name = page.getByLabel(t('contact.name'), { exact: true })
      expect(await name.evaluate((field) => field === document.activeElement)).toBe(true)
      expect(await sidewaysScroll(page)).toBe(0)
      expect(await violations(page)).toEqual([])

      await name.fill('J')
      await page.getByText(t('errors.contact.nameTooShort')).waitFor({ state: 'detached' })
      await fill(page, t, email)
      await press(page, t)
      await page.getByText(t('contact.sent')).waitFor()
      await page.getByText(t('contact.sentNote', { email })).waitFor()
      for (const field of ['contact.name', 'contact.email', 'contact.message'] as const)
        expect(await page.getByLabel(t(field), { exact: true }).inputValue()).toBe('')
      expect(await sidewaysScroll(page)).toBe(0)
      expect(await violations(page)).toEqual([])
      const [mail] = await emailsOf(email)
      expect(mail).toMatchObject({ recipient: DESK, language, kind: 'contact' })

      // A second one within a minute is held back by the browser.
      await fill(page, t, email)
      await press(page, t)
      await page.getByText(t('contact.failed.rateLimited', { email: DESK })).waitFor()
      expect(await emailsOf(email)).toHaveLength(1)
      expect(await page.getByLabel(t('contact.email'), { exact: true }).inputValue()).toBe(email)
      expect(faults).toEqual([])
      await close()
    },
  )

  test('a browser without a person is refused, a blocked sender too [spec 7.44]', async () => {
    const t = words(language)
    const robot = await onThePage(language, 1440, false)
    await fill(robot.page, t, 'robot@example.test')
    await press(robot.page, t)
    await robot.page.getByText(t('contact.failed.headless', { email: DESK })).waitFor()
    expect(await emailsOf('robot@example.test')).toEqual([])
    expect(robot.faults).toEqual([])
    await robot.close()

    const { page, close } = await onThePage(language, 360)
    await fill(page, t, 'jo@spam.test')
    await press(page, t)
    await page.getByText(t('contact.failed.blocked', { email: DESK })).waitFor()
    expect(await violations(page)).toEqual([])
    // What did not leave may be sent again at once.
    await fill(page, t, `again.${language}@example.test`)
    await press(page, t)
    await page.getByText(t('contact.sent')).waitFor()
    await close()
  })

  test('a visitor without scripts sees the address, and no form that does nothing', async () => {
    const t = words(language)
    const context = await browser.newContext({ baseURL: shop.config.publicUrl, javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${PAGE}?lang=${language}`)
    // Found by its element: Playwright does not look for texts inside of noscript.
    const notice = page.locator('main noscript > div')
    await notice.waitFor()
    expect(await notice.innerText()).toContain(t('contact.noScript'))
    expect(await notice.getByRole('link', { name: DESK }).isVisible()).toBe(true)
    expect(await page.locator('main form').isVisible()).toBe(false)
    expect(await page.locator(`main a[href="mailto:${DESK}"]`).first().isVisible()).toBe(true)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(t('contact.title'))
    await context.close()
  })
})

test('while a message is on its way the button says so and takes no second press [spec 4.47]', async () => {
  const t = words('en')
  const { page, close } = await onThePage('en', 1440)
  await fill(page, t, 'slow@example.test')
  // The message is stored as a mail to the shop, which must wait for whoever has this lock.
  const gate = await closeGate(shop.url, 'LOCK TABLE emails IN SHARE MODE')
  await press(page, t)
  await gate.waiting(1)
  const sending = page.getByRole('button', { name: 'Loading...' })
  await sending.waitFor()
  expect(await sending.isDisabled()).toBe(true)
  await gate.open()
  await page.getByText('Message sent successfully!').waitFor()
  expect(await emailsOf('slow@example.test')).toHaveLength(1)
  await close()
})

test('the address of somebody signed in is filled in, and the menu leads to the page', async () => {
  const t = words('nl')
  const customer = await shop.newCustomer()
  const { page, close } = await onThePage('nl', 1440)
  const login = await shop.anonymous('POST', '/api/token/', {
    username: customer.email,
    password: customer.password,
  })
  await page.evaluate((tokens) => {
    for (const [name, token] of Object.entries(tokens)) localStorage.setItem(name, token as string)
  }, login.body)
  await page.goto('/')
  await awake(page)
  await page
    .getByRole('navigation')
    .getByRole('link', { name: t('frame.menu.contact'), exact: true })
    .click()
  await page.getByRole('heading', { level: 1, name: t('contact.title') }).waitFor()
  await page.waitForFunction((email) => {
    const field = document.querySelector<HTMLInputElement>('input[type=email]')
    return field?.value === email
  }, customer.email)
  await close()
})

describe('with an e-mail service of its own', () => {
  let service: Server
  let other: TestShop
  const calls: Record<string, unknown>[] = []

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' }
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    if (request.method === 'POST') calls.push(JSON.parse(body))
    response.writeHead(200, cors).end('OK')
  }

  beforeAll(async () => {
    service = createServer((request, response) => void take(request, response))
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    other = await testShop({
      pages: true,
      env: {
        EMAILJS_ORIGIN: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
        EMAILJS_PUBLIC_KEY: 'key',
        EMAILJS_SERVICE_ID: 'service',
        EMAILJS_TEMPLATE_ID: 'template',
      },
    })
  })
  afterAll(async () => {
    service.closeAllConnections()
    service.close()
    await other.close()
  })

  test('the browser sends to that service, and the page’s security policy lets it [spec 3.26, 7.43]', async () => {
    const t = words('fr')
    const { page, faults, close } = await onThePage('fr', 1440, true, other.config.publicUrl)
    await fill(page, t, 'jo@example.test', 'Un message de dix lettres')
    await press(page, t)
    await page.getByText(t('contact.sent')).waitFor()
    expect(calls).toEqual([
      {
        lib_version: '4.4.1',
        user_id: 'key',
        service_id: 'service',
        template_id: 'template',
        template_params: {
          user_name: 'Jo Peeters',
          user_email: 'jo@example.test',
          message: 'Un message de dix lettres',
        },
      },
    ])
    service.closeAllConnections()
    service.close()
    await aMinuteLater(page)
    await fill(page, t, 'jo@example.test')
    await press(page, t)
    await page.getByText(t('errors.network')).waitFor()
    expect(faults.filter((fault) => fault.startsWith('security'))).toEqual([])
    await close()
  })
})
