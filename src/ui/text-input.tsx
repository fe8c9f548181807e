import type { ComponentPropsWithRef, ReactNode } from 'react'
import { classes } from './classes.ts'
import { controlClasses } from './control-classes.ts'

/** A one-line text control; give it the ids of its Field. */
export const TextInput = ({ className, ...props }: ComponentPropsWithRef<'input'>): ReactNode => (
  <input {...props} className={classes(controlClasses, className)} />
)
