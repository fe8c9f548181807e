import { Component, type ReactNode } from 'react'

/**
 * The id of the element in which React shows the shop. The document around it is the server's, and everybody else's: React
 * in a browser neither reads nor makes it.
 */
export const SHOP = 'shop'

const shopElement = (): HTMLElement => document.getElementById(SHOP)!

/** What a visitor may have touched. */
const TOUCHED = 'a, button, input, select, textarea, summary, details'

type Field = HTMLInputElement | HTMLTextAreaElement

/** What the visitor has in front of them. */
interface Seen {
  nodes: ChildNode[]
  head: Element[]
  focused: Element | null
  top: number
}

const see = (): Seen => ({
  nodes: [...shopElement().childNodes],
  head: [...document.head.children],
  focused: document.activeElement,
  top: window.scrollY,
})

/**
 * Keeps the page that the server sent. Where React cannot continue it, because others have changed it meanwhile, and makes
 * it anew, what the visitor typed, chose and opened goes on. Where even that fails, the server's page stays, and its links
 * lead on as the browser follows them.
 */
export class ServerPage extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  static getDerivedStateFromError = (): { hasFailed: boolean } => ({ hasFailed: true })

  override state = { hasFailed: false }

  // React makes the component again for each attempt.
  #seen = import.meta.env.SSR ? undefined : see()

  override componentDidMount(): void {
    if (this.#seen && !this.#seen.nodes[0]?.isConnected) carryOver(this.#seen)
  }

  override componentDidCatch(): void {
    putBack(this.#seen!.nodes)
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    this.#seen = see()
    return null
  }
}

/** Shows the page as it was, after React has emptied it. */
export function putBack(nodes: readonly ChildNode[]): void {
  const shop = shopElement()
  if (!shop.firstChild) shop.append(...nodes)
}

/** Gives to the elements that React made what their predecessors had. */
function carryOver({ nodes, head, focused, top }: Seen): void {
  const made = numbered([shopElement()])
  for (const [key, old] of numbered(nodes)) {
    const now = made.get(key)
    if (!(now instanceof HTMLElement)) continue
    takeOver(old, now)
    if (old !== focused) continue
    now.focus({ preventScroll: true })
    if (isField(old) && isField(now) && old.selectionStart !== null)
      now.setSelectionRange(old.selectionStart, old.selectionEnd)
  }
  if (window.scrollY !== top) window.scrollTo(0, top)
  // React has made the title and the descriptions anew as well.
  const fresh = [...document.head.children].filter((one) => !head.includes(one))
  for (const old of head)
    if (fresh.some((one) => one.isEqualNode(old) || one.localName + old.localName === 'titletitle'))
      old.remove()
}

/** What a visitor may have touched, by its kind, name and address, counted where several are alike. */
function numbered(roots: readonly ChildNode[]): Map<string, Element> {
  const counts = new Map<string, number>()
  const found = new Map<string, Element>()
  for (const root of roots) {
    for (const element of root instanceof Element ? root.querySelectorAll(TOUCHED) : []) {
      const key = [
        element.localName,
        ...['type', 'name', 'href'].map((name) => element.getAttribute(name)),
      ].join(' ')
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      found.set(`${key} ${count}`, element)
    }
  }
  return found
}

const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

const canBeChecked = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type)

/** Changes the one as a visitor has changed the other: React listens for the events. */
function takeOver(old: Element, now: Element): void {
  if (old instanceof HTMLDetailsElement && now instanceof HTMLDetailsElement) now.open = old.open
  else if (canBeChecked(old) && canBeChecked(now)) {
    if (old.checked !== old.defaultChecked && old.checked !== now.checked) now.click()
  } else if (isField(old) && isField(now)) {
    if (old.value !== old.defaultValue) set(now, old.value, 'input')
  } else if (old instanceof HTMLSelectElement && now instanceof HTMLSelectElement) {
    if (old.value !== now.value) set(now, old.value, 'change')
  }
}

/** React hides the change of a field behind a `value` of the element's own. */
function set(field: Field | HTMLSelectElement, value: string, event: 'input' | 'change'): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!.set!.call(field, value)
  field.dispatchEvent(new Event(event, { bubbles: true }))
}
