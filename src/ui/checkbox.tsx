import { type ReactNode, useId } from 'react'
import { classes } from './classes.ts'

interface CheckboxProps {
  label: ReactNode
  /** Read out with the label. */
  hint?: ReactNode
  isStrong?: boolean
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A box with its label, which is part of the target, and a hint below. */
export function Checkbox({ label, hint, isStrong = false, checked, onChange }: CheckboxProps): ReactNode {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label className={classes('flex min-h-11 items-start gap-3 py-2', isStrong && 'font-semibold')}>
        <input
          type="checkbox"
          className="mt-0.5 size-5 shrink-0"
          aria-describedby={hint === undefined ? undefined : id}
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      {hint !== undefined && (
        <p id={id} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}
