import type { ReactNode } from 'react'

const FRAME = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

export const EmptyBay = (): ReactNode => (
  <svg viewBox="0 0 240 130" aria-hidden="true" className="w-60 max-w-[70vw] text-line-strong" {...FRAME}>
    <path d="M20 118V22h56v96M92 118V22h56v96M164 118V22h56v96" />
    <g className="text-line">
      <rect x="32" y="34" width="32" height="70" rx="12" />
      <path d="M36 54h24M36 86h24M32 62v16M64 62v16" />
      <rect x="176" y="34" width="32" height="70" rx="12" />
      <path d="M180 54h24M180 86h24M176 62v16M208 62v16" />
    </g>
    <g className="text-signal">
      <path d="M120 92V58m-12 14 12-14 12 14" />
    </g>
  </svg>
)
