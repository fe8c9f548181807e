import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * After a move inside the document the focus goes to the new page's heading, so that a screen reader says where it is
 * and the keyboard starts there; a new document does this by itself.
 */
export function FocusHeading(): null {
  const { pathname } = useLocation()
  const shown = useRef(pathname)

  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    const heading = document.querySelector<HTMLElement>('h1')
    if (!heading) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }, [pathname])

  return null
}
