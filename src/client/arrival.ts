/** Whether a page has come on which nobody has done anything yet. */
export const arrival = { isNew: false }

/** Focuses an element, also one that has no place in the order of the controls. */
export function take(element: HTMLElement): void {
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

export function goToHeading(): void {
  const main = document.querySelector<HTMLElement>('main')
  const target = main?.querySelector<HTMLElement>('h1') ?? main
  if (target && target !== document.activeElement) take(target)
}

/**
 * Another page is there: its heading takes the focus, as soon as there is one, until somebody does something. A page in a
 * frame, such as the preview of the console, leaves the focus to the page around it.
 */
export function arrive(): void {
  if (window.parent !== window) return
  arrival.isNew = true
  goToHeading()
}

/** Whether this document was reached from another one of the shop. */
export const cameFromHere = (): boolean =>
  document.referrer.startsWith(`${location.origin}/`) &&
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type ===
    'navigate'
