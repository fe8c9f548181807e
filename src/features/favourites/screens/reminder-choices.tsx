import type { ReactNode } from 'react'
import { serverNow } from '#client/server-clock.ts'
import { useAppSelector } from '#client/state.ts'
import type { PartOffer } from '#features/offers/screens/contest-parts.tsx'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import {
  CLOSING_BEFORE_MS,
  DRAW_BEFORE_MS,
  REMINDER_KINDS,
  type ReminderKind,
  remindersPossible,
} from '../favourites.rules.ts'
import { kept, useKept } from './use-kept.ts'

/** Those that can be asked for, or were. */
export function remindersShown(offer: PartOffer, wanted: readonly ReminderKind[]): ReminderKind[] {
  const possible = remindersPossible(offer, serverNow())
  return REMINDER_KINDS.filter((kind) => possible.includes(kind) || wanted.includes(kind))
}

/** When a reminder comes; null for the result, which comes when it is there. */
function instantOf(kind: ReminderKind, { end_date, draw_at }: PartOffer): string | null {
  if (kind === 'closing') return new Date(Date.parse(end_date) - CLOSING_BEFORE_MS).toISOString()
  if (kind === 'draw' && draw_at !== null) return new Date(Date.parse(draw_at) - DRAW_BEFORE_MS).toISOString()
  return null
}

/** The reminders of one contest, each kept as soon as it is chosen. */
export function ReminderChoices({ offer, legend }: { offer: PartOffer; legend: ReactNode }): ReactNode {
  const t = useTranslations('favourites.remind')
  const wanted = useKept(offer.id)?.reminders ?? []
  const shown = remindersShown(offer, wanted)
  if (shown.length === 0) return null
  return (
    <fieldset className="grid gap-1">
      <legend className="contents">{legend}</legend>
      {shown.map((kind) => {
        const at = instantOf(kind, offer)
        const others = wanted.filter((one) => one !== kind)
        return (
          <Checkbox
            key={kind}
            label={
              <span>
                {t(kind)}
                {at !== null && (
                  <span className="block text-sm text-muted">
                    <ZonedTime iso={at} />
                  </span>
                )}
              </span>
            }
            checked={wanted.includes(kind)}
            onChange={(isWanted) =>
              void kept().change(offer.id, { reminders: isWanted ? [...others, kind] : others })
            }
          />
        )
      })}
    </fieldset>
  )
}

/** To which address reminders go. */
export function ReminderAddress(): ReactNode {
  const t = useTranslations('favourites.remind')
  const email = useAppSelector(({ user }) => user.user?.email)
  return email === undefined
    ? t('toAccount')
    : t.rich('to', { email, address: (text) => <strong translate="no">{text}</strong> })
}
