import { type ReactNode, useId } from 'react'
import { CircleAlert } from 'lucide-react'

interface FieldIds {
  control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }
}

interface FieldProps {
  id?: string
  label: string
  hint?: ReactNode
  error?: string | undefined
  mark?: string
  children: (ids: FieldIds['control']) => ReactNode
}

/** Label, control, hint and error, linked by ids. */
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
