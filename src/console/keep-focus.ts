import { useEffect } from 'react'

/** Elements that had the focus, the last at the end, each with its ancestors as they were then. */
type Trail = { element: HTMLElement; ancestors: HTMLElement[] }[]

const LONGEST = 12

const ancestorsOf = (element: HTMLElement): HTMLElement[] => {
  const found: HTMLElement[] = []
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) found.push(at)
  return found
}

const isThere = (element: HTMLElement): boolean => element.isConnected && element.checkVisibility()
const isDisabled = (element: HTMLElement): boolean => element.matches(':disabled')
/** A field opens the keyboard of a phone. */
const isField = (element: HTMLElement): boolean => element.matches('input, textarea, select')

const CONTROLS = 'a, button, input, label, select, summary, textarea, [tabindex]'
/** A part of the screen, where the focus goes when nothing better is left. */
const PARTS = 'dialog, form, section, main'

/** What takes the focus after the last of the trail lost it; undefined while that may still take it back. */
function nextOf(trail: Trail): HTMLElement | undefined {
  const last = trail.at(-1)
  if (!last) return undefined
  const { element, ancestors } = last
  const modal = document.querySelector<HTMLElement>('dialog:modal')
  const isReachable = (one: HTMLElement): boolean => isThere(one) && (!modal || modal.contains(one))
  if (isReachable(element)) {
    if (!isDisabled(element)) return element
    // It works: it will be enabled again.
    if (element.getAttribute('aria-busy') === 'true') return undefined
    return ancestors.find((one) => one.matches(PARTS)) ?? undefined
  }
  if (modal) return modal.querySelector<HTMLElement>('h3, h2') ?? modal
  // It was in a dialog that is closed: back to what opened it.
  const opener = trail.findLast(
    (one) => isThere(one.element) && !isField(one.element) && one !== last,
  )?.element
  if (opener && !isDisabled(opener) && ancestors.some((one) => one.matches('dialog'))) return opener
  return (
    ancestors.find((one) => isThere(one) && one.matches(PARTS)) ??
    document.querySelector<HTMLElement>('main h1') ??
    undefined
  )
}

/**
 * Keeps the place of somebody with a keyboard or a screen reader: a control that is disabled or removed while it has the
 * focus, such as a button that works or a dialog that closes, would send the focus to the top of the document.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let trail: Trail = []
    const onFocusIn = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement) || target === document.body) return
      trail = [
        ...trail.filter(({ element }) => element !== target),
        { element: target, ancestors: ancestorsOf(target) },
      ].slice(-LONGEST)
    }
    // A press beside every control leaves the focus on purpose.
    const onPress = ({ target }: MouseEvent): void => {
      if (target instanceof Element && !target.closest(CONTROLS)) trail = []
    }
    /** The last of the trail, once it was disabled: one that was left on purpose never is. */
    let disabled: HTMLElement | undefined
    const restore = (): void => {
      // The focus may be in the browser's own bars.
      if (!document.hasFocus()) return
      if (document.activeElement !== document.body && document.activeElement !== null) return
      const next = nextOf(trail)
      if (!next || (next === trail.at(-1)?.element && next !== disabled)) return
      if (next.tabIndex < 0 && !next.hasAttribute('tabindex')) next.tabIndex = -1
      next.focus({ preventScroll: true })
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const watcher = new MutationObserver(() => {
      const last = trail.at(-1)?.element
      if (last && isDisabled(last)) disabled = last
      clearTimeout(timer)
      timer = setTimeout(restore)
    })
    watcher.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['disabled', 'open', 'hidden', 'aria-busy'],
    })
    document.addEventListener('focusin', onFocusIn)
    document.addEventListener('mousedown', onPress)
    return () => {
      clearTimeout(timer)
      watcher.disconnect()
      document.removeEventListener('focusin', onFocusIn)
      document.removeEventListener('mousedown', onPress)
    }
  }, [])
}
