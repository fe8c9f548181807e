import type { MouseEvent, ReactNode } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { ChevronDown } from 'lucide-react'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countryName } from '#shared/countries.ts'
import {
  type DialCode,
  PHONE_COUNTRIES,
  countryTyped,
  findPhoneCountry,
  parsePhone,
  withoutDialCode,
} from '#shared/phone.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { classes, controlClasses } from '#ui/classes.ts'
import { Field } from '#ui/field.tsx'
import { PasswordInput, TextInput } from '#ui/inputs.tsx'

interface FormOf<Name extends string> {
  control: (name: Name) => UseFormRegisterReturn
  errorOf: (name: Name) => string | undefined
}

/** An error of the whole form, announced when it appears. */
export const FormBanner = ({ text }: { text: string | undefined }): ReactNode => (
  <div aria-live="assertive" className="empty:absolute">
    {text && <Alert tone="error">{text}</Alert>}
  </div>
)

/** 'Please correct errors before submitting' (spec section 5), with links when several fields are faulty. */
export function CorrectFirst(props: {
  formState: { isSubmitted: boolean; errors: Record<string, unknown> }
  labels: Record<string, string>
}): ReactNode {
  const t = useTranslations('formErrors')
  const { isSubmitted, errors } = props.formState
  const faults = Object.entries(props.labels).filter(([name]) => errors[name])
  if (!isSubmitted || Object.keys(errors).length === 0) return null
  return (
    <div className="grid gap-1 text-sm text-error">
      <p>{t('correctFirst')}</p>
      {faults.length > 1 && (
        <ul className="grid list-disc grid-cols-1 gap-1 pl-5">
          {faults.map(([name, label]) => (
            <li key={name}>
              <a
                href={`#${name}`}
                onClick={(event) => goToField(event, name)}
                className="inline-block py-1 underline underline-offset-4"
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function goToField(event: MouseEvent<HTMLAnchorElement>, name: string): void {
  event.preventDefault()
  const control = event.currentTarget.closest('form')?.elements.namedItem(name)
  if (control instanceof HTMLElement) control.focus()
}

interface EmailFieldProps {
  form: FormOf<'email'>
  hint?: string
  /** `username` where password managers fill in the login name. */
  autoComplete: 'username' | 'email'
}

export function EmailField({ form, hint, autoComplete }: EmailFieldProps): ReactNode {
  const t = useTranslations('accounts')
  return (
    <Field label={t('email')} hint={hint} error={form.errorOf('email')}>
      {(ids) => (
        <TextInput
          {...ids}
          {...form.control('email')}
          type="email"
          autoComplete={autoComplete}
          inputMode="email"
        />
      )}
    </Field>
  )
}

interface PasswordFieldProps<Name extends string> {
  form: FormOf<Name>
  name: Name
  label: string
  hint?: ReactNode
  autoComplete: 'current-password' | 'new-password'
}

export function PasswordField<Name extends string>(props: PasswordFieldProps<Name>): ReactNode {
  const { form, name, label, hint, autoComplete } = props
  const t = useTranslations('accounts')
  return (
    <Field label={label} hint={hint} error={form.errorOf(name)}>
      {(ids) => (
        <PasswordInput
          {...ids}
          {...form.control(name)}
          autoComplete={autoComplete}
          showText={t('showPassword')}
          hideText={t('hidePassword')}
        />
      )}
    </Field>
  )
}

interface PhoneFieldProps {
  form: FormOf<'dialCode' | 'phone'>
  dialCode: string
  /** A country was chosen, or typed with the number; the error for the former one is void. */
  onCountry: (dialCode: DialCode) => void
  optional?: boolean
}

/** The name of a country stands behind its code: the narrow control shows the code, its list both. */
const GAP = '\u2003\u2003'

/**
 * Country code and number (spec section 5, "Phone patterns") as one field. A number that is pasted or typed with its country
 * code sets the code and keeps the rest.
 */
export function PhoneField({ form, dialCode, onCountry, optional = false }: PhoneFieldProps): ReactNode {
  const t = useTranslations('accounts')
  const language = useLanguage()
  const country = form.control('dialCode')
  const number = form.control('phone')
  const error = form.errorOf('phone')
  return (
    <Field
      label={t('phone')}
      {...(optional && { mark: t('optional') })}
      hint={t('register.phoneHint')}
      error={error}
    >
      {(ids) => (
        <div className="flex">
          <span className="grid shrink-0 items-center">
            <select
              {...country}
              onChange={(event) => {
                void country.onChange(event)
                onCountry(event.target.value as DialCode)
              }}
              aria-label={t('dialCode')}
              autoComplete="tel-country-code"
              className={classes(
                'col-start-1 row-start-1 min-h-12 w-24 appearance-none rounded-l-md border bg-surface px-3 py-2.5 pr-10 text-base text-ink',
                error === undefined ? 'border-line-strong' : 'border-error',
              )}
            >
              {PHONE_COUNTRIES.map((one) => (
                <option key={one.dialCode} value={one.dialCode}>
                  {`${one.dialCode}${GAP}${countryName(one.country, language)}`}
                </option>
              ))}
            </select>
            <ChevronDown
              aria-hidden="true"
              className="pointer-events-none col-start-1 row-start-1 ml-auto size-10 p-3 text-muted"
            />
          </span>
          <input
            {...ids}
            {...number}
            onChange={(event) => {
              const typed = countryTyped(event.target.value)
              if (typed && typed.dialCode !== dialCode) onCountry(typed.dialCode)
              if (isFilledIn(event.nativeEvent)) keepNational(event.target)
              void number.onChange(event)
            }}
            onBlur={(event) => {
              keepNational(event.target)
              void number.onBlur(event)
            }}
            type="tel"
            inputMode="tel"
            autoComplete="tel-national"
            placeholder={findPhoneCountry(dialCode)?.example}
            className={classes(controlClasses, 'min-w-0 rounded-l-none border-l-0')}
          />
        </div>
      )}
    </Field>
  )
}

/** Pasted, or filled in by the browser: nobody types on at the caret. */
const isFilledIn = (event: Event): boolean =>
  !('inputType' in event) ||
  event.inputType === 'insertFromPaste' ||
  event.inputType === 'insertReplacementText'

/** Leaves out a country code, which the choice beside the number shows, once the number is whole. */
function keepNational(input: HTMLInputElement): void {
  if (parsePhone(input.value)) input.value = withoutDialCode(input.value)
}

/** Submits its form once, and shows `busyText` until that is done. */
export const SubmitButton = (props: { busy: boolean; busyText: string; children: ReactNode }): ReactNode => (
  <Button
    type="submit"
    onMouseDown={stayInField}
    size="large"
    wide
    busy={props.busy}
    busyText={props.busyText}
  >
    {props.children}
  </Button>
)

/** Keeps the focus in the field: leaving it would show its error, move the button away and lose the click. */
export const stayInField = (event: MouseEvent): void => event.preventDefault()
