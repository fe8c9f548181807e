import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'

/** Leads from the login to the registration and back, before somebody fills in the wrong form. */
export const OtherPage = (props: { question: string; to: string; children: string }): ReactNode => (
  <p className="flex flex-wrap items-center justify-between gap-x-4 rounded-md border border-line bg-surface px-4 py-1.5">
    <span className="text-muted">{props.question}</span>
    <AppLink to={props.to} className="prose-link py-2 font-semibold">
      {props.children}
    </AppLink>
  </p>
)
