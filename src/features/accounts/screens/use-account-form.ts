import { useRef } from 'react'
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type Resolver,
  type SubmitHandler,
  useForm,
} from 'react-hook-form'
import type { MessageKey } from '#i18n/keys.ts'
import { useTranslations } from '#i18n/translations.tsx'

/**
 * A form whose faults are message keys: checked when a field is left and when the form is sent, and an error goes away
 * as soon as its field is edited (spec section 5, "Field errors clear when that field is edited"). What the server has
 * said of a field stays until then, or until the form is sent again.
 */
export function useAccountForm<Values extends FieldValues>(
  defaultValues: DefaultValues<Values>,
  faultsOf: (values: Values) => Partial<Record<keyof Values, MessageKey>>,
) {
  const t = useTranslations()
  const told = useRef<Partial<Record<string, string>>>({})
  const resolver: Resolver<Values> = async (values) => {
    const faults = Object.entries(faultsOf(values)).map(([field, message]) => [
      field,
      { type: 'rule', message: t(message as MessageKey) },
    ])
    for (const [field, message = ''] of Object.entries(told.current))
      faults.push([field, { type: 'server', message }])
    return faults.length === 0 ? { values, errors: {} } : { values: {}, errors: Object.fromEntries(faults) }
  }
  const form = useForm<Values>({ defaultValues, resolver, mode: 'onBlur', reValidateMode: 'onBlur' })

  function clearErrors(name: Path<Values>): void {
    delete told.current[name]
    form.clearErrors(name)
  }

  return {
    ...form,
    clearErrors,
    handleSubmit: (onValid: SubmitHandler<Values>) => {
      const submit = form.handleSubmit(onValid)
      return (event?: Parameters<typeof submit>[0]) => {
        told.current = {}
        return submit(event)
      }
    },
    /** Shows what the server says of the fields, and leads to the first of them in the order of the form. */
    showRefusal(fields: Partial<Record<Path<Values>, string>>): void {
      told.current = fields
      const names = Object.keys(defaultValues) as Path<Values>[]
      for (const name of names.filter((one) => fields[one] !== undefined).toReversed())
        form.setError(name, { message: fields[name] ?? '' }, { shouldFocus: true })
    },
    /** Ties a control to the form. */
    control: (name: Path<Values>) => form.register(name, { onChange: () => clearErrors(name) }),
    /** The sentence below a field. */
    errorOf: (name: Path<Values>): string | undefined =>
      form.formState.errors[name]?.message as string | undefined,
  }
}
