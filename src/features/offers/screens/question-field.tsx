import { type ReactNode, useId } from 'react'
import { Select } from '#ui/select.tsx'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_LANGUAGE, localized } from '#shared/languages.ts'
import type { Purchase } from './use-purchase.ts'

/** The element the buy bar's "answer the question" leads to. */
export const QUESTION_ID = 'offer-question'

/** The offer's question in the current language, with its choices in a native select. */
export function QuestionField({ offer, purchase }: { offer: OfferDetail; purchase: Purchase }): ReactNode {
  const t = useTranslations('offers.buy')
  const language = useLanguage()
  const message = useId()
  const { question } = offer
  if (question === null) return null
  const asked = localized(
    { question, question_nl: offer.question_nl, question_en: offer.question_en },
    'question',
    language,
  )
  const wrong = purchase.obstacle === 'answerWrong'

  return (
    <div className="grid gap-1.5">
      <label htmlFor={QUESTION_ID} className="font-semibold" lang={asked.language}>
        {asked.text}
      </label>
      <Select
        id={QUESTION_ID}
        value={purchase.answer}
        onChange={(event) => purchase.choose(event.target.value)}
        aria-invalid={wrong || undefined}
        aria-describedby={message}
        className="scroll-mt-24"
      >
        <option value="">{t('choose')}</option>
        {offer.choices.map((choice) => (
          // The choices exist in one language only (spec section 3, Offer).
          <option key={choice} lang={DEFAULT_LANGUAGE}>
            {choice}
          </option>
        ))}
      </Select>
      <p
        id={message}
        role="status"
        className={`text-sm ${wrong ? 'font-medium text-error' : purchase.knownRight ? 'text-success' : 'text-muted'}`}
      >
        {wrong
          ? t('wrongAnswer')
          : purchase.knownRight
            ? t('rightAnswer')
            : purchase.answer === ''
              ? t('answerFirst')
              : ''}
      </p>
    </div>
  )
}
