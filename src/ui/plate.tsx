import type { ReactNode } from 'react'
import { classes } from './classes.ts'

type PlateSize = 'small' | 'medium' | 'large' | 'hero'

const SIZES: Record<PlateSize, { plate: string; band: string; face: string }> = {
  small: { plate: 'h-8 rounded-sm', band: 'w-5 text-[0.5rem]', face: 'px-2 text-lg' },
  medium: { plate: 'h-11 rounded-sm', band: 'w-7 text-[0.625rem]', face: 'px-3 text-2xl' },
  large: { plate: 'h-16 rounded-md', band: 'w-10 text-sm', face: 'px-4 text-4xl' },
  // Bounded by the window, too: with text twice its size a plate still fits a phone.
  hero: {
    plate: 'h-[min(6rem,26vw)] rounded-md sm:h-[min(8rem,26vw)]',
    band: 'w-[min(3.5rem,15vw)] text-[min(1.125rem,5vw)] sm:w-[min(4.5rem,15vw)] sm:text-[min(1.5rem,5vw)]',
    face: 'px-[min(1.25rem,5vw)] text-[min(3.75rem,16vw)] sm:px-[min(1.75rem,5vw)] sm:text-[min(6rem,20vw)]',
  },
}

/** Twelve stars in a ring, as on the band of every European plate. */
const STARS = Array.from({ length: 12 }, (_, index) => {
  const angle = (index * Math.PI) / 6
  return {
    x: Number((12 + 8.4 * Math.sin(angle)).toFixed(2)),
    y: Number((12 - 8.4 * Math.cos(angle)).toFixed(2)),
  }
})

interface PlateProps {
  /** Figures and letters on the plate. */
  children: string
  /** What a screen reader says in place of the figures, for example "Ticket number 004211". */
  label?: string
  size?: PlateSize
  /** Letters in the band. */
  country?: string
  /** Plays the flip once: for a number that was issued just now. */
  flips?: boolean
  /** A number that no longer counts. */
  isVoid?: boolean
  className?: string
}

/** The motif of the house: a ticket number as a European number plate. */
export function Plate(props: PlateProps): ReactNode {
  const { children, label, size = 'medium', country = 'V', flips = false, isVoid = false, className } = props
  const { plate, band, face } = SIZES[size]
  return (
    <span
      className={classes(
        'inline-flex overflow-hidden border border-plate-ink/60 bg-plate-face align-middle text-plate-ink select-all',
        'shadow-[inset_0_0_0_1px_rgb(255_255_255/0.8),inset_0_-1px_2px_rgb(0_0_0/0.2)]',
        plate,
        flips && 'animate-plate-flip',
        isVoid && 'opacity-60',
        className,
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
        {country}
      </span>
      <span
        aria-hidden={label ? true : undefined}
        className={classes(
          'flex items-center font-plate leading-none tracking-[0.06em] whitespace-nowrap tabular-nums',
          '[text-shadow:0_1px_0_rgb(255_255_255/0.9),0_-0.5px_0_rgb(0_0_0/0.35)]',
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
