import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { buttonClasses } from '#ui/button.tsx'
import { Plate } from '#ui/plate.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { padTicketNumber } from '../offers.rules.ts'

/** Who has won a contest. */
export interface Outcome {
  number: number
  /** First name and place, with the winner's consent. */
  winner: { first_name: string; place: string } | null
}

/** The number that has won a contest, with the way to what proves it. */
export function OfferOutcome({
  slug,
  total,
  outcome: { number, winner },
}: {
  slug: string
  total: number
  outcome: Outcome
}): ReactNode {
  const t = useTranslations('contest.outcome')
  const padded = padTicketNumber(number, total)
  return (
    <section
      aria-labelledby="outcome"
      className="grid justify-items-center gap-4 rounded-lg bg-asphalt p-6 text-center text-paper sm:p-10"
    >
      <h2 id="outcome" className="text-title">
        {t('title')}
      </h2>
      <Plate size={padded.length > 5 ? 'large' : 'hero'} label={padded}>
        {padded}
      </Plate>
      {winner && <p className="text-lg">{t('name', { name: winner.first_name, place: winner.place })}</p>}
      <AppLink to={paths.draw(slug)} className={buttonClasses('inverse')}>
        {t('see')}
      </AppLink>
    </section>
  )
}
