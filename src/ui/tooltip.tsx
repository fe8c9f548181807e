import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react'
import { type TipSide, hideTip, placeTip, tipDelay } from './tip.ts'

interface TooltipProps {
  /** The control's name again, for the eye: screen readers have it from the control. */
  text: string
  /** Milliseconds of rest before it shows (spec section 9: 700, in the sidebar 0). */
  delay?: number
  side?: TipSide
  /** The control, one focusable element. */
  children: ReactNode
}

/** The name of a control that shows only an icon. Shows on rest or keyboard focus, hides on Escape, can be hovered. */
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
    // The span only listens: what can be used is the control within.
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
      {/* Its own padding bridges the gap to the control, so that the pointer can move onto it. */}
      <span ref={tip} popover="manual" aria-hidden="true" className="m-0 overflow-visible bg-transparent p-2">
        <span className="block max-w-64 rounded-sm border border-line-strong bg-surface px-2.5 py-1.5 text-xs font-medium text-ink shadow-card">
          {text}
        </span>
      </span>
    </span>
  )
}
