import type { ReactNode } from 'react'

/** A number plate without figures. Dots stand for the stars. */
export const BlankPlate = (): ReactNode => (
  <svg viewBox="0 0 240 80" aria-hidden="true" className="w-60 max-w-[70vw]" fill="none" strokeWidth="2">
    <rect x="2" y="12" width="236" height="56" rx="7" className="fill-plate-face stroke-line-strong" />
    <path d="M9 13h29v54H9a6 6 0 0 1-6-6V19a6 6 0 0 1 6-6Z" className="fill-plate-blue" />
    <circle
      cx="20.5"
      cy="32"
      r="9"
      strokeWidth="3"
      strokeLinecap="round"
      strokeDasharray="0 4.712"
      className="stroke-plate-star"
    />
    <path
      d="M56 24h22v32H56zM86 24h22v32H86zM118 40h10M138 24h22v32h-22zM168 24h22v32h-22zM198 24h22v32h-22z"
      strokeDasharray="3 5"
      className="stroke-line-strong"
    />
  </svg>
)
