import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'
import { ApiError } from '#client/api-error.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES } from '#shared/languages.ts'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { ActionForm, TextField } from '#console-kit/fields.tsx'
import { Fault, Screen, Section } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import { slugOf } from '../offer-drafts.rules.ts'
import type { ChangeOfferBody, OfferDraft, StaffOffer } from '../staff-offers.contract.ts'
import { fieldIn } from '#shared/localized-text.ts'
import { forFields } from '#shared/text-fields.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

const OFFERS = '/api/staff/offers/'

const change = (offer: StaffOffer, values: Partial<OfferDraft>): Promise<StaffOffer> => {
  const body: ChangeOfferBody = { ...offer.draft, ...values, version: offer.version }
  return consoleCall('PUT', `${OFFERS}${offer.id}/`, { body })
}

/** Begins a contest with its title; the rest follows in its editor. */
export function Component(): ReactNode {
  const t = useTranslations('consoleContests')
  const languageOf = useLanguageName()
  const common = useTranslations('console.common')
  const navigate = useNavigate()
  const form = useFields(forFields('title', () => ''))
  const titles = form.values
  /** Kept between attempts, so that a failure in the middle makes no second draft. */
  const [begun, setBegun] = useState<StaffOffer>()
  const [isMissing, setMissing] = useState(false)

  const create = async (): Promise<void> => {
    const hasTitle = titles.title.trim() !== ''
    setMissing(!hasTitle)
    if (!hasTitle) return form.focus('title')
    let id: number | undefined
    const isDone = await form.run(async () => {
      const offer = begun ?? (await consoleCall<StaffOffer>('POST', OFFERS, { body: {} }))
      setBegun(offer)
      try {
        await change(offer, { ...titles, slug: slugOf(titles.title) })
      } catch (error) {
        // The address of another contest: its editor asks for one.
        if (!(error instanceof ApiError) || error.fields?.['slug'] === undefined) throw error
        await change(offer, titles)
      }
      id = offer.id
    })
    if (!isDone || id === undefined) return
    toast.success(t('create.done'))
    await navigate(`/offers/${id}`, { replace: true })
  }

  return (
    <Screen title={t('create.title')} lead={t('create.lead')}>
      <ActionForm action={form} className="grid max-w-2xl grid-cols-1" onSend={create}>
        <Section title={t('fields.title')}>
          {LANGUAGES.map((language) => {
            const field = fieldIn('title', language)
            return (
              <TextField
                key={language}
                label={t('named', { field: t('fields.title'), language: languageOf(language) })}
                {...(language !== 'fr' && { mark: t('create.later') })}
                lang={language}
                maxLength={120}
                required={language === 'fr'}
                {...form.field(field)}
                {...(isMissing && language === 'fr' && { error: common('required') })}
              />
            )
          })}
          <Fault error={form.error} />
          <Button type="submit" className="justify-self-start max-sm:w-full" busy={form.isBusy}>
            {t('create.submit')}
          </Button>
        </Section>
      </ActionForm>
    </Screen>
  )
}
