import type { Locator, Page } from 'playwright-core'
import type { Language } from '#shared/languages.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { expect } from 'vitest'
import type { Visitor } from './browser.ts'
import { hasFocus } from './page-control.ts'
import type { Staff } from './shop.ts'
import type { Stage } from './stage.ts'
import type { Words } from './words.ts'

/** No screen has more controls before the one that is meant. */
const MOST_STEPS = 120

interface Seen extends Visitor {
  staff: Staff
}

interface SeenBy {
  role?: StaffRole
  width?: number
  language?: Language
}

/** Opens a screen of the console for somebody new of staff who is signed in. The stage's host is `localhost`. */
export const consoleOf =
  ({ shop, visit }: Pick<Stage, 'shop' | 'visit'>) =>
  async (path: string, { role = 'owner', ...options }: SeenBy = {}): Promise<Seen> => {
    const staff = await shop.newStaff(role)
    const visitor = await visit(undefined, options)
    const [name = '', value = ''] = staff.cookie.split('=')
    await visitor.context.addCookies([
      { name, value, domain: 'localhost', path: '/api/staff/', httpOnly: true, sameSite: 'Strict' },
    ])
    await visitor.page.goto(`/admin${path}`)
    await seeScreen(visitor.page)
    return { ...visitor, staff }
  }

/** Resolves when a screen has its heading. */
export const seeScreen = (page: Page): Promise<void> => page.locator('main h1').first().waitFor()

/** Lets an open screen ask again, as when somebody comes back to its tab. */
export const lookAgain = (page: Page): Promise<void> =>
  page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))

/** Opens the command palette and types into it. */
export async function typeIntoPalette(page: Page, t: Words, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox', { name: t('console.frame.palette') })
  await expect.poll(() => hasFocus(input)).toBe(true)
  await page.keyboard.type(text)
}

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${String(target)}`)
}
