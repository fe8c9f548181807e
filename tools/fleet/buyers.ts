import { setTimeout as sleep } from 'node:timers/promises'
import { accessTokens } from '#features/accounts/server/index.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { translate } from '#i18n/server-translator.ts'
import type { MadeCustomer } from '../customers/make-customers.ts'
import type { Observations } from '../chaos/buyers.ts'
import { type CallResponse, call } from '../testbed/call.ts'

const TOKEN_AGE_MS = 120_000
const BUYER = 'buyer@buyer.test'
/** A response that says "one moment": the page waits and asks again. */
const ONE_MOMENT = new Set([429, 502, 503, 504])
const TRIES = 60
/** The sentence of a page that says so. */
const AWAY = new RegExp(
  ['errors.overloaded.title', 'errors.away.title'].map((key) => translate('en', key as MessageKey)).join('|'),
)

/** What buyers saw, besides what `observed` counts. */
export interface Seen {
  /** When each sale was acknowledged, in milliseconds. */
  sales: number[]
  /** Responses other than "one moment" with a time to try again, where the shop could not respond. */
  rude: string[]
}

export interface Crowd {
  seen: Seen
  observed: Observations
  /** Puts a ticket into the cart of somebody who does not buy. @returns how many lie there, once the shop responds */
  fillCart(): Promise<number>
  cart(): Promise<number>
  /** Sells tickets of one more contest, until that moment. */
  sell(contest: { id: number; slug: string; until: number }): void
  /** What anybody reads of a contest in its public log; empty while there is none. */
  logOf(slug: string): Promise<string>
  /** A line for each public log of which something is not as it was once. */
  changedLogs(): Promise<string[]>
  stop(): Promise<void>
}

interface CrowdOptions {
  url: string
  emulatorUrl: string
  secret: string
  /** The first one only fills the cart and looks at pages. */
  customers: readonly MadeCustomer[]
  /** The contest that is always on sale. */
  wide: { id: number }
  observed: Observations
}

/** Buyers who buy again and again and write down each sale that the shop has acknowledged, outside of the shop. */
export function startCrowd({ url, emulatorUrl, secret, customers, wide, observed }: CrowdOptions): Crowd {
  const seen: Seen = { sales: [], rude: [] }
  const tokens = accessTokens({ secret })
  let open = true
  const others: { id: number; slug: string; until: number }[] = []
  const contests = (): number[] => [
    wide.id,
    ...others.filter((one) => Date.now() < one.until).map(({ id }) => id),
  ]

  type Insist = (name: string, path: string, body?: unknown) => Promise<CallResponse | undefined>

  /**
   * Calls of a customer that are repeated until the response is another than "one moment"; undefined when the buyers
   * stop.
   */
  function insisting({ userId, sessionId }: MadeCustomer): Insist {
    let token = { at: -Infinity, text: '' }
    const ask = async (name: string, path: string, body?: unknown): Promise<CallResponse> => {
      if (performance.now() - token.at > TOKEN_AGE_MS)
        token = { at: performance.now(), text: await tokens.issue({ userId, sessionId }) }
      const response = await call(`${url}${path}`, token.text, body)
      observed.note(name, response.status)
      if (isRude(response)) seen.rude.push(`${name} ${response.status}`)
      return response
    }
    return async (...what) => {
      for (let turn = 0; open && turn < TRIES; turn += 1) {
        const response = await ask(...what)
        if (response.status !== 0 && !ONE_MOMENT.has(response.status)) return response
        await sleep(300)
      }
      return undefined
    }
  }

  async function buyAgain(customer: MadeCustomer, index: number): Promise<void> {
    const { userId, cartId } = customer
    const insist = insisting(customer)
    for (let turn = index; open; turn += 1) {
      await sleep(20)
      const offers = contests()
      const line = { offer_id: offers[turn % offers.length], quantity: 1 + (turn % 3) }
      const added = await insist('add_item', `/api/cart/${cartId}/add_item/`, line)
      if (added?.status !== 200) {
        await insist('clear', `/api/cart/${cartId}/clear/`, {})
        continue
      }
      const ordered = await insist('create-order', '/api/paypal/create-order/', { country_code: 'BE' })
      if (ordered?.status !== 200) {
        await insist('clear', `/api/cart/${cartId}/clear/`, {})
        continue
      }
      const orderId = String(ordered.body.order_id)
      await call(`${emulatorUrl}/_emulator/orders/${orderId}/approve`, undefined, { buyer: BUYER })
      await pay(orderId, userId, insist)
    }
  }

  async function pay(orderId: string, userId: number, insist: Insist): Promise<void> {
    let response = await insist('capture', '/api/paypal/capture-payment/', { order_id: orderId })
    // Taken, and not settled yet: the page looks at the order.
    for (let look = 0; open && response?.status === 202 && look < TRIES; look += 1) {
      await sleep(300)
      const order = await insist('order', `/api/paypal/orders/${orderId}/`)
      if (order?.status === 200 && order.body.progress !== 'confirming') response = order
    }
    if (response?.status !== 200) return
    if (!response.body.tickets?.length) {
      if (response.body.status === 'COMPLETED')
        observed.wrong.push(`the completed order ${orderId} has no tickets`)
      return
    }
    seen.sales.push(performance.now())
    observed.purchases += 1
    for (const ticket of response.body.tickets as { id: string }[]) observed.tickets.set(ticket.id, userId)
  }

  /** Somebody who reloads a page, and reads the logs of draws. */
  async function look(): Promise<void> {
    while (open) {
      const response = await call(`${url}/offers`, undefined)
      observed.note('page', response.status)
      const text = String(response.body)
      const isPage =
        response.status === 0 || (text.includes('</html>') && (response.status < 500 || AWAY.test(text)))
      if (isRude(response) || !isPage) seen.rude.push(`page ${response.status}`)
      await readLogs()
      await sleep(300)
    }
  }

  /** The longest text of each public log that anybody was given, and what was given and does not fit it. */
  const published = new Map<string, string>()
  const changed = new Set<string>()

  async function readLog(path: string): Promise<string> {
    const { status, body } = await call(`${url}${path}`, undefined)
    if (status !== 200) return ''
    const [known, text] = [published.get(path) ?? '', String(body)]
    const [short, long] = known.length < text.length ? [known, text] : [text, known]
    if (!long.startsWith(short)) changed.add(`${path} is not as it was when it was read before`)
    published.set(path, long)
    return text
  }

  const logPath = (slug: string): string => `/draws/${slug}/log.txt`
  const readLogs = () =>
    Promise.all(['/draws/log.txt', ...others.map(({ slug }) => logPath(slug))].map(readLog))

  const [bystander, ...buying] = customers
  if (!bystander) throw new Error('a crowd needs a bystander')
  const insist = insisting(bystander)
  const cart = async (): Promise<number> => {
    const response = await insist('cart', '/api/cart/')
    const items = (response?.body?.[0]?.items ?? []) as { quantity: number }[]
    return items.reduce((sum, { quantity }) => sum + quantity, 0)
  }
  const insistOn = async (path: string): Promise<string> => {
    const response = await insist('log', path)
    return response?.status === 200 ? String(response.body) : ''
  }
  const loops = [...buying.map(buyAgain), look()]
  return {
    seen,
    observed,
    cart,
    async fillCart() {
      const line = { offer_id: contests()[0], quantity: 1 }
      await insist('add_item', `/api/cart/${bystander.cartId}/add_item/`, line)
      return cart()
    },
    sell: (contest) => void others.push(contest),
    logOf: (slug) => readLog(logPath(slug)),
    async changedLogs() {
      for (const [path, known] of published)
        if (!(await insistOn(path)).startsWith(known)) changed.add(`${path} is shorter than it was`)
      return [...changed]
    },
    async stop() {
      open = false
      await Promise.all(loops)
    },
  }
}

/**
 * A connection that breaks is no response; what comes otherwise while the shop is away says so, and when to try again.
 */
const isRude = ({ status, retryAfter, body }: CallResponse): boolean =>
  status >= 500 &&
  (!ONE_MOMENT.has(status) || retryAfter === null || !(AWAY.test(String(body)) || body?.detail))
