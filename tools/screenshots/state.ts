import type { Page, Route } from 'playwright-core'
import type { MessageKey } from '#i18n/keys.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import type { Width } from './options.ts'
import type { Contests, Person, ScreenshotShop } from './shop.ts'

/** One look of the shop: what is done before the pictures are taken. */
export interface State {
  /** "cart/filled": the page, then what is special. */
  name: string
  /** Who looks; a visitor when left out. */
  who?: Person
  /** Widths at which there is something to see; all when left out. */
  widths?: readonly Width[]
  /** Takes what the window shows, not the whole page: what is fixed to the window, and the first screen. */
  window?: true
  /** The pointer stays where it is; elsewhere it leaves the page before the picture. */
  hover?: true
  /** Passes by itself: it is made anew for each picture. */
  fleeting?: true
  /** Without scripts, as crawlers and some visitors see it. */
  withoutScripts?: true
  open: (stage: Stage) => Promise<void>
}

/** What a state is made with. */
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

/** Opens a page and waits until it answers to clicks. */
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

/** The page as it comes out of a printer. */
export const printed = (page: Page): Promise<void> => page.emulateMedia({ media: 'print' })

/** Waits for a text that can be seen. */
export const see = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor()

/** The call never comes back. */
export const hang = (page: Page, url: string | RegExp): Promise<unknown> => page.route(url, () => undefined)

/** The call finds no server. */
export const cut = (page: Page, url: string | RegExp): Promise<unknown> =>
  page.route(url, (route) => route.abort())

/** The call is answered with this. */
export const answer = (page: Page, url: string | RegExp, status: number, json: unknown): Promise<unknown> =>
  page.route(url, (route: Route) => route.fulfill({ status, json }))
