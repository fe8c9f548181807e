import { type DefaultValues, type FieldValues, type Path, type Resolver, useForm } from 'react-hook-form'
import type { MessageKey } from '#i18n/keys.ts'
import { useTranslations } from '#i18n/translations.tsx'

/**
 * A form whose faults are message keys: checked when a field is left and when the form is sent, and an error goes away
 * as soon as its field is edited (spec section 5, "Field errors clear when that field is edited").
 */
export function useAccountForm<Values extends FieldValues>(
  defaultValues: DefaultValues<Values>,
  faultsOf: (values: Values) => Partial<Record<keyof Values, MessageKey>>,
) {
  const t = useTranslations()
  const resolver: Resolver<Values> = async (values) => {
    const faults = Object.entries(faultsOf(values)).map(([field, message]) => [
      field,
      { type: 'rule', message: t(message as MessageKey) },
    ])
    return faults.length === 0 ? { values, errors: {} } : { values: {}, errors: Object.fromEntries(faults) }
  }
  const form = useForm<Values>({ defaultValues, resolver, mode: 'onBlur', reValidateMode: 'onBlur' })

  return {
    ...form,
    /** Ties a control to the form. */
    control: (name: Path<Values>) => form.register(name, { onChange: () => form.clearErrors(name) }),
    /** The sentence below a field. */
    errorOf: (name: Path<Values>): string | undefined =>
      form.formState.errors[name]?.message as string | undefined,
  }
}
