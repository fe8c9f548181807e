import { useCallback, useEffect, useState } from 'react'
import { useShell } from '#client/shell.ts'

/** Cookie, lifetime and key of the sidebar (spec section 9). */
const COOKIE = 'sidebar_state'
const MAX_AGE_S = 604_800
const SHORTCUT = 'b'

/** Below this width the sidebar is a sheet (spec section 9, "Mobile breakpoint"). */
const MOBILE = '(max-width: 767px)'

export interface Sidebar {
  expanded: boolean
  sheetOpen: boolean
  /** Expands or collapses the sidebar, or opens the sheet on a small screen. */
  toggle: () => void
  closeSheet: () => void
}

/** State of the sidebar: remembered for a week, toggled by Ctrl or Cmd and B except while typing. */
export function useSidebar(): Sidebar {
  const { sidebar } = useShell()
  const [expanded, setExpanded] = useState(sidebar === 'expanded')
  const [sheetOpen, setSheetOpen] = useState(false)

  const toggle = useCallback(() => {
    if (window.matchMedia(MOBILE).matches) return setSheetOpen((open) => !open)
    setExpanded((was) => {
      document.cookie = `${COOKIE}=${!was}; path=/; max-age=${MAX_AGE_S}; samesite=lax`
      return !was
    })
  }, [])

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

  return { expanded, sheetOpen, toggle, closeSheet: useCallback(() => setSheetOpen(false), []) }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
