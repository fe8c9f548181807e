import type { ReactNode } from 'react'
import { classes } from '#ui/classes.ts'
import type { Crop, Point, Size } from '../pictures.rules.ts'

interface CroppedPictureProps {
  src: string
  /** Of the picture. */
  size: Size
  part: Crop
  /** Marked when given. */
  focal?: Point
  className?: string
}

/** A part of a picture, cut by the browser. Whatever stands beside it must name it. */
export function CroppedPicture({ src, size, part, focal, className }: CroppedPictureProps): ReactNode {
  const radius = part.width / 36
  return (
    <svg
      aria-hidden="true"
      viewBox={`${part.x} ${part.y} ${part.width} ${part.height}`}
      className={classes('block h-auto w-full rounded-md bg-sunken', className)}
    >
      <image href={src} width={size.width} height={size.height} preserveAspectRatio="none" />
      {focal && (
        <g fill="none" strokeWidth={radius / 2.5}>
          <circle cx={focal.x} cy={focal.y} r={radius} stroke="#000" strokeWidth={radius} />
          <circle cx={focal.x} cy={focal.y} r={radius} stroke="#fff" />
        </g>
      )}
    </svg>
  )
}
