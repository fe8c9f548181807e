import type { ReactNode } from 'react'
import { classes } from './classes.ts'

interface EmptyStateProps {
  illustration?: ReactNode
  title: ReactNode
  text?: ReactNode
  action?: ReactNode
  as?: 'h1' | 'h2' | 'p'
  className?: string
}

export const EmptyState = ({
  illustration,
  title,
  text,
  action,
  as: Title = 'h2',
  className,
}: EmptyStateProps): ReactNode => (
  <div className={classes('mx-auto grid max-w-lg justify-items-center gap-4 py-10 text-center', className)}>
    {illustration}
    <Title className="font-wide text-title" tabIndex={Title === 'h1' ? -1 : undefined}>
      {title}
    </Title>
    {text && <p className="text-balance text-muted">{text}</p>}
    {action && <div className="mt-2">{action}</div>}
  </div>
)
