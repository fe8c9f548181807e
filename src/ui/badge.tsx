import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Tone = 'neutral' | 'signal' | 'success' | 'warning' | 'error'

const TONES: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink',
  signal: 'bg-signal-soft text-signal-strong',
  success: 'bg-success-soft text-success',
  warning: 'bg-warning-soft text-warning',
  error: 'bg-error-soft text-error',
}

/** A short status. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }): ReactNode => (
  <span
    className={classes(
      'inline-flex items-center gap-1.5 rounded-sm px-2.5 py-1 text-xs font-semibold wrap-normal',
      TONES[tone],
    )}
  >
    {children}
  </span>
)
