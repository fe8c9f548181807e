import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { type Language, localized } from '#shared/languages.ts'
import { Badge, type Tone } from '#ui/badge.tsx'
import type { OfferState } from '../offer-states.rules.ts'
import type { ListedStaffOffer } from '../staff-offers.contract.ts'

const TONES: Record<OfferState, Tone> = {
  draft: 'neutral',
  scheduled: 'signal',
  open: 'success',
  closed: 'neutral',
  listed: 'signal',
  sealed: 'signal',
  drawn: 'success',
  awarded: 'neutral',
  cancelled: 'warning',
}

/** The state of a contest in words. */
export function OfferStateBadge({ state }: { state: OfferState }): ReactNode {
  return <Badge tone={TONES[state]}>{useTranslations('consoleContests.states')(state)}</Badge>
}

/** The title in the reader's language, else in any. */
export function titleOf(
  offer: Pick<ListedStaffOffer, 'title' | 'title_nl' | 'title_en'>,
  language: Language,
): string {
  return localized(offer, 'title', language).text || offer.title_nl || offer.title_en
}
