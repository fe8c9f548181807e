import { ChevronDown } from 'lucide-react'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import { classes, controlClasses } from './classes.ts'

/** The native select is the most accessible one. */
export const Select = ({ className, children, ...props }: ComponentPropsWithRef<'select'>): ReactNode => (
  <span className="relative block">
    <select {...props} className={classes(controlClasses, 'appearance-none truncate pr-10', className)}>
      {children}
    </select>
    <ChevronDown
      aria-hidden="true"
      className="pointer-events-none absolute inset-y-0 right-3 my-auto size-5 text-muted"
    />
  </span>
)
