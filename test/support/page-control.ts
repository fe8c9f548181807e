/** What tests do to a page: press, fill in, change the network and the clock, respond in the server's place. */
import type { BrowserContext, Locator, Page, Route } from 'playwright-core'
import type { Words } from './words.ts'

/** Presses the visible button of exactly this name. */
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true }).first().click()

/** The field of exactly this label. */
export const field = (page: Page, label: string): Locator => page.getByLabel(label, { exact: true })

/** Fills fields by their labels. */
export async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value)
}

/** Fills in the login and sends it. */
export async function logIn(page: Page, t: Words, user: { email: string; password: string }): Promise<void> {
  await fill(page, { [t('accounts.email')]: user.email, [t('accounts.password')]: user.password })
  await press(page, t('accounts.login.submit'))
}

interface Registration {
  username: string
  email: string
  password: string
  phone?: string
}

/** Fills in the registration and sends it. */
export async function register(page: Page, t: Words, account: Registration): Promise<void> {
  const { username, email, password, phone = '612345678' } = account
  await fill(page, { [t('accounts.username')]: username, [t('accounts.email')]: email })
  await fill(page, { [t('accounts.phone')]: phone, [t('accounts.password')]: password })
  await fill(page, { [t('accounts.confirm')]: password })
  await press(page, t('accounts.register.submit'))
}

/** The button that adds tickets to the cart. */
export const addButton = (page: Page, t: Words): Locator =>
  page.getByRole('button', { name: t('offers.buy.add') }).filter({ visible: true })

/** Waits until the page has this title. */
export const seeTitle = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** Whether the focus is on the element, or on one of them. */
export const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluateAll((elements) => elements.includes(document.activeElement as HTMLElement))

/**
 * Opens a contest as a member, and waits until all that the page asks for by itself has come: a later call would renew the
 * tokens that a test takes away.
 */
export async function openContest(page: Page, path: string): Promise<void> {
  const last = page.waitForResponse('**/api/favourites')
  await page.goto(path)
  await last
  await page.waitForLoadState('networkidle')
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
 * Puts a response that our own server would not give in the place of its own.
 * @param path of the call; `*` stands for one part
 * @param response its status and body: an object is sent as JSON, a text as it is; `cut` breaks the connection
 * @param times so many responses, then the server's own again; without it, all
 */
export async function respondWith(
  page: Page,
  path: string,
  response: { status: number; body?: object | string } | 'cut',
  times?: number,
): Promise<void> {
  await page.route(
    matching(path),
    async (route) => {
      if (response === 'cut') return route.abort('connectionrefused')
      const { status, body = '' } = response
      return typeof body === 'string'
        ? route.fulfill({ status, body, contentType: 'text/plain' })
        : route.fulfill({ status, json: body })
    },
    times === undefined ? {} : { times },
  )
}

/**
 * Holds calls back until they are released: what the page shows meanwhile can be looked at for as long as that takes.
 * @param path of the calls, not of a document; `*` stands for one part
 * @returns what releases them, and those after them
 */
export const holdBack = (page: Page, path: string): Promise<() => void> =>
  hold(page, path, (route) => {
    if (route.request().isNavigationRequest())
      throw new Error(`The document ${path} is held: every question to the page would wait for it.`)
  })

/**
 * Holds the document of a path back until it is released. Meanwhile the browser's driver answers no question about the
 * page, not even a count: only what the page itself reports through an exposed function can be looked at.
 */
export const holdDocument = (page: Page, path: string): Promise<() => void> =>
  hold(page, path, () => undefined)

async function hold(page: Page, path: string, check: (route: Route) => void): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(matching(path), async (route) => {
    check(route)
    await released
    await route.fallback()
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

interface RecordedTimers {
  asked: number[]
  runHeld: () => void
}

/**
 * Records what the pages opened from now on ask their timers for: waits are read from it, never measured.
 * @param held a wait in milliseconds that ends with `runHeldTimers` only
 */
export async function recordTimers(page: Page, held?: number): Promise<void> {
  await page.addInitScript((heldWait) => {
    const LONGEST = 2 ** 31 - 1
    const asked: number[] = []
    const waiting = new Map<number, () => void>()
    const start = window.setTimeout.bind(window)
    const stop = window.clearTimeout.bind(window)
    const recorded = {
      asked,
      setTimeout: (work: (...values: unknown[]) => void, delay = 0, ...values: unknown[]): number => {
        asked.push(delay)
        if (delay !== heldWait) return start(work, delay, ...values)
        const id = start(() => undefined, LONGEST)
        waiting.set(id, () => work(...values))
        return id
      },
      clearTimeout: (id: number): void => {
        waiting.delete(id)
        stop(id)
      },
      runHeld: (): void => {
        for (const run of waiting.values()) run()
        waiting.clear()
      },
    }
    Object.assign(window, recorded)
  }, held)
}

/** The waits in milliseconds asked for since the last look. */
export const askedWaits = (page: Page): Promise<number[]> =>
  page.evaluate(() => (window as unknown as RecordedTimers).asked.splice(0))

/** Ends the waits that `recordTimers` holds. */
export const runHeldTimers = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as RecordedTimers).runHeld())
