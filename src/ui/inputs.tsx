import { type ComponentPropsWithRef, type ReactNode, useState } from 'react'
import { Eye, EyeOff } from 'lucide-react'
import { classes, controlClasses } from './classes.ts'

/** Needs the ids of its Field. */
export const TextInput = (props: ComponentPropsWithRef<'input'>): ReactNode => (
  <input {...props} className={controlClasses} />
)

/** Needs the ids of its Field. */
export const TextArea = (props: ComponentPropsWithRef<'textarea'>): ReactNode => (
  <textarea {...props} className={classes(controlClasses, 'min-h-40 resize-y')} />
)

interface PasswordInputProps extends Omit<ComponentPropsWithRef<'input'>, 'type'> {
  showText: string
  hideText: string
}

/** A password control with a button that shows the text. */
export function PasswordInput({ showText, hideText, ...props }: PasswordInputProps): ReactNode {
  const [shown, setShown] = useState(false)
  const text = shown ? hideText : showText
  return (
    <div className="relative">
      <input
        {...props}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        className={classes(controlClasses, 'pr-13')}
      />
      <button
        type="button"
        aria-pressed={shown}
        aria-label={showText}
        title={text}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0.5 my-auto flex size-11 items-center justify-center rounded-md text-muted hover:text-ink"
      >
        {shown ? (
          <EyeOff aria-hidden="true" className="size-5" />
        ) : (
          <Eye aria-hidden="true" className="size-5" />
        )}
      </button>
    </div>
  )
}
