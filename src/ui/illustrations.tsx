import type { ReactNode } from 'react'

const FRAME = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

/** An empty parking bay seen from above: nothing stands here yet. */
export const EmptyBay = (): ReactNode => (
  <svg viewBox="0 0 240 130" aria-hidden="true" className="w-60 text-line-strong" {...FRAME}>
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

/** A plate without figures: the number is still to come. */
export const BlankPlate = (): ReactNode => (
  <svg viewBox="0 0 240 80" aria-hidden="true" className="w-60">
    <rect
      x="2"
      y="12"
      width="236"
      height="56"
      rx="7"
      className="fill-plate-face stroke-line-strong"
      strokeWidth="2"
    />
    <path d="M9 13h29v54H9a6 6 0 0 1-6-6V19a6 6 0 0 1 6-6Z" className="fill-plate-blue" />
    <g className="fill-plate-star">
      {Array.from({ length: 12 }, (_, index) => {
        const angle = (index * Math.PI) / 6
        return (
          <circle
            key={index}
            cx={(20.5 + 9 * Math.sin(angle)).toFixed(1)}
            cy={(32 - 9 * Math.cos(angle)).toFixed(1)}
            r="1.5"
          />
        )
      })}
    </g>
    <g className="stroke-line-strong" strokeWidth="2" strokeDasharray="3 5" fill="none">
      <rect x="56" y="24" width="22" height="32" rx="3" />
      <rect x="86" y="24" width="22" height="32" rx="3" />
      <path d="M118 40h10" />
      <rect x="138" y="24" width="22" height="32" rx="3" />
      <rect x="168" y="24" width="22" height="32" rx="3" />
      <rect x="198" y="24" width="22" height="32" rx="3" />
    </g>
  </svg>
)
