import type { Page } from 'playwright-core'

/** One broken column breaks every line in it: these many tell enough. */
const MOST = 5

/**
 * What is cut off, or stands outside of the window: one line each. What scrolls by itself (a row of thumbnails) and what
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

      const isHidden = (element: Element): boolean =>
        !element.checkVisibility({ opacityProperty: false, visibilityProperty: true }) ||
        element.closest('.sr-only, [aria-hidden="true"], [inert]') !== null
      /** Whether somebody can bring what is out of sight into viewport. */
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
