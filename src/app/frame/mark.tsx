import type { ReactNode } from 'react'

/** The mark: a steering wheel whose spokes draw a V. */
export const Mark = (): ReactNode => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className="size-8 shrink-0" fill="none">
    <circle cx="16" cy="16" r="13.25" stroke="currentColor" strokeWidth="3.5" />
    <path d="M5.2 12.2 16 24.5l10.8-12.3" stroke="var(--signal)" strokeWidth="3.5" strokeLinejoin="round" />
  </svg>
)
