import { type ReactNode, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import { useShell } from '#client/shell.ts'
import { CorrectFirst, FormBanner, SubmitButton } from '#features/accounts/screens/account-fields.tsx'
import { useAccountForm } from '#features/accounts/screens/use-account-form.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_PAYMENT_COUNTRY, findCountry } from '#shared/countries.ts'
import { Card } from '#ui/card.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { type Claim, ClaimForm, ConsentForm, faultsOf } from '../claims.contract.ts'

const consentsOf = ({ winner, picture }: Claim): ConsentForm => ({
  publish: winner !== null,
  first_name: winner?.first_name ?? '',
  place: winner?.place ?? '',
  picture,
})

function valuesOf(claim: Claim): ClaimForm {
  const { contact, suggested } = claim
  const known = contact ?? suggested ?? {}
  const [street = '', ...rest] = known.address ?? []
  return {
    name: known.name ?? '',
    street,
    extra: rest.join(', '),
    postcode: known.postcode ?? '',
    city: known.city ?? '',
    country: findCountry(known.country ?? '')?.code ?? DEFAULT_PAYMENT_COUNTRY,
    phone: known.phone ?? '',
    ...consentsOf(claim),
    is_adult: contact !== null,
    is_eligible: contact !== null,
  }
}

const TEXTS = [
  'name',
  'street',
  'extra',
  'postcode',
  'city',
  'country',
  'phone',
  'first_name',
  'place',
] as const
const AUTOCOMPLETE = {
  name: 'name',
  street: 'address-line1',
  extra: 'address-line2',
  postcode: 'postal-code',
  city: 'address-level2',
  phone: 'tel',
} as const

type SubmitOf<Values> = (values: Values) => Promise<void>

/** Sends a form once, and shows what the server refuses. */
function useSubmit<Values extends ClaimForm | ConsentForm>(
  form: ReturnType<typeof useAccountForm<Values>>,
  submit: SubmitOf<Values>,
) {
  const [banner, setBanner] = useState<string>()
  const onSubmit = form.handleSubmit(async (values) => {
    setBanner(undefined)
    try {
      await submit(values)
    } catch (error) {
      setBanner(form.showRefusal(failureOf(error, failureTexts())))
    }
  })
  return { banner, onSubmit }
}

/** Contact, declarations and consents, which a winner submits. */
export function ClaimFields({ claim, submit }: { claim: Claim; submit: SubmitOf<ClaimForm> }): ReactNode {
  const t = useTranslations('drawClaims')
  const { countries } = useShell()
  const form = useAccountForm<ClaimForm>(valuesOf(claim), (values) => faultsOf(ClaimForm, values))
  const { banner, onSubmit } = useSubmit(form, submit)
  const text = (name: keyof typeof AUTOCOMPLETE, more: { hint?: string; mark?: string } = {}): ReactNode => (
    <Field label={t(name)} error={form.errorOf(name)} {...more}>
      {(ids) => (
        <TextInput
          {...ids}
          {...form.control(name)}
          autoComplete={AUTOCOMPLETE[name]}
          {...(name === 'phone' && { type: 'tel', inputMode: 'tel' })}
        />
      )}
    </Field>
  )
  const declaration = (name: 'is_adult' | 'is_eligible', label: string): ReactNode => {
    const error = form.errorOf(name)
    return (
      <Checkbox
        label={label}
        checked={form.watch(name)}
        {...(error !== undefined && { hint: <span className="text-error">{error}</span> })}
        onChange={(checked) => {
          form.clearErrors(name)
          form.setValue(name, checked)
        }}
      />
    )
  }
  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void onSubmit(event)}
      className="grid grid-cols-1 gap-8"
    >
      <Part title={t('contact')}>
        {text('name', { hint: t('nameHint') })}
        {text('street')}
        {text('extra', { mark: t('optional') })}
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-[10rem_minmax(0,1fr)]">
          {text('postcode')}
          {text('city')}
        </div>
        <Field label={t('country')} error={form.errorOf('country')}>
          {(ids) => (
            <Select {...ids} {...form.control('country')} autoComplete="country">
              {countries.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {text('phone', { hint: t('phoneHint') })}
      </Part>
      <Part title={t('declarations')}>
        {declaration('is_adult', t('isAdult'))}
        {declaration('is_eligible', t('isEligible'))}
      </Part>
      <Consents form={form as unknown as ReturnType<typeof useAccountForm<ConsentForm>>} />
      <FormBanner text={banner} />
      <CorrectFirst
        formState={form.formState}
        labels={Object.fromEntries(
          TEXTS.map((name) => [name, t(name === 'first_name' ? 'firstName' : name)]),
        )}
      />
      <SubmitButton busy={form.formState.isSubmitting} busyText={t('saving')}>
        {t(claim.state === 'open' ? 'submit' : 'save')}
      </SubmitButton>
    </form>
  )
}

/** The consents alone, once the rest cannot change any more. */
export function ConsentFields({ claim, submit }: { claim: Claim; submit: SubmitOf<ConsentForm> }): ReactNode {
  const t = useTranslations('drawClaims')
  const form = useAccountForm<ConsentForm>(consentsOf(claim), (values) => faultsOf(ConsentForm, values))
  const { banner, onSubmit } = useSubmit(form, submit)
  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void onSubmit(event)}
      className="grid grid-cols-1 gap-6"
    >
      <Consents form={form} />
      <FormBanner text={banner} />
      <SubmitButton busy={form.formState.isSubmitting} busyText={t('saving')}>
        {t('saveConsents')}
      </SubmitButton>
    </form>
  )
}

function Consents({ form }: { form: ReturnType<typeof useAccountForm<ConsentForm>> }): ReactNode {
  const t = useTranslations('drawClaims')
  return (
    <Part title={t('consents')}>
      <p className="text-sm text-muted">{t('consentsText')}</p>
      <Checkbox
        label={t('publish')}
        checked={form.watch('publish')}
        onChange={(checked) => form.setValue('publish', checked)}
      />
      {form.watch('publish') && (
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          <Field label={t('firstName')} error={form.errorOf('first_name')}>
            {(ids) => <TextInput {...ids} {...form.control('first_name')} autoComplete="given-name" />}
          </Field>
          <Field label={t('place')} hint={t('placeHint')} error={form.errorOf('place')}>
            {(ids) => <TextInput {...ids} {...form.control('place')} autoComplete="off" />}
          </Field>
        </div>
      )}
      <Checkbox
        label={t('picture')}
        checked={form.watch('picture')}
        onChange={(checked) => form.setValue('picture', checked)}
      />
    </Part>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }): ReactNode => (
  <Card className="grid grid-cols-1 gap-5 p-4 sm:p-6">
    <h2 className="text-title">{title}</h2>
    {children}
  </Card>
)
