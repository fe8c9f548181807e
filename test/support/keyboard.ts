import type { Locator, Page } from 'playwright-core'

/** What a keyboard user sees of the element that has the focus. */
interface Stop {
  /** For reading a failure: role or tag, and name. */
  name: string
  /** What is wrong with it, in words. */
  faults: string[]
}

/** Where a walk gives up: no page of the shop has more stops than this. */
const LONGEST_WALK = 160

/**
 * Uses a page with nothing but keys. Each stop of the focus is looked at: it must be inside the window, not covered by
 * something else (WCAG 2.4.11), and marked by an outline (2.4.7).
 */
export class Keyboard {
  /** Everything found at any stop, one line each. */
  readonly faults: string[] = []

  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Presses a key and looks at what has the focus then. */
  async press(key: string): Promise<Stop> {
    await this.page.keyboard.press(key)
    return this.look(key)
  }

  /** Presses Tab (or another key) until the element has the focus. */
  async to(target: Locator, { key = 'Tab' }: { key?: string } = {}): Promise<void> {
    await target.first().waitFor({ state: 'attached' })
    const passed: string[] = []
    for (let step = 0; step < LONGEST_WALK; step += 1) {
      const stop = await this.press(key)
      if (await hasFocus(target)) return
      passed.push(stop.name)
    }
    throw new Error(`${key} never reaches ${String(target)}; it passes: ${[...new Set(passed)].join(' | ')}`)
  }

  /** Reaches the element and presses Enter on it. */
  async enter(target: Locator, options?: { key?: string }): Promise<void> {
    await this.to(target, options)
    await this.page.keyboard.press('Enter')
  }

  /** Reaches a text field, replaces its text. */
  async type(target: Locator, text: string): Promise<void> {
    await this.to(target)
    await this.page.keyboard.type(text)
  }

  /** Reaches a select and moves through its choices until the wanted one is chosen. */
  async choose(target: Locator, value: string, options?: { key?: string }): Promise<void> {
    await this.to(target, options)
    for (let step = 0; step < LONGEST_WALK; step += 1) {
      if ((await target.inputValue()) === value) return
      await this.page.keyboard.press('ArrowDown')
    }
    throw new Error(`no choice of ${String(target)} has the value ${value}`)
  }

  private async look(key: string): Promise<Stop> {
    await settled(this.page)
    const stop = await this.page.evaluate(stopOf)
    for (const fault of stop.faults) {
      const line = `${new URL(this.page.url()).pathname} after ${key}: ${stop.name}: ${fault}`
      if (!this.faults.includes(line)) this.faults.push(line)
    }
    return stop
  }
}

/** Whether the focus is on the element, or on one of them. */
export const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluateAll((elements) => elements.includes(document.activeElement as HTMLElement))

/** Resolves when the page has stopped moving: focus scrolls to its element, toasts slide in. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
    await Promise.allSettled(passing.map((one) => one.finished))
  })
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let last = Number.NaN
        const look = (): void => {
          const box = document.activeElement?.getBoundingClientRect()
          const now = (box?.top ?? 0) * 10_000 + (box?.left ?? 0)
          if (now === last) return resolve()
          last = now
          requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
  )
}

/** Runs in the page. */
function stopOf(): { name: string; faults: string[] } {
  const focused = document.activeElement as HTMLElement | null
  if (!focused || focused === document.body) return { name: '(page)', faults: [] }
  // A radio button that is drawn by its label is looked at as that label.
  const label = focused.matches('input[type=radio]') ? focused.closest('label') : null
  const shown = label ?? focused
  // A link that runs over two lines is looked at in the first: the box around both holds its neighbours, too.
  const box = shown.getClientRects()[0] ?? shown.getBoundingClientRect()
  const words = focused.getAttribute('aria-label') ?? focused.textContent ?? ''
  const name = `${focused.getAttribute('role') ?? focused.tagName.toLowerCase()} "${words.trim().slice(0, 40)}"`
  const faults: string[] = []

  const style = getComputedStyle(shown)
  // Headings and the page's main part take the focus from scripts; only what can be used must be marked.
  const usable = focused.tabIndex >= 0
  if (usable && (style.outlineStyle === 'none' || Number.parseFloat(style.outlineWidth) < 2)) {
    faults.push('no visible outline')
  }
  const [width, height] = [document.documentElement.clientWidth, window.innerHeight]
  const left = Math.max(0, box.left)
  const right = Math.min(width, box.right)
  const top = Math.max(0, box.top)
  const bottom = Math.min(height, box.bottom)
  if (right - left < 1 || bottom - top < 1) return { name, faults: [...faults, 'outside of the window'] }
  if (usable) {
    const points = [
      [(left + right) / 2, (top + bottom) / 2],
      [left + 3, (top + bottom) / 2],
      [(left + right) / 2, top + 3],
      [(left + right) / 2, bottom - 3],
    ] as const
    for (const [x, y] of points) {
      const there = document.elementFromPoint(x, y)
      if (!there || shown.contains(there) || there.contains(shown)) continue
      faults.push(
        `covered by ${there.tagName.toLowerCase()} "${(there.textContent ?? '').trim().slice(0, 30)}"`,
      )
      break
    }
  }
  return { name, faults }
}
