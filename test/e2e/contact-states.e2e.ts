import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { openStage } from '../support/stage.ts'
import { visit } from '../support/visits.ts'
import { words } from '../support/words.ts'

const t = words('en')

/** Lets the e-mail service answer the message that waits, with a status. */
let answer: ((status: number) => void) | undefined

const service = createServer((request, response) => {
  const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' }
  const end = (status: number) =>
    void response.writeHead(status, cors).end(status === 200 ? 'OK' : 'No template')
  if (request.method === 'POST') answer = end
  else end(200)
})
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  service.closeAllConnections()
  service.close()
})

const env = {
  EMAILJS_ORIGIN: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  EMAILJS_PUBLIC_KEY: 'key',
  EMAILJS_SERVICE_ID: 'service',
  EMAILJS_TEMPLATE_ID: 'template',
}
const { shop, browser } = await openStage({ env })

test('the contact form is idle, sending, then empty again or in error; a picture stands beside it [spec 2.8, 2.115, 4.44-4.46, 6.3, 8.35, 8.49]', async () => {
  const visitor = await visit(browser, shop)
  const { page } = visitor
  // The service's client refuses a browser that is driven by a program.
  await visitor.context.addInitScript(() =>
    Object.defineProperty(navigator, 'webdriver', { get: () => false }),
  )
  await page.goto('/contact')
  await awake(page)
  const form = page.locator('main form')
  const [beside, picture] = [await form.boundingBox(), await page.locator('main img').first().boundingBox()]
  expect(
    (picture?.x ?? 0) + (picture?.width ?? 0) <= (beside?.x ?? 0) ||
      (picture?.x ?? 0) >= (beside?.x ?? 0) + (beside?.width ?? 0),
  ).toBe(true)

  const fields = ['contact.name', 'contact.email', 'contact.message'] as const
  const values = ['Jo Peeters', 'jo@example.test', 'Is the red car really red?']
  const field = (name: (typeof fields)[number]) => form.getByLabel(t(name), { exact: true })
  const shown = () => Promise.all(fields.map((name) => field(name).inputValue()))
  async function send(status: number): Promise<void> {
    // A second message is held back for a minute.
    await page.evaluate(() => localStorage.clear())
    for (const [index, name] of fields.entries()) await field(name).fill(values[index] ?? '')
    await form.getByRole('button', { name: t('contact.submit'), exact: true }).click()
    const busy = form.getByRole('button', { name: t('contact.sending') })
    await busy.waitFor()
    expect(await busy.isDisabled()).toBe(true)
    await expect.poll(() => answer).toBeDefined()
    answer?.(status)
    answer = undefined
  }

  await send(400)
  await page.getByText('No template', { exact: true }).waitFor()
  await page.getByText(t('contact.failed.kept', { email: 'contact@volant.example' })).waitFor()
  expect(await shown()).toEqual(values)
  await send(200)
  await page.getByText('Message sent successfully!', { exact: true }).waitFor()
  expect(await shown()).toEqual(['', '', ''])
  await form.getByRole('button', { name: t('contact.submit'), exact: true }).waitFor()
  await visitor.close()
})
