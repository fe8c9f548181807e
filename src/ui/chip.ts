/** A choice among few, as a button with `aria-pressed`. */
export const chipClasses =
  'pressable min-h-11 rounded-md border border-line-strong bg-surface font-medium hover:border-ink ' +
  'aria-pressed:border-signal aria-pressed:bg-signal-soft data-wrong:border-error'
