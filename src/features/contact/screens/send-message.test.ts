import * as emailjs from '@emailjs/browser'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { memoryStorage } from '#client/browser-parts.ts'
import { SEND_PATH } from '../contact.contract.ts'
import { STAMP, failureText, sendMessage } from './send-message.ts'

const MESSAGE = { user_name: 'Jo', user_email: 'jo@example.test', message: 'Ten letters' }

const ORIGIN = 'https://shop.example'
let sent: { address: string; body: unknown }[]
let response: { status: number; text: string } | undefined
let storage: ReturnType<typeof memoryStorage>

/** The network: a service that responds, or no connection. */
async function take(address: string, { body }: { body: string }): Promise<Response> {
  if (!response) throw new TypeError('Failed to fetch')
  sent.push({ address, body: JSON.parse(body) })
  return new Response(response.text, { status: response.status })
}

beforeEach(() => {
  sent = []
  response = { status: 200, text: 'OK' }
  storage = memoryStorage()
  vi.stubGlobal('fetch', take)
  vi.stubGlobal('navigator', { webdriver: false, languages: ['fr'] })
  vi.stubGlobal('location', { pathname: '/contact' })
})
afterEach(() => void vi.unstubAllGlobals())

/** Sends through the service's real client. */
const send = (keys: Parameters<typeof sendMessage>[1]['service'] = null, page = ORIGIN) =>
  sendMessage(MESSAGE, { load: async () => emailjs, service: keys, origin: page, language: 'nl', storage })

const textOf = (error: unknown): string => failureText(error, (key: MessageKey) => key)
const failure = async (): Promise<string> => textOf(await send().catch((error: unknown) => error))

/** What the service is sent. */
const callOf = (user_id: string, service_id: string, template_id: string) => ({
  lib_version: '4.4.1',
  user_id,
  service_id,
  template_id,
  template_params: MESSAGE,
})

test('a message goes to this shop where no service is set up', async () => {
  await send()
  expect(sent).toEqual([{ address: ORIGIN + SEND_PATH, body: callOf('volant', 'volant', 'contact-nl') }])
})

test('a message goes to the service that is set up [spec 7.43]', async () => {
  const keys = { publicKey: 'key', serviceId: 'service', templateId: 'template' }
  await send({ origin: 'https://service.example', ...keys })
  const body = callOf('key', 'service', 'template')
  expect(sent).toEqual([{ address: `https://service.example${SEND_PATH}`, body }])
})

test('a second message is sent a minute later at the earliest', async () => {
  await send()
  expect(await failure()).toBe('contact.failed.rateLimited')
  expect(sent).toHaveLength(1)
  storage.setItem(STAMP, String(Number(storage.getItem(STAMP)) - 60_000))
  await send()
  expect(sent).toHaveLength(2)
})

test('a failed message does not delay the next one', async () => {
  response = { status: 422, text: 'The recipients address is empty' }
  expect(await failure()).toBe('The recipients address is empty')
  response = { status: 200, text: 'OK' }
  await send()
  expect(sent).toHaveLength(2)
})

describe('the text of a failure', () => {
  test.each<[number, string, string]>([
    [451, 'The words of the service', 'contact.failed.headless'],
    [403, 'The words of the service', 'contact.failed.blocked'],
    [429, 'The words of the service', 'contact.failed.rateLimited'],
    ...['', '   ', '<!doctype html><p>502', '{"detail":"x"}', 'x'.repeat(301)].map(
      (text): [number, string, string] => [500, text, 'contact.failed.other'],
    ),
  ])('with status %i and %j [spec 7.44, 8.35]', async (status, text, expected) => {
    response = { status, text }
    expect(await failure()).toBe(expected)
  })

  test('in an automated browser, which sends nothing', async () => {
    vi.stubGlobal('navigator', { webdriver: true, languages: ['fr'] })
    expect(await failure()).toBe('contact.failed.headless')
    expect(sent).toEqual([])
  })

  test('without a connection [spec 8.35]', async () => {
    response = undefined
    expect(await failure()).toBe('errors.network')
  })

  test.each(['The public key is required.', new Error('x'), undefined])('after the fault %s', (fault) => {
    expect(textOf(fault)).toBe('contact.failed.other')
  })
})
