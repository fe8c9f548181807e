import { type ComponentPropsWithRef, type ReactNode, useEffect, useRef } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Field } from '#ui/field.tsx'
import { PasswordInput, TextArea, TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import type { Action } from './use-action.ts'

interface ActionFormProps {
  action: Pick<Action, 'fields'>
  onSend: () => unknown
  /** Whether browsers check its fields themselves. */
  isChecked?: boolean
  className: string
  children: ReactNode
}

/** A form with one action. After a refusal the first field that is wrong has the focus. */
export function ActionForm(props: ActionFormProps): ReactNode {
  const { action, onSend, isChecked = false, className, children } = props
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [action.fields])
  return (
    <form
      ref={form}
      noValidate={!isChecked}
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {children}
    </form>
  )
}

interface Labelled {
  label: string
  hint?: ReactNode
  /** What is wrong with it, below it. */
  error?: string | undefined
  /** Beside the label, such as "optional". */
  mark?: string | undefined
}

/** A line of text, a number or a day, as its `type` says. */
export const TextField = (props: Labelled & ComponentPropsWithRef<'input'>): ReactNode => {
  const { label, hint, error, mark, ...control } = props
  return (
    <Field id={props.id} label={label} hint={hint} error={error} mark={mark}>
      {(ids) => <TextInput {...control} {...ids} />}
    </Field>
  )
}

/** A password, which can be shown. */
export const PasswordField = (props: Labelled & ComponentPropsWithRef<'input'>): ReactNode => {
  const { label, hint, error, mark, ...control } = props
  const t = useTranslations('console.common')
  return (
    <Field id={props.id} label={label} hint={hint} error={error} mark={mark}>
      {(ids) => (
        <PasswordInput {...control} {...ids} showText={t('showPassword')} hideText={t('hidePassword')} />
      )}
    </Field>
  )
}

/** A text of several lines. */
export const TextAreaField = (props: Labelled & ComponentPropsWithRef<'textarea'>): ReactNode => {
  const { label, hint, error, mark, ...control } = props
  return (
    <Field id={props.id} label={label} hint={hint} error={error} mark={mark}>
      {(ids) => <TextArea {...control} {...ids} />}
    </Field>
  )
}

interface SelectFieldProps extends Labelled, ComponentPropsWithRef<'select'> {
  choices?: readonly (readonly [value: string | number, text: string])[]
}

/** One of several choices; options of another kind stand before them. */
export const SelectField = (props: SelectFieldProps): ReactNode => {
  const { label, hint, error, mark, choices = [], children, ...control } = props
  return (
    <Field id={props.id} label={label} hint={hint} error={error} mark={mark}>
      {(ids) => (
        <Select {...control} {...ids}>
          {children}
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** A reason or a note of at most 200 characters, which must be given unless it says otherwise. */
export function ReasonField(props: Partial<Labelled> & ComponentPropsWithRef<'input'>): ReactNode {
  const t = useTranslations('console.common')
  return <TextField label={t('reason')} maxLength={200} required {...props} />
}
