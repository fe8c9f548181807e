import { type RefObject, useEffect } from 'react'
import { watchSize } from './watch-size.ts'

/** All bars together leave at least two thirds of the window to the page, also with letters twice their size. */
const LARGEST_SHARE = 1 / 3

/** What goes when there is no room for all: the bars of the highest rank first. */
const ACTION = 0
const FOOT = 1
const TOP = 2

/** The bars that stay in sight, and who wants to know their height. */
const bars = new Map<HTMLElement, { rank: number; tell: (height: number) => void }>()

/**
 * Marks as `data-tall` the bars for which there is no room: they stand in the page instead. What the page is for stays
 * longest.
 * @param again as if none were marked; else a marked one stays so, since standing in the page makes it lower
 */
function share(again: boolean): void {
  let room = window.innerHeight * LARGEST_SHARE
  const all = [...bars].toSorted(([, a], [, b]) => a.rank - b.rank)
  if (again) for (const [element] of all) delete element.dataset['tall']
  for (const [element, { rank, tell }] of all) {
    const height = element.offsetHeight
    if (height > room) element.dataset['tall'] = ''
    const isTall = element.dataset['tall'] !== undefined
    const kept = isTall ? 0 : height
    // What stands below a bar at the top would hang in the air without it.
    room = isTall && rank === TOP ? 0 : room - kept
    tell(kept)
  }
}

const shareAgain = (): void => share(true)

function watchBar(element: HTMLElement, rank: number, tell: (height: number) => void): () => void {
  bars.set(element, { rank, tell })
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
  useEffect(() => (bar.current ? watchBar(bar.current, TOP, () => undefined) : undefined), [bar])
}

/** Sets `--bottom-room` to the height of a fixed bottom bar, so that it hides no focus (WCAG 2.4.11) or toast. */
export function useBottomRoom(bar: RefObject<HTMLElement | null>, shown: boolean): void {
  useEffect(
    () => (shown && bar.current ? keepRoom(bar.current, FOOT, '--bottom-room') : undefined),
    [bar, shown],
  )
}

/** Sets `--action-room` in the same way to the height of a bar that stands above that one. */
export function useActionRoom(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => (bar.current ? keepRoom(bar.current, ACTION, '--action-room') : undefined), [bar])
}

function keepRoom(element: HTMLElement, rank: number, name: string): () => void {
  const { style } = document.documentElement
  const stop = watchBar(element, rank, (height) => style.setProperty(name, `${height}px`))
  return () => {
    stop()
    style.removeProperty(name)
  }
}
