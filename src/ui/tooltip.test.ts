import { expect, test } from 'vitest'
import { hideTip, tipDelay } from './tooltip.tsx'

/** As much of a shown popover as hiding one needs. */
const shownTip = () => {
  let open = true
  return { matches: () => open, hidePopover: () => void (open = false) } as unknown as HTMLElement
}

test('the first tooltip waits, the next one within 300 ms does not (spec section 9) [spec 9.35]', () => {
  expect(tipDelay(700, 1_000)).toBe(700)
  hideTip(shownTip(), 2_000)
  expect(tipDelay(700, 2_299)).toBe(0)
  expect(tipDelay(700, 2_300)).toBe(700)
})

test('hiding a hidden tooltip does not shorten the next delay', () => {
  const tip = shownTip()
  hideTip(tip, 5_000)
  hideTip(tip, 9_000)
  expect(tipDelay(700, 9_001)).toBe(700)
})
