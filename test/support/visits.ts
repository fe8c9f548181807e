import type { Browser, CDPSession, Page } from 'playwright-core'
import { type Visitor, newVisitor } from './browser.ts'
import type { Customer, TestShop } from './shop.ts'

type VisitorOptions = Partial<Omit<Parameters<typeof newVisitor>[1], 'baseUrl'>>

/** A visitor of a shop, by default in English in a wide window. */
export const visit = (browser: Browser, shop: TestShop, options: VisitorOptions = {}): Promise<Visitor> =>
  newVisitor(browser, { baseUrl: shop.config.publicUrl, width: 1440, language: 'en', ...options })

/** Signs a visitor in as a customer. The page then stands on a bare address of the shop. */
export async function signIn({ page }: Visitor, shop: TestShop, customer: Customer): Promise<void> {
  const { email: username, password } = customer
  const { body } = await shop.anonymous('POST', '/api/token/', { username, password })
  await page.goto('/api/health/live')
  await keepTokens(page, { access: body['access'] as string, refresh: body['refresh'] as string })
}

/** Puts values into the local storage of the page's origin; null takes one away. */
export const keepTokens = (page: Page, tokens: Record<string, string | null>): Promise<void> =>
  page.evaluate((values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === null) localStorage.removeItem(name)
      else localStorage.setItem(name, value)
    }
  }, tokens)

/** A visitor who is signed in, as a customer of their own unless one is given. */
export async function member(
  browser: Browser,
  shop: TestShop,
  options: VisitorOptions & { customer?: Customer } = {},
): Promise<Visitor & { customer: Customer }> {
  const { customer = await shop.newCustomer(), ...rest } = options
  const visitor = await visit(browser, shop, rest)
  await signIn(visitor, shop, customer)
  return { ...visitor, customer }
}

/** Puts tickets of a contest into a customer's cart. */
export const putIntoCart = (customer: Customer, offerId: number, quantity: number) =>
  customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity })

const devtools = new WeakMap<Page, CDPSession>()

/**
 * Makes the network of a page slow or takes it away, as a train does: what a page shows meanwhile can then be seen.
 * @param latency milliseconds that every request takes longer
 */
export async function network(
  page: Page,
  state: { latency?: number; offline?: boolean } = {},
): Promise<void> {
  const session = devtools.get(page) ?? (await page.context().newCDPSession(page))
  devtools.set(page, session)
  const { latency = 0, offline = false } = state
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline,
    latency,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
}

/** How many columns a grid has. */
export const columnsOf = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((grid) => getComputedStyle(grid).gridTemplateColumns.split(' ').length)

/** Writes down what the pages opened from now on ask their timers for: waits are read from it, never measured. */
export async function recordTimers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const asked: number[] = []
    const real = window.setTimeout.bind(window)
    const recording = (work: () => void, delay = 0): number => {
      asked.push(delay)
      return real(work, delay)
    }
    Object.assign(window, { asked, setTimeout: recording })
  })
}

/** The waits in milliseconds asked for since the last look. */
export const askedWaits = (page: Page): Promise<number[]> =>
  page.evaluate(() => (window as unknown as { asked: number[] }).asked.splice(0))

/**
 * Keeps work that the pages opened from now on want done after one certain wait: what is soon gone can then be looked at
 * for as long as that takes.
 * @param waitMs milliseconds asked for
 * @param heading of the page that asks: others may wait as long for something else
 */
export async function holdTimers(page: Page, waitMs: number, heading: string): Promise<void> {
  const held = { waitMs, heading }
  await page.addInitScript((wanted) => {
    const kept = new Map<number, () => void>()
    const [set, clear] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)]
    const never = 2 ** 31 - 1
    const setTimeout = (work: () => void, wait = 0): number => {
      const isHere = document.querySelector('main h1')?.textContent === wanted.heading
      if (wait !== wanted.waitMs || !isHere) return set(work, wait)
      const id = set(() => undefined, never)
      kept.set(id, work)
      return id
    }
    const clearTimeout = (id?: number): void => {
      if (id !== undefined) kept.delete(id)
      clear(id)
    }
    const runKept = (): void => kept.forEach((work) => set(work, 0))
    Object.assign(window, { kept, runKept, setTimeout, clearTimeout })
  }, held)
}

/** How much is kept in the page at the moment. */
export const keptTimers = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { kept: Map<number, unknown> }).kept.size)

/** Has the page do what was kept. */
export const runKeptTimers = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as { runKept: () => void }).runKept())

/** Writes down what the pages opened from now on set as cookies: with the words of their lifetime, which no jar gives back. */
export async function recordCookies(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const written: string[] = []
    const jar = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie') as PropertyDescriptor
    const set = (text: string): void => {
      written.push(text)
      jar.set?.call(document, text)
    }
    Object.defineProperty(document, 'cookie', { get: () => jar.get?.call(document) as string, set })
    Object.assign(window, { written })
  })
}

/** The cookies as they were written since the page was opened. */
export const writtenCookies = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as unknown as { written: string[] }).written)
