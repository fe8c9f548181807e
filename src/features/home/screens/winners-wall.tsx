import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { WinnerCard } from '#features/draws/screens/winner-card.tsx'
import type { Winner } from '#features/draws/winners.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Section } from './section.tsx'

/** The latest winners, as soon as there is one. */
export function WinnersWall({ winners }: { winners: readonly Winner[] }): ReactNode {
  const t = useTranslations('winners')
  if (winners.length === 0) return null
  return (
    <Section
      name="winners"
      title={t('title')}
      lead={t('lead')}
      ground="raised"
      action={
        <AppLink
          to={paths.winners()}
          className={buttonClasses('secondary', 'medium', { className: 'wrap-anywhere' })}
        >
          {t('all')}
          <ArrowRight aria-hidden="true" className="size-5" />
        </AppLink>
      }
    >
      <ul className="grid grid-cols-1 gap-5 md:grid-cols-2 lg:grid-cols-3" aria-label={t('title')}>
        {winners.map((won) => (
          <li key={won.contest.id}>
            <WinnerCard won={won} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
