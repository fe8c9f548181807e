import type { ReactNode } from 'react'
import { classes } from './classes.ts'

interface PriceProps {
  /** Formatted amount with its sign, for example "4,90 €". */
  amount: string
  /** What is said below, for example "5,93 € incl. VAT". */
  note?: ReactNode
  size?: 'medium' | 'large'
  className?: string
}

/** A price with its explanation. */
export const Price = ({ amount, note, size = 'medium', className }: PriceProps): ReactNode => (
  <p className={classes('grid', className)}>
    <span className={classes('font-wide tabular-nums', size === 'large' ? 'text-headline' : 'text-title')}>
      {amount}
    </span>
    {note && <span className="text-sm text-muted">{note}</span>}
  </p>
)
