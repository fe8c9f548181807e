import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

/** What the demonstration's mailbox shows for an address, the newest first. */
async function mailsTo(address: string): Promise<Record<string, unknown>[]> {
  const { body } = await shop.anonymous('GET', '/api/demo/mails/')
  return (body as unknown as Record<string, unknown>[]).filter(({ to }) => to === address)
}

test('a changed address is told to the former one, where links for a new password come to an end', async () => {
  const owner = await shop.newCustomer()
  const next = `next-${owner.email}`
  const forget = (email: string) => shop.anonymous('POST', '/api/user/forgot-password/', { email })
  // One link is on its way to the former address, and a wish for another one waits.
  await forget(owner.email)
  await shop.sendPasswordResets()
  await forget(owner.email)
  expect((await owner.put('/api/user/profile/', { email: next })).status).toBe(200)
  await shop.sendPasswordResets()
  await shop.mailer.deliver()

  const mails = await mailsTo(owner.email)
  expect(new Set(mails.map(({ kind }) => kind))).toEqual(new Set(['email-changed', 'password-reset']))
  expect(mails).toHaveLength(2)
  const told = mails.find(({ kind }) => kind === 'email-changed')
  expect(told).toMatchObject({ subject: 'The email address of your account was changed', language: 'en' })
  const { body } = await shop.anonymous('GET', `/api/demo/mails/${String(told?.['id'])}/`)
  expect(body['text']).toContain(owner.email)
  expect(body['text']).toContain(`write to ${shop.config.contactEmail} at once`)
  expect(body['text']).not.toContain(next)
  expect(await mailsTo(next)).toEqual([])

  const reset = mails.find(({ kind }) => kind === 'password-reset')
  const mail = await shop.anonymous('GET', `/api/demo/mails/${String(reset?.['id'])}/`)
  const [, token = ''] = /#([\w-]{40,})/.exec(mail.body['text']) ?? []
  expect(token).not.toBe('')
  const chosen = { token, new_password: 'Stolen-1!', confirm_password: 'Stolen-1!' }
  expect((await shop.anonymous('POST', '/api/user/reset-password/', chosen)).status).toBe(410)
})
