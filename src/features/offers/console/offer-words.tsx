import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import type { Language } from '#shared/languages.ts'
import { type TextFields, anyText } from '#shared/localized-text.ts'
import { fromFields } from '#shared/text-fields.ts'
import { Badge, type Tone } from '#ui/badge.tsx'
import type { OfferState } from '../offer-states.rules.ts'

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
export function titleOf(offer: TextFields<'title'>, language: Language): string {
  return anyText(fromFields('title', offer), language)
}
