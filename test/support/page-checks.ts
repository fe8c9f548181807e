/** What tests hold a page against: accessibility, layout, motion, sizes of targets, announcements. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { sized } from './tier.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** What can differ between the colour schemes. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Half a megabyte: the browser's own call compiles it in two thirds of the time that `page.evaluate` takes. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: `${AXE};0` })
  await session.detach()
  if (exceptionDetails) throw new Error(exceptionDetails.text)
}

/** What axe finds wrong on the page, one line each. */
export async function violations(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await loadAxe(page)
  const found = await page.evaluate(
    async (run) => (await (window as unknown as { axe: typeof axe }).axe.run(run)).violations,
    { runOnly: RULES, resultTypes: ['violations'], ...options } satisfies axe.RunOptions,
  )
  return found.flatMap((one) =>
    one.nodes.map((node) => `${one.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
}

/** What moves on the page, or would: animations, transitions, smooth scrolling. */
export const motion = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const nameOf = (one: Animation): string =>
      (one.effect as KeyframeEffect | null)?.target?.outerHTML.slice(0, 80) ?? ''
    const found = document.getAnimations().map((one) => `an animation of ${nameOf(one)}`)
    for (const element of document.querySelectorAll('*')) {
      const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element)
      const lasts = transitionDuration.split(',').some((one) => Number.parseFloat(one) > 0)
      if (animationName !== 'none' || lasts || scrollBehavior === 'smooth')
        found.push(`${element.tagName} ${element.className}: ${animationName} ${transitionDuration}`)
    }
    return found
  })

/** What can be pressed and is too small: buttons and fields have 44 pixels each way, other targets 24. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const targets = document.querySelectorAll(
      'a[href], button, select, summary, input:not([type=hidden]), [role=tab]',
    )
    return [...targets].flatMap((element) => {
      const isMark = element.matches('input:is([type=radio], [type=checkbox])')
      const target = (isMark && element.closest('label')) || element
      if (!target?.checkVisibility() || target.closest('.sr-only, [inert]')) return []
      const { width: across, height } = target.getBoundingClientRect()
      // A link within a line of text cannot be larger than the line (WCAG 2.5.8, "Inline").
      if (target.matches('a') && getComputedStyle(target).display === 'inline') return []
      const least = target.matches('a') ? 24 : 44
      const name = target.getAttribute('aria-label') ?? target.textContent
      if (across >= least && height >= least) return []
      return [`${target.tagName} "${name?.trim().slice(0, 30)}": ${across.toFixed(1)} x ${height.toFixed(1)}`]
    })
  })

/** Resolves when nothing fades or slides in any more: half faded words have another contrast. */
export const still = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    const passing = document
      .getAnimations()
      .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
    return Promise.allSettled(passing.map((one) => one.finished))
  })

/** The schemes in which a state is looked at: the short form of the tests looks at whole screens in both. */
const SCHEMES = sized({ short: ['light'], extended: ['dark', 'light'] } as const)

/**
 * Expects that axe finds nothing on the page as it is now, nor what depends on colours in dark.
 * @param schemes of a whole screen: both
 */
export async function seeAccessible(
  page: Page,
  options: axe.RunOptions = {},
  schemes: readonly ('dark' | 'light')[] = SCHEMES,
): Promise<void> {
  for (const colorScheme of schemes) {
    const runOnly = colorScheme === 'dark' ? COLOUR_RULES : RULES
    await page.emulateMedia({ colorScheme })
    const look = async () => {
      await still(page)
      return violations(page, { ...options, runOnly })
    }
    const first = await look()
    // A toast may have begun to fade while axe looked; what is wrong is wrong at the second look, too.
    const again = first.length > 0 ? await look() : []
    const lines = first.filter((line) => again.includes(line))
    expect(lines, `${page.url()}, ${colorScheme}`).toEqual([])
  }
}

/** One broken column breaks every line in it: this many are enough. */
const MOST = 5

/**
 * What is cut off or outside of the window, one line each. What scrolls by itself (a row of thumbnails) and what
 * only screen readers have is left out.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  const width = page.viewportSize()?.width ?? 0
  return page.evaluate(
    ([most, width]) => {
      const faults: string[] = []
      const nameOf = (element: Element): string =>
        `${element.tagName.toLowerCase()} "${(element.textContent ?? '').trim().slice(0, 40)}"`
      // A phone's browser zooms out of a page that is too wide, and then calls its window wider.
      const sideways = document.documentElement.scrollWidth - width
      if (sideways > 0) faults.push(`the page scrolls sideways by ${sideways}`)

      /** As the labels of the sidebar's icons are. */
      const isClipped = (element: Element | null): boolean =>
        element !== null &&
        (getComputedStyle(element).clipPath === 'inset(50%)' || isClipped(element.parentElement))
      const isHidden = (element: Element): boolean =>
        !element.checkVisibility({ opacityProperty: false, visibilityProperty: true }) ||
        element.closest('[aria-hidden="true"], [inert]') !== null ||
        isClipped(element)
      /** Whether a user can scroll hidden content into view. */
      const scrolls = (element: Element | null): boolean => {
        for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
          const { overflowX } = getComputedStyle(at)
          if ((overflowX === 'auto' || overflowX === 'scroll') && at.clientWidth > 0) return true
        }
        return false
      }

      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement
        if (!element || (node.textContent ?? '').trim() === '') continue
        if (/^(SCRIPT|STYLE|NOSCRIPT|OPTION|TEMPLATE)$/.test(element.tagName) || isHidden(element)) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const box = range.getBoundingClientRect()
        if (box.width === 0 || scrolls(element)) continue
        const abridged = element.closest('.truncate')
        if (abridged) {
          // In the bar at the top only: the page's heading and "my data" say the same in full.
          const isCut = abridged.scrollWidth > abridged.clientWidth + 1
          if (isCut && !abridged.closest('header')) faults.push(`${nameOf(element)} is abridged`)
          continue
        }
        if (box.right > width + 1 || box.left < -1) {
          faults.push(`${nameOf(element)} reaches from ${Math.round(box.left)} to ${Math.round(box.right)}`)
          continue
        }
        for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
          const style = getComputedStyle(at)
          const clips = style.overflowX !== 'visible' || style.overflowY !== 'visible'
          if (!clips) continue
          const frame = at.getBoundingClientRect()
          const scrollsDown = style.overflowY === 'auto' || style.overflowY === 'scroll'
          const cut =
            box.right > frame.right + 1 ||
            box.left < frame.left - 1 ||
            (!scrollsDown && (box.bottom > frame.bottom + 2 || box.top < frame.top - 2))
          if (cut) faults.push(`${nameOf(element)} is cut off by ${at.tagName.toLowerCase()}.${at.className}`)
          break
        }
      }
      return [...new Set(faults)].slice(0, most)
    },
    [MOST, width] as const,
  )
}

const ANNOUNCED = 'volantAnnounced'

/**
 * Records what a screen reader would announce on every page from now on: words that appear in a live region. A region
 * that is added to the page together with its words is often not announced, so such words do not count, except those of
 * an alert.
 */
export async function listen(context: BrowserContext): Promise<void> {
  await context.addInitScript((name) => {
    const announced: string[] = []
    Object.defineProperty(window, name, { value: announced })
    const LIVE = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"]'
    const seen = new WeakSet<Element>()
    const register = (node: Node): void => {
      if (!(node instanceof Element)) return
      for (const region of [node, ...node.querySelectorAll(LIVE)]) {
        if (!region.matches(LIVE) || seen.has(region)) continue
        seen.add(region)
        if (region.matches('[role="alert"]') && region.textContent) announced.push(region.textContent)
      }
    }
    const observer = new MutationObserver((records) => {
      const changed = new Set<Element>()
      for (const { target } of records) {
        const at = target instanceof Element ? target : target.parentElement
        const region = at?.closest(LIVE)
        if (region && seen.has(region) && getComputedStyle(region).display !== 'none') changed.add(region)
      }
      for (const region of changed) if (region.textContent) announced.push(region.textContent)
      for (const { addedNodes } of records) addedNodes.forEach(register)
    })
    observer.observe(document, { subtree: true, childList: true, characterData: true })
  }, ANNOUNCED)
}

/** What was announced since the document was loaded, in its order. */
export const announcements = (page: Page): Promise<string[]> =>
  page.evaluate((name) => (window as unknown as Record<string, string[]>)[name] ?? [], ANNOUNCED)
