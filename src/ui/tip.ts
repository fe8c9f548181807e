export type TipSide = 'bottom' | 'right'

/** After a tooltip has closed, the next one within this time shows at once (spec section 9, "skip delay"). */
const SKIP_MS = 300
const EDGE_PX = 4

let lastHidden = Number.NEGATIVE_INFINITY

/** How long to wait before a tooltip shows. @param now time stamp of the event, milliseconds */
export const tipDelay = (delay: number, now: number): number => (now - lastHidden < SKIP_MS ? 0 : delay)

/** Shows a popover beside its control, kept inside the window. */
export function placeTip(tip: HTMLElement, anchor: Element, side: TipSide): void {
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

/** Hides a popover. @param now time stamp of the event, milliseconds */
export function hideTip(tip: HTMLElement, now: number): void {
  if (!tip.matches(':popover-open')) return
  tip.hidePopover()
  lastHidden = now
}
