import { type RefObject, useCallback, useEffect, useState } from 'react'
import { keepCookie, matchesMedia } from '#client/browser-parts.ts'
import { type Shell, useShell } from '#client/shell.ts'
import { useIsAuthenticated } from '#client/state.ts'

/** Spec section 9. */
const COOKIE = 'sidebar_state'
const MAX_AGE_S = 604_800
const SHORTCUT = 'b'

/** Spec section 9, "Mobile breakpoint". */
const MOBILE = '(max-width: 767px)'

export const onSmallScreen = (): boolean => matchesMedia(MOBILE)

export interface Sidebar {
  /** For the style sheet, which decides `auto` by `data-auth` of the document. */
  state: Shell['sidebar']
  expanded: boolean
  /** Opens the sheet on a small screen. */
  toggle: () => void
}

/** The sidebar's state, stored for a week once chosen. Ctrl or Cmd and B toggle it, except while typing. */
export function useSidebar(sheet: RefObject<{ toggle: () => void } | null>): Sidebar {
  const [state, setState] = useState(useShell().sidebar)
  const isAuthenticated = useIsAuthenticated()
  const expanded = state === 'auto' ? isAuthenticated : state === 'expanded'

  const toggle = useCallback(() => {
    if (onSmallScreen()) return sheet.current?.toggle()
    const secure = window.location.protocol === 'https:' ? '; secure' : ''
    keepCookie(`${COOKIE}=${!expanded}; path=/; max-age=${MAX_AGE_S}; samesite=lax${secure}`)
    setState(expanded ? 'collapsed' : 'expanded')
  }, [sheet, expanded])

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== SHORTCUT || !(event.ctrlKey || event.metaKey) || isTyping(event.target))
        return
      event.preventDefault()
      toggle()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [toggle])

  return { state, expanded, toggle }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
