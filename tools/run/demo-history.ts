import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { demoContests } from '../../db/demo/contests.ts'
import type { BuyerOrder } from '#features/orders/orders.contract.ts'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { readAccounts } from './banner.ts'
import { say } from './say.ts'

/** Addresses for this machine's own calls. */
export interface DemoAddresses {
  shopUrl: string
  emulatorUrl: string
  /** Opens the emulator's own calls. */
  token?: string | undefined
  /** The shop's own for its visitors, which changes by staff name. */
  origin: string
}

interface Purchase {
  slug: string
  quantity: number
  /** A test buyer of the emulator. */
  payer: string
  isRefunded?: boolean
}

/** What the demonstration's customer has bought before the first visit. Tickets of a contest that is over are loaded. */
const PURCHASES: readonly Purchase[] = [
  { slug: 'karst-4-expedition-avec-tente-de-toit', quantity: 3, payer: 'buyer@buyer.test', isRefunded: true },
  { slug: 'corvane-s4-rouge-rubis', quantity: 5, payer: 'buyer@buyer.test' },
  { slug: 'lumo-e-electrique-avec-borne', quantity: 2, payer: 'pending@buyer.test' },
]
/** What waits in the cart. */
const WANTED = { slug: 'un-week-end-a-la-mer-en-solane-spider', quantity: 2 }
const COUNTRY = 'BE'
const REFUND_REASON = 'Remboursement demandé par le client'

const LONGEST_CALL_MS = 20_000

/**
 * Gives the demonstration's customer a history, once for each data folder: by the shop's own calls, as its customer, its
 * staff and PayPal's buyer would make them. What exists is not bought again.
 */
export async function makeDemoHistory(dataDir: string, addresses: DemoAddresses): Promise<void> {
  const done = path.join(dataDir, 'demo-history.json')
  if (existsSync(done)) return
  const { customer, staff } = readAccounts(dataDir) ?? {}
  if (!customer || !staff) return
  const buyer = await logIn(addresses, customer)
  const known = await ordersOf(buyer)
  const isTheirs = ({ lines }: BuyerOrder): boolean =>
    lines.some(({ offer_slug }) => PURCHASES.every(({ slug }) => slug !== offer_slug))
  // Somebody has used the shop before it made histories.
  if (!known.some(isTheirs)) {
    for (const purchase of PURCHASES) if (!orderOf(known, purchase)) await buy(addresses, buyer, purchase)
    const office = await signIn(addresses, staff)
    await office('POST', '/api/staff/session/step-up/', {
      permission: 'orders.refund',
      password: staff.password,
    })
    const orders = await ordersOf(buyer)
    for (const purchase of PURCHASES) {
      const order = orderOf(orders, purchase)
      if (purchase.isRefunded && order?.phase === 'paid')
        await office('POST', `/api/staff/orders/${order.order_id}/refund/`, { reason: REFUND_REASON })
    }
    await fillCart(buyer, WANTED)
  }
  writeFileSync(done, `${JSON.stringify({ at: new Date().toISOString() })}\n`)
}

/**
 * Sends the emulator the payments of the orders that the shop has loaded (db/demo/load-demo.ts), so that
 * it answers for them, and removes their file. The emulator adds only what it does not know.
 */
export async function sendPayments(dataDir: string, emulatorUrl: string, token?: string): Promise<void> {
  const file = path.join(dataDir, 'demo-payments.json')
  if (!existsSync(file)) return
  const payments = JSON.parse(readFileSync(file, 'utf8')) as object
  await send('POST', `${emulatorUrl}/_emulator/history`, withToken(token), payments)
  rmSync(file)
}

/**
 * The same, until it succeeds or `stopping` aborts: without its payments the shop cannot refund an order. A failure is
 * reported. Returns after the first try.
 */
export async function keepSendingPayments(
  dataDir: string,
  emulatorUrl: string,
  {
    stopping,
    token,
    againMs = 60_000,
  }: { stopping: AbortSignal; token?: string | undefined; againMs?: number },
): Promise<void> {
  if (stopping.aborted) return
  try {
    await sendPayments(dataDir, emulatorUrl, token)
  } catch (error) {
    if (stopping.aborted) return
    say(
      `The PayPal emulator could not take the payments of the demonstration: ${(error as Error).message}. ` +
        'Until it has them, the shop cannot refund these orders. The next try is in a minute.',
    )
    setTimeout(
      () => void keepSendingPayments(dataDir, emulatorUrl, { stopping, token, againMs }),
      againMs,
    ).unref()
  }
}

const withToken = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { cookie: `demo_token=${token}` }

type Call = <Answer>(method: 'GET' | 'POST', address: string, body?: object) => Promise<Answer>

/** @throws Error unless the answer is good */
async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Response> {
  const answer = await fetch(url, {
    method,
    signal: AbortSignal.timeout(LONGEST_CALL_MS),
    headers: { 'accept-language': 'fr', ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}`)
  return answer
}

const callsOf = (base: string, headers: Record<string, string> = {}): Call =>
  async function call<Answer>(method: string, address: string, body?: object): Promise<Answer> {
    const answer = await send(method, base + address, headers, body)
    return (answer.status === 204 ? undefined : await answer.json()) as Answer
  }

async function logIn(
  { shopUrl }: DemoAddresses,
  account: { email: string; password: string },
): Promise<Call> {
  const login = { username: account.email, password: account.password }
  const { access } = await callsOf(shopUrl)<{ access: string }>('POST', '/api/token/', login)
  return callsOf(shopUrl, { authorization: `Bearer ${access}` })
}

/** A session of the console. */
async function signIn(
  { shopUrl, origin }: DemoAddresses,
  { email, password }: { email: string; password: string },
): Promise<Call> {
  const answer = await send('POST', `${shopUrl}/api/staff/session/`, { origin }, { email, password })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return callsOf(shopUrl, { origin, cookie })
}

const ordersOf = async (buyer: Call): Promise<BuyerOrder[]> =>
  (await buyer<{ orders: BuyerOrder[] }>('GET', '/api/orders/')).orders

const orderOf = (orders: readonly BuyerOrder[], { slug }: Purchase): BuyerOrder | undefined =>
  orders.find(({ lines }) => lines.some(({ offer_slug }) => offer_slug === slug))

/** Puts tickets into an empty cart. */
async function fillCart(buyer: Call, { slug, quantity }: Pick<Purchase, 'slug' | 'quantity'>): Promise<void> {
  const [cart] = await buyer<{ id: number }[]>('GET', '/api/cart/')
  const address = `/api/cart/${cart?.id}`
  await buyer('POST', `${address}/clear/`)
  const { id } = await buyer<OfferDetail>('GET', `/api/offers/${slug}/`)
  // The shop may hide the answer.
  const answer = demoContests(new Date()).find((one) => one.slug === slug)?.correct_choice
  await buyer('POST', `${address}/add_item/`, { offer_id: id, quantity, ...(answer && { answer }) })
}

async function buy(addresses: DemoAddresses, buyer: Call, purchase: Purchase): Promise<void> {
  await fillCart(buyer, purchase)
  const { order_id } = await buyer<{ order_id: string }>('POST', '/api/paypal/create-order/', {
    country_code: COUNTRY,
  })
  await callsOf(addresses.emulatorUrl, withToken(addresses.token))(
    'POST',
    `/_emulator/orders/${order_id}/approve`,
    {
      buyer: purchase.payer,
    },
  )
  await buyer('POST', '/api/paypal/capture-payment/', { order_id })
}
