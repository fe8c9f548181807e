import type { ComponentPropsWithRef, ReactNode } from 'react'
import { classes } from './classes.ts'
import { controlClasses } from './control-classes.ts'

/** A text control of several lines, which its reader may enlarge; give it the ids of its Field. */
export const TextArea = ({ className, ...props }: ComponentPropsWithRef<'textarea'>): ReactNode => (
  <textarea {...props} className={classes(controlClasses, 'min-h-40 resize-y', className)} />
)
