import type { ReactNode } from 'react'
import { classes } from './classes.ts'

type PlateSize = 'small' | 'medium' | 'large' | 'hero' | 'screen'

const SIZES: Record<PlateSize, { plate: string; band: string; face: string }> = {
  small: { plate: 'h-8 rounded-sm', band: 'w-5 text-[0.5rem]', face: 'px-2 text-lg' },
  medium: { plate: 'h-11 rounded-sm', band: 'w-7 text-[0.625rem]', face: 'px-3 text-2xl' },
  // The larger ones are limited by the window, so that a plate fits a phone at twice the text size.
  large: {
    plate: 'h-[min(4rem,18vw)] rounded-md',
    band: 'w-[min(2.5rem,11vw)] text-sm',
    face: 'px-[min(1rem,5vw)] text-[min(2.25rem,10vw)]',
  },
  hero: {
    plate: 'h-[min(6rem,26vw)] rounded-md sm:h-[min(8rem,26vw)]',
    band: 'w-[min(3.5rem,15vw)] text-[min(1.125rem,5vw)] sm:w-[min(4.5rem,15vw)] sm:text-[min(1.5rem,5vw)]',
    face: 'px-[min(1.25rem,5vw)] text-[min(3.75rem,16vw)] sm:px-[min(1.75rem,5vw)] sm:text-[min(6rem,20vw)]',
  },
  // By the text around it.
  screen: { plate: 'h-[1.4em] rounded-md', band: 'w-[3em] text-[0.25em]', face: 'px-[0.3em]' },
}

const STARS = Array.from({ length: 12 }, (_, index) => {
  const angle = (index * Math.PI) / 6
  return {
    x: Number((12 + 8.4 * Math.sin(angle)).toFixed(2)),
    y: Number((12 - 8.4 * Math.cos(angle)).toFixed(2)),
  }
})

const BAND_LETTER = 'V'

interface PlateProps {
  children: ReactNode
  /** Read by screen readers instead of the figures. */
  label?: string
  size?: PlateSize
  flips?: boolean
  isVoid?: boolean
}

/** A ticket number as a European number plate. */
export function Plate(props: PlateProps): ReactNode {
  const { children, label, size = 'medium', flips = false, isVoid = false } = props
  const { plate, band, face } = SIZES[size]
  return (
    <span
      translate="no"
      className={classes(
        'inline-flex overflow-hidden border border-plate-ink/60 bg-plate-face plate-edge align-middle text-plate-ink select-all',
        plate,
        flips && 'animate-plate-flip',
        isVoid && 'opacity-60',
      )}
    >
      <span
        aria-hidden="true"
        className={classes(
          'flex shrink-0 flex-col items-center justify-evenly self-stretch bg-plate-blue leading-none font-bold text-white select-none',
          band,
        )}
      >
        <svg viewBox="0 0 24 24" className="w-[78%] fill-plate-star">
          {STARS.map(({ x, y }) => (
            <circle key={`${x} ${y}`} cx={x} cy={y} r="1.5" />
          ))}
        </svg>
        {BAND_LETTER}
      </span>
      <span
        aria-hidden={label ? true : undefined}
        className={classes(
          'flex items-center font-plate leading-none tracking-[0.06em] whitespace-nowrap tabular-nums plate-letters',
          face,
          isVoid && 'line-through',
        )}
      >
        {children}
      </span>
      {label && <span className="sr-only">{label}</span>}
    </span>
  )
}
