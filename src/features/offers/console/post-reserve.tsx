import type { ReactNode } from 'react'
import { formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Facts, Section } from '#console-kit/parts.tsx'
import { postalReserve } from '../offer-drafts.rules.ts'
import { isPublished } from '../offer-states.rules.ts'
import type { OfferDraft, StaffOffer } from '../staff-offers.contract.ts'

/** The numbers that the contest keeps for entries by post: those that it will keep, and once it is published what is left. */
export function PostReserve({ offer, draft }: { offer: StaffOffer; draft: OfferDraft }): ReactNode {
  const t = useTranslations('consoleContests.reserve')
  const language = useLanguage()
  const isFrozen = isPublished(offer.state)
  const { kept, used } = offer.postal_reserve
  const { postal_reserve_percent: percent, total_tickets: total } = isFrozen ? offer.draft : draft
  const numbers = isFrozen ? kept : postalReserve(total, percent)
  return (
    <Section title={t('title')}>
      <p className="text-sm text-muted">{t(isFrozen ? 'frozen' : 'willFreeze')}</p>
      <Facts
        facts={[
          [t('share'), formatPercent(percent ?? 0, language)],
          [t('numbers'), new Intl.NumberFormat(language).format(numbers)],
          ...(isFrozen
            ? [
                [t('used'), new Intl.NumberFormat(language).format(used)] as const,
                [t('left'), new Intl.NumberFormat(language).format(kept - used)] as const,
              ]
            : []),
        ]}
      />
    </Section>
  )
}
