import { type ReactNode, useId } from 'react'
import { CircleAlert } from 'lucide-react'

/** Ids that tie a control to its label, hint and error; spread `control` onto the control. */
interface FieldIds {
  control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }
}

interface FieldProps {
  label: string
  /** Why the field is asked for or what is expected. */
  hint?: ReactNode
  /** What is wrong; shown below the control and announced. */
  error?: string | undefined
  /** Text after the label, for example "optional". */
  mark?: string
  children: (ids: FieldIds['control']) => ReactNode
}

/** A form field: label above, then the control, then hint and error. */
export function Field({ label, hint, error, mark, children }: FieldProps): ReactNode {
  const id = useId()
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`]
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ') || undefined
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
        {mark && <span className="ml-1.5 font-normal text-muted">({mark})</span>}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <div id={hintId} className="text-sm text-muted">
          {hint}
        </div>
      )}
      <p id={errorId} aria-live="polite" className="flex items-start gap-1.5 text-sm text-error empty:hidden">
        {error && (
          <>
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            <span>{error}</span>
          </>
        )}
      </p>
    </div>
  )
}

/** Looks of every text-like control. */
export const controlClasses =
  'min-h-12 w-full rounded-md border border-line-strong bg-surface px-3.5 py-2.5 text-base text-ink placeholder:text-muted ' +
  'aria-invalid:border-error aria-invalid:bg-error-soft/40 disabled:bg-sunken disabled:text-muted'
