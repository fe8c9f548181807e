import type { Locator, Page, Route } from 'playwright-core'
import type { MessageKey } from '#i18n/keys.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import type { Width } from './options.ts'
import type { Contests, Person, ScreenshotShop } from './shop.ts'

/** One look of the shop: what is done before the pictures are taken. */
export interface State {
  /** "cart/filled": the page, then what is special. */
  name: string
  /** Who looks; a visitor when left out. The operator is signed in to the console. */
  who?: Person | 'operator' | 'visitor'
  /** Widths at which there is something to see; all when left out. */
  widths?: readonly Width[]
  /** Takes the window, not the whole page. */
  window?: true
  /** The pointer stays where it is; elsewhere it leaves the page before the picture. */
  hover?: true
  /** Passes by itself: it is made anew for each picture. */
  fleeting?: true
  /** Without scripts, as crawlers and some visitors see it. */
  withoutScripts?: true
  open: (stage: Stage) => Promise<void>
}

type Open = State['open']

export const state = (name: string, open: Open, more: Partial<State> = {}): State => ({ name, open, ...more })

export interface Stage {
  page: Page
  shop: ScreenshotShop
  contests: Contests
  language: Language
  /** A text of the interface in the language of the pictures. */
  t: (key: MessageKey, values?: Record<string, string | number>) => string
}

export const words =
  (language: Language): Stage['t'] =>
  (key, values) =>
    translate(language, key, values)

/** The device is in another time zone, from which the shop guesses the country of the prices. */
export async function inZone({ page }: Pick<Stage, 'page'>, timezoneId: string): Promise<void> {
  await page.addInitScript((timeZone) => {
    class InZone extends Intl.DateTimeFormat {
      override resolvedOptions = () => ({ ...super.resolvedOptions(), timeZone })
    }
    Object.assign(Intl, { DateTimeFormat: InZone })
  }, timezoneId)
}

/** Opens a page and waits until it responds to clicks. */
export async function go({ page }: Pick<Stage, 'page'>, path: string): Promise<void> {
  await page.goto(path)
  await awake(page)
}

export async function awake(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const root = document.querySelector('main')
    return root !== null && Object.keys(root).some((name) => name.startsWith('__reactFiber'))
  })
}

/** Presses the first button of that name that can be seen. @param exact false where the name goes on */
export const press = (page: Page, name: string, exact = true): Promise<void> =>
  page.getByRole('button', { name, exact }).filter({ visible: true }).first().click()

export const printed = (page: Page): Promise<void> => page.emulateMedia({ media: 'print' })

export const see = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor()

/** Does something, then waits for a text of the interface. */
export const seen =
  (act: Open, key: MessageKey): Open =>
  async (stage) => {
    await act(stage)
    await see(stage.page, stage.t(key))
  }

type Prepare = (page: Page) => Promise<unknown>
/** Prepares what the server responds with, then does something. */
export const after =
  (prepare: Prepare, act: Open): Open =>
  async (stage) => {
    await prepare(stage.page)
    await act(stage)
  }
export const hanging = (url: string | RegExp, act: Open): Open => after((page) => hang(page, url), act)
export const cutting = (url: string | RegExp, act: Open): Open => after((page) => cut(page, url), act)
export const responding = (url: string | RegExp, status: number, json: unknown, act: Open): Open =>
  after((page) => respond(page, url, status, json), act)

/** Opens a page without waiting for its scripts, and waits for something in it. */
export const arriving =
  (path: string | ((stage: Stage) => string), what: (stage: Stage) => Locator): Open =>
  async (stage) => {
    await stage.page.goto(typeof path === 'string' ? path : path(stage))
    await what(stage).first().waitFor({ state: 'attached' })
  }

export const hang = (page: Page, url: string | RegExp): Promise<unknown> => page.route(url, () => undefined)

export const cut = (page: Page, url: string | RegExp): Promise<unknown> =>
  page.route(url, (route) => route.abort())

export const respond = (page: Page, url: string | RegExp, status: number, json: unknown): Promise<unknown> =>
  page.route(url, (route: Route) => route.fulfill({ status, json }))
