import { Minus, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { readWholeNumber } from '#shared/typed-text.ts'
import { classes } from './classes.ts'

interface StepperProps {
  value: number
  min?: number
  max: number
  /** Gets a whole number in min..max. */
  onChange: (value: number) => void
  label: string
  decreaseText: string
  increaseText: string
  /** Announced when a typed number was limited. */
  clampedText?: string
  /** Announced when something else than a whole number of at least `min` was typed; the quantity stays. */
  refusedText: string
  disabled?: boolean
  className?: string
}

/** A quantity with two buttons of at least 44 px. */
export function Stepper(props: StepperProps): ReactNode {
  const {
    value,
    min = 1,
    max,
    onChange,
    label,
    decreaseText,
    increaseText,
    clampedText,
    refusedText,
    disabled,
    className,
  } = props
  /** The typed text; null while nobody types. */
  const [typed, setTyped] = useState<string | null>(null)
  const [told, setTold] = useState<'clamped' | 'refused'>()

  const commit = (wanted: number): void => {
    const next = Math.min(Math.max(min, wanted), Math.max(min, max))
    setTold(next === wanted ? undefined : 'clamped')
    setTyped(null)
    if (next !== value) onChange(next)
  }
  const commitTyped = (): void => {
    if (typed === null) return
    const wanted = readWholeNumber(typed)
    if (wanted !== undefined && wanted >= min) return commit(wanted)
    setTold('refused')
    setTyped(null)
  }
  const button =
    'flex size-12 min-w-11 shrink items-center justify-center rounded-md hover:bg-sunken disabled:text-muted disabled:hover:bg-transparent'

  return (
    <div className={classes('inline-grid max-w-full grid-cols-[minmax(0,auto)] gap-1', className)}>
      <div
        role="group"
        aria-label={label}
        className="inline-flex max-w-full rounded-md border border-line-strong bg-surface"
      >
        <button
          type="button"
          aria-label={decreaseText}
          disabled={disabled || value <= min}
          onClick={() => commit(value - 1)}
          className={button}
        >
          <Minus aria-hidden="true" className="size-5" />
        </button>
        <input
          aria-label={label}
          inputMode="numeric"
          autoComplete="off"
          disabled={disabled}
          value={typed ?? String(value)}
          onChange={(event) => setTyped(event.target.value.slice(0, 20))}
          onBlur={commitTyped}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              commitTyped()
            }
            if (event.key === 'ArrowUp') commit(value + 1)
            if (event.key === 'ArrowDown') commit(value - 1)
          }}
          className="w-14 min-w-8 shrink bg-transparent text-center text-base font-semibold disabled:text-muted"
        />
        <button
          type="button"
          aria-label={increaseText}
          disabled={disabled || value >= max}
          onClick={() => commit(value + 1)}
          className={button}
        >
          <Plus aria-hidden="true" className="size-5" />
        </button>
      </div>
      <p role="status" className="text-sm text-muted empty:absolute">
        {told === 'clamped' && clampedText}
        {told === 'refused' && refusedText}
      </p>
    </div>
  )
}
