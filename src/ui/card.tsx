import type { ComponentPropsWithRef, ReactNode } from 'react'
import { classes } from './classes.ts'

export const Card = ({ className, ...props }: ComponentPropsWithRef<'div'>): ReactNode => (
  <div {...props} className={classes('rounded-lg border border-line bg-surface', className)} />
)
