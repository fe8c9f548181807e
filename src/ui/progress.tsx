import type { ReactNode } from 'react'
import { classes } from './classes.ts'

interface ProgressProps {
  value: number
  total: number
  label: string
  className?: string
}

/** A progress bar as SVG, because the security policy forbids style attributes. */
export function Progress({ value, total, label, className }: ProgressProps): ReactNode {
  const part = total > 0 ? Math.min(1, Math.max(0, value / total)) : 0
  // A first ticket is visible, and only a sold-out contest looks full.
  const width = part === 0 ? 0 : part === 1 ? 100 : Math.min(98, Math.max(1.5, part * 100))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      className={classes('h-1.5 w-full overflow-hidden rounded-full bg-sunken', className)}
    >
      <rect width={width.toFixed(1)} height="4" className="fill-signal" />
    </svg>
  )
}
