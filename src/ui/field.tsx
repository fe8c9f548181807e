import { type ReactNode, useId } from 'react'
import { CircleAlert } from 'lucide-react'

/** Ids that tie a control to its label, hint and error; spread `control` onto the control. */
interface FieldIds {
  control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }
}

interface FieldProps {
  /** Of the control, for links that lead to it; one is made when left out. */
  id?: string
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
export function Field({ id: given, label, hint, error, mark, children }: FieldProps): ReactNode {
  const made = useId()
  const id = given ?? made
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`]
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ') || undefined
  return (
    <div className="grid grid-cols-1 content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-semibold wrap-anywhere">
        {label} {mark && <span className="font-normal text-muted">({mark})</span>}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <div id={hintId} className="text-sm text-muted">
          {hint}
        </div>
      )}
      <p
        id={errorId}
        aria-live="polite"
        className="flex items-start gap-1.5 text-sm text-error empty:absolute"
      >
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
