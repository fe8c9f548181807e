/** Names that the page's scripts share with the inline script, which acts before they are there. */

/** The page responds now: what was typed, chosen and pressed before is done. */
export const AWAKE = 'volant:awake'

/** A page is on its way, or has come. */
export const WAITING = 'volant:waiting'

/** Key of the session storage: what was typed on a page that could not load, for the next attempt. */
export const TYPED = 'volant-typed'

export const announceAwake = (): boolean => window.dispatchEvent(new Event(AWAKE))

/** Shows, and says, that a page is on its way. @param isWaiting `document`: until another document is there */
export const announceWaiting = (isWaiting: boolean | 'document'): boolean =>
  window.dispatchEvent(new CustomEvent(WAITING, { detail: isWaiting }))
