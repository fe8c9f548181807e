import { type RefObject, useEffect } from 'react'
import { watchSize } from './watch-size.ts'

/** All bars together leave at least two thirds of the window to the page, also with letters twice their size. */
const LARGEST_SHARE = 1 / 3

/** The bars that stay in sight, and who wants to know their height. */
const bars = new Map<HTMLElement, { isAtFoot: boolean; tell: (height: number) => void }>()

/**
 * Marks as `data-tall` the bars for which there is no room: they stand in the page instead. One at the foot goes before
 * one at the top, since it has what the page is for.
 * @param again as if none were marked; else a marked one stays so, since standing in the page makes it lower
 */
function share(again: boolean): void {
  let room = window.innerHeight * LARGEST_SHARE
  const all = [...bars].toSorted(([, a], [, b]) => Number(b.isAtFoot) - Number(a.isAtFoot))
  if (again) for (const [element] of all) delete element.dataset['tall']
  for (const [element, { isAtFoot, tell }] of all) {
    const height = element.offsetHeight
    if (height > room) element.dataset['tall'] = ''
    const isTall = element.dataset['tall'] !== undefined
    // What stands below a bar at the top would hang in the air without it.
    room = isTall && !isAtFoot ? 0 : room - (isTall ? 0 : height)
    tell(isTall ? 0 : height)
  }
}

const shareAgain = (): void => share(true)

function watchBar(element: HTMLElement, isAtFoot: boolean, tell: (height: number) => void): () => void {
  bars.set(element, { isAtFoot, tell })
  const stop = watchSize(element, () => share(false))
  window.addEventListener('resize', shareAgain)
  return () => {
    stop()
    bars.delete(element)
    if (bars.size === 0) window.removeEventListener('resize', shareAgain)
    share(true)
  }
}

/** For a bar that stays at the top of the window. */
export function useTopBar(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => (bar.current ? watchBar(bar.current, false, () => undefined) : undefined), [bar])
}

/** Sets `--bottom-room` to the height of a fixed bottom bar, so that it hides no focus (WCAG 2.4.11) or toast. */
export function useBottomRoom(bar: RefObject<HTMLElement | null>, shown: boolean): void {
  useEffect(() => {
    const element = bar.current
    if (!shown || !element) return undefined
    const { style } = document.documentElement
    const stop = watchBar(element, true, (height) => style.setProperty('--bottom-room', `${height}px`))
    return () => {
      stop()
      style.removeProperty('--bottom-room')
    }
  }, [bar, shown])
}
