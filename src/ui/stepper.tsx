import { Minus, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
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
    disabled,
    className,
  } = props
  /** The typed text; null while nobody types. */
  const [typed, setTyped] = useState<string | null>(null)
  const [clamped, setClamped] = useState(false)

  const commit = (wanted: number): void => {
    const whole = Number.isFinite(wanted) ? Math.trunc(wanted) : min
    const next = Math.min(Math.max(min, whole), Math.max(min, max))
    setClamped(next !== wanted)
    setTyped(null)
    if (next !== value) onChange(next)
  }
  const commitTyped = (): void => {
    if (typed !== null) commit(typed === '' ? value : Number(typed))
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
          onChange={(event) => setTyped(event.target.value.replace(/\D/g, '').slice(0, 7))}
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
        {clamped ? clampedText : null}
      </p>
    </div>
  )
}
