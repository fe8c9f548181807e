/** What tests do to a page: press, fill in, change the network and the clock, answer in the server's place. */
import type { BrowserContext, CDPSession, Locator, Page } from 'playwright-core'
import type { Customer } from './shop.ts'

/** Presses the visible button of exactly this name. */
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true }).first().click()

/** The field of exactly this label. */
export const field = (page: Page, label: string): Locator => page.getByLabel(label, { exact: true })

/** Fills fields by their labels. */
export async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value)
}

/** Waits until the page has this path. */
export const arrive = (page: Page, path: string): Promise<void> =>
  page.waitForURL(({ pathname }) => pathname === path)

/** Puts values into the local storage of the page's origin; null takes one away. */
export const keepTokens = (page: Page, tokens: Record<string, string | null>): Promise<void> =>
  page.evaluate((values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === null) localStorage.removeItem(name)
      else localStorage.setItem(name, value)
    }
  }, tokens)

/** Puts tickets of a contest into a customer's cart. */
export const putIntoCart = (customer: Customer, offerId: number, quantity: number) =>
  customer.add(offerId, quantity)

/** The provider's button of the cart. */
export const wallet = (page: Page): Locator => page.locator('[data-funding-source="paypal"]').first()

/**
 * Begins the payment.
 * @param begin what opens the provider's window; a click on its button when left out
 * @returns the provider's window
 */
export async function beginPayment(
  { page, context }: { page: Page; context: BrowserContext },
  begin: () => Promise<void> = () => wallet(page).click(),
): Promise<Page> {
  const opened = context.waitForEvent('page')
  await begin()
  const approval = await opened
  await approval.waitForURL(/checkoutnow/)
  return approval
}

/** Agrees in the provider's window, as one of the emulator's buyers. */
export async function approve(approval: Page, buyer = 'buyer@buyer.test'): Promise<void> {
  await approval.getByText(buyer, { exact: true }).click()
  await approval.locator('button[value="approve"]').click()
}

/** Paths of the API calls that the page makes from now on, each after its method. */
export function callsOf(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`)
  })
  return calls
}

const matching = (path: string) => {
  const wanted = new RegExp(`^${path.replaceAll('*', '[^/]+')}$`)
  return (url: URL): boolean => wanted.test(url.pathname)
}

/**
 * Puts an answer that our own server would not give in the place of its own.
 * @param path of the call; `*` stands for one part
 * @param answer its status and body: an object is sent as JSON, a text as it is; `cut` breaks the connection
 * @param times so many answers, then the server's own again; without it, all
 */
export async function answerWith(
  page: Page,
  path: string,
  answer: { status: number; body?: object | string } | 'cut',
  times?: number,
): Promise<void> {
  await page.route(
    matching(path),
    async (route) => {
      if (answer === 'cut') return route.abort('connectionrefused')
      const { status, body = '' } = answer
      return typeof body === 'string'
        ? route.fulfill({ status, body, contentType: 'text/plain' })
        : route.fulfill({ status, json: body })
    },
    times === undefined ? {} : { times },
  )
}

/**
 * Holds calls back until they are released: what the page shows meanwhile can be looked at for as long as that takes.
 * @param path of the calls; `*` stands for one part
 * @returns what releases them, and those after them
 */
export async function holdBack(page: Page, path: string): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(matching(path), async (route) => {
    await released
    await route.continue()
  })
  return release
}

/** The toasts with exactly this text. */
export const toast = (page: Page, text: string): Locator =>
  page.locator('[data-sonner-toast]').filter({ has: page.getByText(text, { exact: true }) })

/** Waits until a toast with this text, and this explanation, is shown. */
export async function seeToast(page: Page, text: string, description?: string): Promise<void> {
  await toast(page, text).first().waitFor()
  if (description !== undefined)
    await toast(page, text).getByText(description, { exact: true }).first().waitFor()
}

const devtools = new WeakMap<Page, CDPSession>()

/**
 * Makes the network of a page slow or takes it away.
 * @param latency milliseconds that every request takes longer
 */
export async function network(
  page: Page,
  { latency = 0, offline = false }: { latency?: number; offline?: boolean } = {},
): Promise<void> {
  const session = devtools.get(page) ?? (await page.context().newCDPSession(page))
  devtools.set(page, session)
  await session.send('Network.enable')
  const throughput = { downloadThroughput: -1, uploadThroughput: -1 }
  await session.send('Network.emulateNetworkConditions', { offline, latency, ...throughput })
}

/** How many columns a grid has. */
export const columnsOf = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((grid) => getComputedStyle(grid).gridTemplateColumns.split(' ').length)

/** Records what the pages opened from now on ask their timers for: waits are read from it, never measured. */
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
  await page.addInitScript(
    (wanted) => {
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
    },
    { waitMs, heading },
  )
}

/** How much is kept in the page at the moment. */
export const keptTimers = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { kept: Map<number, unknown> }).kept.size)

/** Has the page do what was kept. */
export const runKeptTimers = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as { runKept: () => void }).runKept())
