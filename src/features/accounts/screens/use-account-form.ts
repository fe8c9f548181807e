import { useRef } from 'react'
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type Resolver,
  type SubmitHandler,
  useForm,
} from 'react-hook-form'
import type { ApiFailure } from '#client/api-error.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { useTranslations } from '#i18n/translations.tsx'

/**
 * A form with message keys as faults, checked on blur and submit. Editing clears a field's error (spec section 5).
 * @param mode `onSubmit` for a dialog, which people leave without typing
 */
export function useAccountForm<Values extends FieldValues>(
  defaultValues: DefaultValues<Values>,
  faultsOf: (values: Values) => Partial<Record<keyof Values, MessageKey>>,
  mode: 'onBlur' | 'onSubmit' = 'onBlur',
) {
  const t = useTranslations()
  const serverMessages = useRef<Partial<Record<string, string>>>({})
  const resolver: Resolver<Values> = async (values) => {
    const faults = Object.entries(faultsOf(values)).map(([field, message]) => [
      field,
      { type: 'rule', message: t(message as MessageKey) },
    ])
    for (const [field, message = ''] of Object.entries(serverMessages.current))
      faults.push([field, { type: 'server', message }])
    return faults.length === 0 ? { values, errors: {} } : { values: {}, errors: Object.fromEntries(faults) }
  }
  const form = useForm<Values>({ defaultValues, resolver, mode, reValidateMode: mode })

  function clearErrors(name: Path<Values>): void {
    delete serverMessages.current[name]
    form.clearErrors(name)
  }

  return {
    ...form,
    clearErrors,
    handleSubmit: (onValid: SubmitHandler<Values>) => {
      const submit = form.handleSubmit(onValid)
      return (event?: Parameters<typeof submit>[0]) => {
        serverMessages.current = {}
        return submit(event)
      }
    },
    /** Shows the server's messages and focuses the first faulty field. @returns the banner */
    showRefusal(
      refusal: ApiFailure,
      rename: Readonly<Record<string, Path<Values>>> = {},
    ): string | undefined {
      const names = Object.keys(defaultValues) as Path<Values>[]
      const { fields, banner } = readFormFailure(refusal, names, rename)
      serverMessages.current = fields
      for (const name of names.filter((one) => fields[one] !== undefined).toReversed())
        form.setError(name, { message: fields[name] ?? '' }, { shouldFocus: true })
      return banner
    },
    control: (name: Path<Values>) => form.register(name, { onChange: () => clearErrors(name) }),
    errorOf: (name: Path<Values>): string | undefined =>
      form.formState.errors[name]?.message as string | undefined,
  }
}

/**
 * The messages of a refused form (spec section 8): by field, and a banner for fields that are not `shown`.
 * @param rename fields whose messages belong below another one
 */
export function readFormFailure<Field extends string>(
  failure: ApiFailure,
  shown: readonly Field[],
  rename: Readonly<Record<string, Field>> = {},
): { fields: Partial<Record<Field, string>>; banner?: string } {
  const fields: Partial<Record<Field, string>> = {}
  let banner: string | undefined
  for (const [name, message] of Object.entries(failure.fields ?? {})) {
    const field = rename[name] ?? shown.find((one) => one === name)
    if (field === undefined) banner ??= message
    else fields[field] ??= message
  }
  if (banner === undefined && Object.keys(fields).length === 0) banner = failure.message
  return { fields, ...(banner !== undefined && { banner }) }
}
