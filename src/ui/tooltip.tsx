import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react'

type TipSide = 'bottom' | 'right'

/** Spec section 9, "skip delay". */
const SKIP_MS = 300
const EDGE_PX = 4

let lastHidden = Number.NEGATIVE_INFINITY

/** Delay before a tooltip shows. @param now time stamp of the event, ms */
export const tipDelay = (delay: number, now: number): number => (now - lastHidden < SKIP_MS ? 0 : delay)

function placeTip(tip: HTMLElement, anchor: Element, side: TipSide): void {
  if (!tip.matches(':popover-open')) tip.showPopover()
  const from = anchor.getBoundingClientRect()
  const { width, height } = tip.getBoundingClientRect()
  const left = side === 'right' ? from.right : from.left + (from.width - width) / 2
  const top = side === 'right' ? from.top + (from.height - height) / 2 : from.bottom
  const widest = document.documentElement.clientWidth - width - EDGE_PX
  tip.style.inset = 'auto'
  tip.style.left = `${Math.max(EDGE_PX, Math.min(left, widest))}px`
  tip.style.top = `${top}px`
}

/** @param now time stamp of the event, ms */
export function hideTip(tip: HTMLElement, now: number): void {
  if (!tip.matches(':popover-open')) return
  tip.hidePopover()
  lastHidden = now
}

interface TooltipProps {
  /** The control's name, which screen readers have from the control itself. */
  text: string
  /** In ms (spec section 9: 700, in the sidebar 0). */
  delay?: number
  side?: TipSide
  children: ReactNode
}

/** A tooltip for an icon control: shows on hover or keyboard focus, hides on Escape. */
export function Tooltip({ text, delay = 700, side = 'bottom', children }: TooltipProps): ReactNode {
  const tip = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const show = (anchor: Element | null): void => {
    if (tip.current && anchor) placeTip(tip.current, anchor, side)
  }
  const enter = (event: PointerEvent<HTMLElement>): void => {
    if (event.pointerType === 'touch') return
    const anchor = event.currentTarget.firstElementChild
    clearTimeout(timer.current)
    timer.current = setTimeout(() => show(anchor), tipDelay(delay, event.timeStamp))
  }
  const hide = (timeStamp: number): void => {
    clearTimeout(timer.current)
    if (tip.current) hideTip(tip.current, timeStamp)
  }

  return (
    // The control inside is interactive, not the span.
    <span
      role="presentation"
      className="contents"
      onPointerEnter={enter}
      onPointerLeave={(event) => hide(event.timeStamp)}
      onPointerDown={(event) => hide(event.timeStamp)}
      onFocus={(event) => event.target.matches(':focus-visible') && show(event.target)}
      onBlur={(event) => hide(event.timeStamp)}
      onKeyDown={(event) => event.key === 'Escape' && hide(event.timeStamp)}
    >
      {children}
      {/* The padding bridges the gap to the control, for the pointer. */}
      <span ref={tip} popover="manual" aria-hidden="true" className="m-0 overflow-visible bg-transparent p-2">
        <span className="block max-w-64 rounded-sm border border-line-strong bg-surface px-2.5 py-1.5 text-xs font-medium text-ink shadow-card">
          {text}
        </span>
      </span>
    </span>
  )
}
