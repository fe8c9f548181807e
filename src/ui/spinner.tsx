import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** Hidden from screen readers; does not turn with reduced motion. */
export const Spinner = ({ className }: { className?: string }): ReactNode => (
  <svg viewBox="0 0 20 20" aria-hidden="true" className={classes('size-5 animate-turn', className)}>
    <circle cx="10" cy="10" r="8" fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2.5" />
    <path d="M10 2a8 8 0 0 1 8 8" fill="none" stroke="currentColor" strokeLinecap="round" strokeWidth="2.5" />
  </svg>
)
