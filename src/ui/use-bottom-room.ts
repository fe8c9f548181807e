import { type RefObject, useEffect } from 'react'
import { watchSize } from './watch-size.ts'

/** Sets `--bottom-room` to the height of a fixed bottom bar, so that it hides no focus (WCAG 2.4.11) or toast. */
export function useBottomRoom(bar: RefObject<HTMLElement | null>, shown: boolean): void {
  useEffect(() => {
    const element = bar.current
    if (!shown || !element) return undefined
    const { style } = document.documentElement
    const stop = watchSize(element, () => style.setProperty('--bottom-room', `${element.offsetHeight}px`))
    return () => {
      stop()
      style.removeProperty('--bottom-room')
    }
  }, [bar, shown])
}
