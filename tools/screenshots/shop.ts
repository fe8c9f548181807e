import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { NotNull } from 'kysely'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { sendPayments } from '../run/demo-payments.ts'
import { freePort } from '../run/free-port.ts'
import { startTestbed } from '../testbed/testbed.ts'
import { questionOf } from '#features/offers/offers.rules.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

export type Person = 'newcomer' | 'buyer' | 'staff'

/** Who calls, and in which language; French when left out. */
interface Caller {
  access?: string
  language?: Language
}

interface Login {
  email: string
  password: string
}

type Tokens = Record<'access' | 'refresh', string>
/** Opens the mailbox of the demonstration. */
export const DEMO_COOKIE = { name: 'demo_token', value: 'token-of-the-screenshots-shop' } as const

type Shop = Awaited<ReturnType<typeof startShop>>

export type ScreenshotShop = Awaited<ReturnType<typeof startScreenshotShop>>

/** Starts a shop with the whole demonstration, and with a buyer who has a large order more and a full cart. */
export async function startScreenshotShop() {
  const shop = await startShop()
  try {
    return { ...shop, contests: await makeHistory(shop) }
  } catch (error) {
    await shop.close()
    throw error
  }
}

async function startShop() {
  const testbed = await startTestbed({ name: 'screenshots', isDurable: false })
  const PORT = String(await freePort())
  const paypal = await testbed.emulator({ WEBHOOK_URL: `http://127.0.0.1:${PORT}/api/paypal/webhook/` })
  const shop = await testbed.shop('shop', {
    PORT,
    PAYPAL_BASE_URL: paypal.url,
    VOLANT_DEMO_HISTORY: '1',
    DEMO_TOKEN: DEMO_COOKIE.value,
  })
  await paypal.start()
  await shop.start()
  await sendPayments(testbed.dataDir, paypal.url)
  const demo = JSON.parse(readFileSync(path.join(testbed.dataDir, 'demo-accounts.json'), 'utf8')) as Record<
    'customer' | 'staff',
    Login
  >
  const password = 'Not-a-secret1!'

  async function call<Body>(
    method: 'GET' | 'POST',
    url: string,
    caller?: Caller,
    body?: object,
  ): Promise<Body> {
    const response = await fetch(shop.url + url, {
      method,
      headers: {
        ...(caller?.access !== undefined && { authorization: `Bearer ${caller.access}` }),
        'accept-language': caller?.language ?? 'fr',
        cookie: `${DEMO_COOKIE.name}=${DEMO_COOKIE.value}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Body
  }

  const signIn = (login: Login): Promise<Tokens> =>
    call('POST', '/api/token/', undefined, { username: login.email, password: login.password })

  let signedIn: Promise<{ name: string; value: string }> | undefined
  /** The cookie of one session of the console, which all its pictures share. */
  const staffCookie = () =>
    (signedIn ??= (async () => {
      const response = await fetch(`${shop.url}/api/staff/session/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: shop.url },
        body: JSON.stringify(demo.staff),
      })
      const [pair = ''] = (response.headers.get('set-cookie') ?? '').split(';')
      const [name = '', ...value] = pair.split('=')
      if (!response.ok || name === '') throw new Error(`the console responded with ${response.status}`)
      return { name, value: value.join('=') }
    })())

  const registrations = new Map<string, Promise<unknown>>()

  /** A new session of the account of that name. The first call registers it, in that language. */
  async function logInAs(username: string, language: Language, email = `${username}@example.com`) {
    const login = { email, password }
    const account = { ...login, username, phone_number: '+32471234567' }
    const registration =
      registrations.get(username) ?? call('POST', '/api/user/register/', { language }, account)
    registrations.set(username, registration)
    await registration
    return signIn(login)
  }

  return {
    publicUrl: shop.url,
    paypalUrl: paypal.url,
    db: testbed.db,
    call,
    logInAs,
    staffCookie,
    /** A session of its own for each window, so that leaving one ends no other. */
    logIn(person: Person): Promise<Tokens> {
      if (person === 'newcomer') return logInAs('alexandrine', 'fr', 'alexandrine.vandenbroucke@example.com')
      return signIn(person === 'buyer' ? demo.customer : demo.staff)
    },
    /** Approves an order at the provider, as its buyer. */
    async approve(orderId: string): Promise<void> {
      const response = await fetch(`${paypal.url}/_emulator/orders/${orderId}/approve`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ buyer: 'buyer@buyer.test' }),
      })
      if (!response.ok) throw new Error(`the emulator responded with ${response.status}`)
    },
    close: () => testbed.close(),
  }
}

/** Contests that the states open, by what is special about them. */
export interface Contests {
  question: { slug: string; right: string; wrong: string }
  plain: string
  soldOut: string
  /** Waits for its end, which comes a minute after the start. */
  ended: () => Promise<string>
}

interface OfferRow {
  id: number
  slug: string
  questions: LocalizedText | null
}

/** Gives the buyer a large order and a cart, and a buyer of each language an order. @returns the contests by kind */
async function makeHistory(shop: Shop): Promise<Contests> {
  const offers = await shop.db
    .selectFrom('offers')
    .selectAll()
    .where('published_at', 'is not', null)
    .$narrowType<{ slug: NotNull; end_date: NotNull; total_tickets: NotNull }>()
    .orderBy('end_date', 'desc')
    .execute()
  const running = offers.filter(
    (one) => one.end_date > new Date() && one.tickets_sold + 50 < one.total_tickets,
  )
  const asks = running.find((one) => questionOf(one) !== null && one.total_tickets > 1_000)
  const plain = running.find((one) => questionOf(one) === null)
  const soldOut = offers.find((one) => one.tickets_sold >= one.total_tickets)
  const ending = offers.findLast((one) => one !== soldOut && one.state !== 'cancelled')
  if (!asks || !plain || !soldOut || !ending) throw new Error('the demonstration lacks a kind of contest')
  const wrong = asks.choices.find((one) => one !== asks.correct_choice) ?? ''
  const right = asks.correct_choice ?? ''

  const buyer = await shop.logIn('buyer')
  await shop.call('POST', `/api/cart/${await cartOf(shop, buyer)}/clear/`, buyer)
  await buy(shop, buyer, asks, 14, right)
  for (const language of LANGUAGES) {
    const reader = await shop.logInAs(`reads-${language}`, language)
    await buy(shop, { ...reader, language }, plain, 3)
  }
  await fillCart(shop, buyer, [
    [asks, 2, right],
    [plain, 5],
  ])
  const question = { slug: asks.slug, right, wrong }
  const ended = async (): Promise<string> => {
    await setTimeout(Math.max(0, ending.end_date.getTime() - Date.now() + 2_000))
    return ending.slug
  }
  return { question, plain: plain.slug, soldOut: soldOut.slug, ended }
}

const cartOf = async (shop: Shop, tokens: Caller): Promise<number> =>
  (await shop.call<{ id: number }[]>('GET', '/api/cart/', tokens))[0]?.id ?? 0

export async function fillCart(
  shop: Shop,
  tokens: Caller,
  lines: readonly (readonly [{ id: number }, number, string?])[],
): Promise<void> {
  const cart = await cartOf(shop, tokens)
  for (const [offer, quantity, answer] of lines) {
    const body = { offer_id: offer.id, quantity, ...(answer !== undefined && { answer }) }
    await shop.call('POST', `/api/cart/${cart}/add_item/`, tokens, body)
  }
}

async function buy(shop: Shop, tokens: Caller, offer: OfferRow, quantity: number, answer?: string) {
  await fillCart(shop, tokens, [[offer, quantity, answer]])
  const { order_id } = await shop.call<{ order_id: string }>('POST', '/api/paypal/create-order/', tokens, {
    country_code: 'BE',
  })
  await shop.approve(order_id)
  await shop.call('POST', '/api/paypal/capture-payment/', tokens, { order_id })
}
