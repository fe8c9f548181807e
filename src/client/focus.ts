import { arrival, goToHeading, take } from './arrival.ts'

/** Elements that had the focus, the last at the end, each with its ancestors as they were then. */
type Trail = { element: HTMLElement; ancestors: HTMLElement[] }[]

const LONGEST = 12

const ancestorsOf = (element: HTMLElement): HTMLElement[] => {
  const found: HTMLElement[] = []
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) found.push(at)
  return found
}

const isThere = (element: Element): boolean => element.getClientRects().length > 0
const isBusy = (element: Element): boolean => element.matches('[aria-busy=true], :disabled')
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
  const modal = document.querySelector<HTMLElement>('dialog[open]')
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

/** A field that is wrong, and what `Alert`, or an alert without one, says about a failure or a success. */
const FAILURES = '[aria-invalid=true], [data-news=error], [role=alert]'
const NEWS = `${FAILURES}, [data-news]`

/** In ms: whoever has done nothing for so long is not moved any more. */
const LONGEST_WAIT_MS = 60_000
/** In ms: by then a button that works says so. */
const BUSY_AFTER_MS = 150

/** What somebody did last, by a button or a form. */
interface Act {
  by: HTMLElement
  at: number
  focused: Element | null
  /** Its news may be the same as before. */
  isOver: boolean
  sends: boolean
  part: Element | null
  /** What was there before, with its text. */
  known: Map<Element, string | null>
}

let act: Act | undefined

const newsIn = (place: Element): Element[] =>
  [...place.querySelectorAll(NEWS)].filter(
    (one) =>
      isThere(one) &&
      !(one.matches('[role=alert]') && (one.textContent === '' || one.querySelector('[data-news]'))),
  )

const surface = (): Element =>
  document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document.body

/** The news of the act: what has appeared or changed; when it is over, also a failure that stayed as it was. */
function newsOf({ known, part, sends, isOver, by }: Act): Element | undefined {
  const all = newsIn(surface())
  let news = all.filter((one) => !known.has(one) || known.get(one) !== one.textContent)
  if (news.length === 0 && isOver && sends && !isBusy(by))
    news = all.filter((one) => part?.contains(one) && one.matches(FAILURES))
  const { activeElement } = document
  return (
    news.find((one) => one === activeElement) ??
    news.find((one) => one.matches('[aria-invalid]')) ??
    news.find((one) => one.matches(FAILURES)) ??
    news[0]
  )
}

/** In shares of the window: above are bars, below are bars and toasts. */
const [HIGHEST, LOWEST] = [0.15, 0.75]

/** In the middle of the window, unless it is where people look already: label and message of a field are beside it. */
function show(element: HTMLElement): void {
  if (document.activeElement !== element) take(element)
  const { top, bottom } = element.getBoundingClientRect()
  const { innerHeight } = window
  if (top >= innerHeight * HIGHEST && bottom <= innerHeight * LOWEST) return
  element.scrollIntoView({ block: bottom - top > innerHeight / 2 ? 'start' : 'center' })
}

/** A heading below that of the page has the focus where a page has led to it: to a question that must be answered first. */
const isLedTo = (element: Element | null): boolean =>
  element?.matches('main :is(h2, h3)[tabindex="-1"]:not(dialog *)') ?? false

/** Shows what became of the act, where its news are not where somebody looks. */
function showNews(): void {
  if (!act || performance.now() - act.at > LONGEST_WAIT_MS) return
  const news = newsOf(act)
  if (!(news instanceof HTMLElement)) return
  const { activeElement } = document
  const wasMoved = ![document.body, null, act.by, act.focused].includes(activeElement as HTMLElement | null)
  for (const one of newsIn(surface())) act.known.set(one, one.textContent)
  act.isOver = false
  // The page has led to a place of its own.
  if (wasMoved && activeElement !== news && (isLedTo(activeElement) || !news.matches(FAILURES))) return
  show(news)
}

/**
 * Keeps the place of somebody with a keyboard, a screen reader or a small screen, for shop and console alike: what an act
 * led to is focused and scrolled to, and a control that is disabled or removed while it has the focus, such as a button
 * that works or a dialog that closes, does not send the focus to the top of the document.
 */
export function keepFocus(): void {
  let trail: Trail = []
  /** The last of the trail, once it was disabled: one that was left on purpose never is. */
  let disabled: HTMLElement | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const restore = (): void => {
    // The focus may be in the browser's own bars.
    if (!document.hasFocus()) return
    const { activeElement } = document
    const isLost = activeElement === document.body || activeElement === null
    if (arrival.isNew && (isLost || activeElement.matches('main'))) return goToHeading()
    if (!isLost) return
    const next = nextOf(trail)
    if (!next || (next === trail.at(-1)?.element && next !== disabled)) return
    take(next)
  }
  const onChange = (): void => {
    const last = trail.at(-1)?.element
    if (last && isDisabled(last)) disabled = last
    if (act && isBusy(act.by)) Object.assign(act, { isOver: true, sends: true })
    clearTimeout(timer)
    timer = setTimeout(() => {
      showNews()
      restore()
    })
  }
  const begin = (by: HTMLElement, sends: boolean): void => {
    const known = new Map(newsIn(surface()).map((one) => [one, one.textContent]))
    const part = by.closest('form, dialog, section, article, main')
    const { activeElement: focused } = document
    const own: Act = { by, at: performance.now(), focused, isOver: false, sends, part, known }
    act = own
    setTimeout(() => {
      own.isOver = true
      if (act === own) onChange()
    }, BUSY_AFTER_MS)
  }
  // What somebody does next ends it, but scrolling does not.
  const end = (): void => {
    act = undefined
    arrival.isNew = false
  }

  new MutationObserver(onChange).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['disabled', 'open', 'hidden', 'aria-busy', 'aria-invalid'],
  })
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target === document.body) return
    trail = [
      ...trail.filter(({ element }) => element !== target),
      { element: target, ancestors: ancestorsOf(target) },
    ].slice(-LONGEST)
  })
  document.addEventListener(
    'keydown',
    ({ key, target }) => {
      if (key === 'Tab' || (target instanceof HTMLElement && isField(target))) end()
    },
    true,
  )
  // Dictated, pasted and filled in text comes without a key.
  document.addEventListener('input', end, true)
  // A press beside every control leaves the focus on purpose.
  document.addEventListener('mousedown', ({ target }) => {
    if (target instanceof Element && !target.closest(CONTROLS)) trail = []
  })
  document.addEventListener(
    'click',
    ({ target }) => {
      end()
      const by = target instanceof Element ? target.closest('button') : null
      if (by) begin(by, false)
    },
    true,
  )
  document.addEventListener(
    'submit',
    ({ submitter, target }) => begin((submitter ?? target) as HTMLElement, true),
    true,
  )
}
