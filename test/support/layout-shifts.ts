import type { Page } from 'playwright-core'

/** What moved on a page by itself: how far all of it did, by the browser's own score, and in words which elements. */
export interface LayoutShifts {
  score: number
  moved: string[]
}

/** The shifts of the page since it came, without those that follow a press. Names what moved, from where to where. */
export const layoutShifts = (page: Page): Promise<LayoutShifts> =>
  page.evaluate(
    () =>
      new Promise<LayoutShifts>((resolve) => {
        const found: LayoutShifts = { score: 0, moved: [] }
        const at = ({ x, y, width, height }: DOMRectReadOnly): string => `${x},${y} ${width}×${height}`
        const nameOf = (node: Node | null | undefined): string => {
          if (!node) return 'an element that is gone'
          const element = node instanceof Element ? node : node.parentElement
          return `<${element?.tagName.toLowerCase()} class="${element?.className}"> “${node.textContent?.slice(0, 60)}”`
        }
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const shift = entry as PerformanceEntry & {
              value: number
              hadRecentInput: boolean
              sources: { node?: Node; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
            }
            if (shift.hadRecentInput) continue
            found.score += shift.value
            for (const { node, previousRect, currentRect } of shift.sources)
              found.moved.push(
                `${Math.round(shift.startTime)} ms: ${nameOf(node)} ${at(previousRect)} → ${at(currentRect)}`,
              )
          }
        }).observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(found)))
      }),
  )
