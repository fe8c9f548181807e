import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useHasEnded } from '#features/offers/screens/live-offers.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import type { PublicDraw } from '../public-draws.contract.ts'
import { DrawOutcome } from './draw-outcome.tsx'
import { StateBadge } from './draw-parts.tsx'
import { Notices, OwnTicket } from './draw-sections.tsx'
import { useLiveDraw } from './live-draw.ts'
import { RehearsalMarks } from './rehearsal-marks.tsx'
import { RunningDraw } from './running-draw.tsx'
import { WatchLate } from './watch-late.tsx'

/** How often the page asks around an awaited step. */
const NEAR_MS = 4_000

/** The public page of a contest. */
export function DrawPage({ draw: loaded }: { draw: PublicDraw }): ReactNode {
  const draw = useLiveDraw(loaded, NEAR_MS)
  const t = useTranslations('draws')
  const title = localized(draw.contest, 'title', useLanguage())
  const hasEnded = useHasEnded(draw.closes_at)
  // Stopped, a contest may sell again before its end.
  const isRunning = (draw.state === 'open' || draw.stopped) && !hasEnded && !draw.rehearsal
  return (
    <div className="relative">
      {draw.rehearsal && (
        <div className="page-width pt-6">
          <RehearsalMarks />
        </div>
      )}
      <article className="page-width @container grid grid-cols-1 gap-6 py-6">
        {!draw.rehearsal && <OwnTicket draw={draw} />}
        <AppLink
          to={paths.draws()}
          className="inline-flex min-h-11 w-fit items-center gap-2 text-sm underline-offset-4 hover:underline print:hidden"
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
          {t('all')}
        </AppLink>
        <header className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <h1 lang={title.language} tabIndex={-1} className="text-headline">
            {title.text}
          </h1>
          <StateBadge state={draw.state} />
          <p role="status" className="sr-only">
            {draw.state !== loaded.state && t(`states.${draw.state}`)}
          </p>
        </header>
        <Notices draw={draw} />
        {isRunning ? <RunningDraw draw={draw} /> : <DrawOutcome draw={draw} />}
        {!draw.rehearsal && draw.log && <WatchLate contest={draw.contest.slug} />}
      </article>
    </div>
  )
}
