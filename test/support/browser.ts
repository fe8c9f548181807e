import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContext, type Page, type Request, chromium } from 'playwright-core'
import { languageCookie, type Language } from '#shared/languages.ts'
import { CHROMIUM_FLAGS, findShell } from '../../tools/chromium.ts'
import { type ExtensionScripts, writeExtension } from './extension.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { sized } from './tier.ts'

let shared: Promise<Browser> | undefined

const chromePath = (): string => process.env['CHROME_PATH'] ?? '/usr/bin/chromium'

/** The browser of this worker, which all its files use and which ends with it: the headless shell, if installed. */
export const sharedBrowser = (): Promise<Browser> =>
  (shared ??= chromium.launch({
    executablePath: findShell(process.env['PATH']) ?? chromePath(),
    args: CHROMIUM_FLAGS,
  }))

/**
 * Starts a whole Chromium of the caller's own: the one that CHROME_PATH names (`npm test` finds or installs one).
 * @param without flags of the test driver that are left out
 */
export const startBrowser = (without: string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: chromePath(), args: CHROMIUM_FLAGS, ignoreDefaultArgs: without })

/** One visitor: a window of its own, and everything that went wrong in it. */
export interface Visitor {
  context: BrowserContext
  page: Page
  /** Console errors and warnings, uncaught errors, breaches of the security policy and failed requests of our own. */
  faults: string[]
  close: () => Promise<void>
}

export interface VisitorOptions {
  baseUrl: string
  width: number
  language: Language
  /** Whether the window belongs to a phone with a touch screen; by default narrow ones do. */
  touch?: boolean
  reducedMotion?: 'reduce' | 'no-preference'
  javaScriptEnabled?: boolean
  /** Of the device; in that of the others nothing tells a country. */
  timeZone?: string
  /** Whether the worker that responds offline is registered. */
  offlineWorker?: boolean
  /** For a proxy with a certificate of its own. */
  ignoreHTTPSErrors?: boolean
}

/** What moves is waited for in the long form of the tests only; in the short one most visitors ask for less motion. */
const MOTION = sized({ short: 'reduce', extended: 'no-preference' } as const)

/** Opens a window for a new visitor whose language is chosen already. */
export async function newVisitor(browser: Browser, options: VisitorOptions): Promise<Visitor> {
  const { baseUrl, width, language, touch = width < 768 } = options
  const { reducedMotion = MOTION, javaScriptEnabled = true, ignoreHTTPSErrors = false } = options
  const { timeZone: timezoneId = 'UTC' } = options
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width, height: width < 768 ? 780 : 900 },
    isMobile: touch,
    hasTouch: touch,
    reducedMotion,
    javaScriptEnabled,
    ignoreHTTPSErrors,
    timezoneId,
  })
  await context.addCookies([{ name: languageCookie(baseUrl), value: language, url: baseUrl }])
  const faults = await watch(context)
  // A worker would respond for pages whose requests a test replaces or cuts.
  if (!options.offlineWorker)
    await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'))
  const page = await context.newPage()
  return { context, page, faults, close: () => context.close() }
}

/**
 * Starts a whole Chromium of the caller's own with an extension, which works in its first context only.
 * @param scripts of the extension, for every page
 */
export async function startExtended(
  { baseUrl, language }: Pick<VisitorOptions, 'baseUrl' | 'language'>,
  scripts: ExtensionScripts,
): Promise<Visitor> {
  const folder = temporaryFolder('volant-extension-', 'file')
  writeExtension(folder, scripts)
  const context = await chromium.launchPersistentContext('', {
    executablePath: chromePath(),
    args: [...CHROMIUM_FLAGS, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    ignoreDefaultArgs: ['--disable-extensions'],
    baseURL: baseUrl,
    viewport: { width: 1440, height: 900 },
    reducedMotion: MOTION,
  })
  await context.addCookies([{ name: languageCookie(baseUrl), value: language, url: baseUrl }])
  const faults = await watch(context)
  return { context, page: await context.newPage(), faults, close: () => context.close() }
}

/** Notes everything that goes wrong in the context's pages from now on. */
async function watch(context: BrowserContext): Promise<string[]> {
  const faults: string[] = []
  await context.exposeFunction('reportBreach', (text: string) => faults.push(`security policy: ${text}`))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = (window as unknown as { reportBreach: (text: string) => void }).reportBreach
      report(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`)
    })
  })
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    const { url } = message.location()
    faults.push(`console: ${message.text()}${URL.canParse(url) ? `, ${new URL(url).pathname}` : ''}`)
  })
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error().message}`))
  context.on('page', trackRequests)
  return faults
}

/** How far the page reaches beyond its window to the side, in pixels; 0 when it does not. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  // A phone's browser zooms out of a page that is too wide and calls its window wider: measured is the one opened.
  page.evaluate(
    (width) => Math.max(0, document.documentElement.scrollWidth - width),
    page.viewportSize()?.width ?? 0,
  )

/** Resolves once the page responds to clicks: React has hydrated it. */
export async function awake(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const root = document.querySelector('main')
    return root !== null && Object.keys(root).some((name) => name.startsWith('__reactFiber'))
  })
}

const pending = new WeakMap<Page, Set<Request>>()
const responded = new WeakMap<Page, string[]>()

function trackRequests(page: Page): void {
  const requests = new Set<Request>()
  pending.set(page, requests)
  const responses: string[] = []
  responded.set(page, responses)
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/api/'))
      responses.push(`${response.request().method()} ${pathname} ${response.status()}`)
  })
  // A stream of events stays open, and is nothing that a page waits for.
  page.on('request', (request) => request.resourceType() === 'eventsource' || requests.add(request))
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
}

/** Resolves once the page has its heading, responds to clicks, and has nothing left to load or to paint. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await awake(page)
  for (let quiet = 0; quiet < 2;) {
    await page.evaluate(
      () =>
        new Promise((resolve) =>
          requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), {
            timeout: 1_000,
          }),
        ),
    )
    quiet = pending.get(page)?.size === 0 ? quiet + 1 : 0
  }
}

const MOST_TEXT = 3_000
/** A page that is busy or whose next document is held does not respond at all. */
const MOST_WAIT = 10_000
const MOST_RESPONSES = 15

/** Prints what a page shows and what it has asked for, so that a test that fails rarely can be understood. */
export async function printPage({ page, faults }: Visitor): Promise<void> {
  const found = page.evaluate((most) => {
    const part =
      document.querySelector<HTMLElement>('dialog[open]') ?? document.querySelector('main') ?? document.body
    return `Focus: ${document.activeElement?.outerHTML.slice(0, 300)}\nText: ${part.innerText.slice(0, most)}`
  }, MOST_TEXT)
  const waiting = [...(pending.get(page) ?? [])].map((request) => `${request.method()} ${request.url()}`)
  console.error(
    [
      `Page: ${page.url()}`,
      `Faults: ${faults.join('; ')}`,
      `Answers: ${(responded.get(page) ?? []).slice(-MOST_RESPONSES).join('; ')}`,
      `Not answered: ${waiting.join('; ')}`,
      await Promise.race([found.catch(String), sleep(MOST_WAIT, 'The page does not respond.')]),
    ].join('\n'),
  )
}
