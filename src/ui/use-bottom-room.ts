import { type RefObject, useEffect } from 'react'

/**
 * Keeps as much of the window's foot free as a fixed bar takes, in the page's own end and in what scrolls to the focus:
 * the bar must never hide what has the focus (WCAG 2.4.11), nor a toast the bar. Measured into `--bottom-room`.
 * @param shown whether the bar is there
 */
export function useBottomRoom(bar: RefObject<HTMLElement | null>, shown: boolean): void {
  useEffect(() => {
    const element = bar.current
    if (!shown || !element) return undefined
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty('--bottom-room', `${element.offsetHeight}px`))
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--bottom-room')
    }
  }, [bar, shown])
}
