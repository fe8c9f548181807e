import type { BrowserContext, Page } from 'playwright-core'

const HEARD = 'volantHeard'

/**
 * Writes down what a screen reader would announce on every page from now on: words that appear in a live region. A region
 * that comes into the page together with its words is often not announced, so such words do not count, except those of
 * an alert.
 */
export async function listen(context: BrowserContext): Promise<void> {
  await context.addInitScript((name) => {
    const heard: string[] = []
    Object.defineProperty(window, name, { value: heard })
    const LIVE = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"]'
    const known = new WeakSet<Element>()
    const learn = (node: Node): void => {
      if (!(node instanceof Element)) return
      for (const region of [node, ...node.querySelectorAll(LIVE)]) {
        if (!region.matches(LIVE) || known.has(region)) continue
        known.add(region)
        if (region.matches('[role="alert"]') && region.textContent) heard.push(region.textContent)
      }
    }
    const observer = new MutationObserver((records) => {
      const spoken = new Set<Element>()
      for (const { target } of records) {
        const at = target instanceof Element ? target : target.parentElement
        const region = at?.closest(LIVE)
        if (region && known.has(region) && getComputedStyle(region).display !== 'none') spoken.add(region)
      }
      for (const region of spoken) if (region.textContent) heard.push(region.textContent)
      for (const { addedNodes } of records) addedNodes.forEach(learn)
    })
    observer.observe(document, { subtree: true, childList: true, characterData: true })
  }, HEARD)
}

/** What was announced since the document was loaded, in its order. */
export const announcements = (page: Page): Promise<string[]> =>
  page.evaluate((name) => (window as unknown as Record<string, string[]>)[name] ?? [], HEARD)
