/**
 * What browsers' translators do to the texts of a page. `replaced`: an element in the place of each text, as Google's and
 * Edge's do; `merged`: one element in the place of all texts that follow each other; `enclosed`: the text goes into an
 * element; `inPlace`: the first of several texts gets all the words, the others none.
 */
export const TRANSLATORS = ['replaced', 'merged', 'enclosed', 'inPlace'] as const
export type Translator = (typeof TRANSLATORS)[number]

/** What the words of a translation stand in. */
export const TRANSLATED = /[⟦⟧]/g

/**
 * Runs in a page: translates what is there and whatever comes, a moment later, as after a call to a service. Also what is
 * marked `translate="no"`, since not every translator heeds that.
 */
export function translate(way: Translator): void {
  const WAIT_MS = 20
  const done = new WeakMap<Node, string>()
  const isText = (node: Node | null): node is Text => node !== null && node.nodeType === Node.TEXT_NODE
  const element = (): HTMLElement => {
    const made = document.createElement('font')
    made.style.verticalAlign = 'inherit'
    return made
  }
  const shown = (text: string): HTMLElement => {
    const inner = element()
    inner.textContent = `⟦${text}⟧`
    const outer = element()
    outer.append(inner)
    return outer
  }
  const isLeft = (text: Text): boolean =>
    !/[\p{L}\d]/u.test(text.data) ||
    done.get(text) === text.data ||
    text.parentElement === null ||
    text.parentElement.closest('font, script, style, textarea') !== null

  /** All texts that follow each other, the given one first; the others may be of numbers or spaces only. */
  function run(first: Text): Text[] {
    const found = [first]
    for (let next = first.nextSibling; isText(next); next = next.nextSibling) found.push(next)
    return found
  }

  function translateText(text: Text): void {
    if (!text.isConnected || isLeft(text)) return
    if (way === 'replaced') text.replaceWith(shown(text.data))
    else if (way === 'enclosed') {
      const outer = element()
      text.before(outer)
      outer.append(text)
      text.data = `⟦${text.data}⟧`
    } else {
      const texts = run(text)
      const words = texts.map(({ data }) => data).join('')
      if (way === 'merged') {
        text.parentNode!.insertBefore(shown(words), text)
        for (const one of texts) one.parentNode!.removeChild(one)
      } else
        for (const one of texts) {
          one.data = one === text ? `⟦${words}⟧` : ''
          done.set(one, one.data)
        }
    }
  }

  function translateAll(root: Node): void {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const found: Text[] = isText(root) ? [root] : []
    while (texts.nextNode()) found.push(texts.currentNode as Text)
    for (const text of found) translateText(text)
  }

  function start(): void {
    document.documentElement.lang = 'de'
    document.documentElement.classList.add('translated-ltr')
    translateAll(document.body)
    let waiting = false
    new MutationObserver(() => {
      if (waiting) return
      waiting = true
      setTimeout(() => {
        waiting = false
        translateAll(document.body)
      }, WAIT_MS)
    }).observe(document.body, { childList: true, characterData: true, subtree: true })
  }

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
  else start()
}
