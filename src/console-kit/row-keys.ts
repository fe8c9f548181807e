import { useEffect } from 'react'

/** The main link or button of a row or an item: `<Link {...rowLink}>`. */
export const rowLink = { 'data-row-link': true } as const

/** Whether a key press belongs to a control in which one types. */
export const isTyping = ({ target }: Pick<Event, 'target'>): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  (target as HTMLInputElement).type !== 'checkbox'

/** j and k move the focus through the main links of all rows and items of the screen, in the order of the document. */
export function useRowKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.key !== 'j' && event.key !== 'k') || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event) || document.querySelector('dialog[open]')) return
      const links = [...document.querySelectorAll<HTMLElement>('main [data-row-link]')].filter(
        (link) => link.checkVisibility() && !link.matches(':disabled'),
      )
      if (links.length === 0) return
      const focused = document.activeElement
      // Another control of a row counts as the row.
      const at = links.findIndex((link) => (link.closest('tr, li') ?? link).contains(focused))
      const next = at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + (event.key === 'j' ? 1 : -1)))
      links[next]?.focus()
      event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
