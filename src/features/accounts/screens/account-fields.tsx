import type { MouseEvent, ReactNode } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countryName } from '#shared/countries.ts'
import { type DialCode, PHONE_COUNTRIES, countryTyped, findPhoneCountry } from '#shared/phone.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { PasswordInput, TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'

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
        <ul className="grid list-disc gap-1 pl-5">
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

interface PhoneFieldsProps {
  form: FormOf<'dialCode' | 'phone'>
  dialCode: string
  /** A country was chosen, or typed with the number; the error for the former one is void. */
  onCountry: (dialCode: DialCode) => void
  optional?: boolean
}

/** Country code and number (spec section 5, "Phone patterns"). The country follows a code that is typed with the number. */
export function PhoneFields({ form, dialCode, onCountry, optional = false }: PhoneFieldsProps): ReactNode {
  const t = useTranslations('accounts')
  const language = useLanguage()
  const country = form.control('dialCode')
  const number = form.control('phone')
  return (
    <div className="@container">
      <div className="grid grid-cols-1 gap-x-3 gap-y-5 @md:grid-cols-[11rem_minmax(0,1fr)]">
        <Field label={t('dialCode')}>
          {(ids) => (
            <Select
              {...ids}
              {...country}
              onChange={(event) => {
                void country.onChange(event)
                onCountry(event.target.value as DialCode)
              }}
              autoComplete="tel-country-code"
            >
              {PHONE_COUNTRIES.map((one) => (
                <option key={one.dialCode} value={one.dialCode}>
                  {countryName(one.country, language)} {one.dialCode}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          label={t('phone')}
          {...(optional && { mark: t('optional') })}
          hint={t('register.phoneHint')}
          error={form.errorOf('phone')}
        >
          {(ids) => (
            <TextInput
              {...ids}
              {...number}
              onChange={(event) => {
                void number.onChange(event)
                const typed = countryTyped(event.target.value)
                if (typed && typed.dialCode !== dialCode) onCountry(typed.dialCode)
              }}
              type="tel"
              inputMode="tel"
              autoComplete="tel-national"
              placeholder={findPhoneCountry(dialCode)?.example}
            />
          )}
        </Field>
      </div>
    </div>
  )
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
