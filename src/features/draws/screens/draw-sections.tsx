import { CircleCheck, CircleDashed, CircleDot, CircleX } from 'lucide-react'
import { type ReactNode, Suspense, lazy } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { ServerPart } from '#client/server-part.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Paragraphs } from '#ui/paragraphs.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { type Step, publicSteps } from '../timeline.rules.ts'
import { DrawInstant, Fact } from './draw-parts.tsx'
import { useProofFragment } from './use-proof-fragment.ts'

/** What is late, and why there will be no draw. */
export function Notices({
  draw: { delay, cancelled, changes, draw_at, state },
}: {
  draw: PublicDraw
}): ReactNode {
  const t = useTranslations('draws')
  return (
    <>
      {cancelled && (
        <Alert tone="warning" title={t(`cancelled.${cancelled.reason}`)}>
          {cancelled.words !== '' && <p lang={DEFAULT_LANGUAGE}>{cancelled.words}</p>}
          <DrawInstant iso={cancelled.at} />
        </Alert>
      )}
      <div role="status" className="empty:absolute">
        {delay && (
          <Alert tone="warning" title={t('delays.title')}>
            {t(`delays.${delay}`)}
          </Alert>
        )}
      </div>
      {draw_at === null && state !== 'cancelled' && <Alert>{t('noDraw')}</Alert>}
      {changes.length > 0 && (
        <Alert>
          {t('changes.notice')}{' '}
          <a href="#changes" className="prose-link">
            {t('changes.see')}
          </a>
        </Alert>
      )}
    </>
  )
}

/**
 * Never better than what is true now: a void number only makes the odds of the others better. Without an entry to draw there
 * are none.
 */
export function Odds({ draw, isOpen }: { draw: PublicDraw; isOpen: boolean }): ReactNode {
  const t = useTranslations('draws')
  const { tickets_sold: sold, total_tickets: total } = draw.contest
  const valid = (draw.sealed ?? draw.provisional)?.valid
  if (draw.cancelled || (valid ?? (isOpen ? 1 : sold)) === 0) return null
  return (
    <Fact term={t('facts.odds')}>
      {draw.sealed
        ? t('odds.sealed', { valid: draw.sealed.valid })
        : isOpen
          ? t('odds.open', { total, now: sold + 1 })
          : t('odds.closed', { sold: valid ?? sold })}
    </Fact>
  )
}

const MARKS: Record<Step['state'], typeof CircleDot> = {
  done: CircleCheck,
  current: CircleDot,
  coming: CircleDashed,
  off: CircleX,
}

export function Timeline({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  return (
    <section aria-labelledby="steps" className="grid grid-cols-1 gap-4">
      <h2 id="steps" className="text-title">
        {t('steps.title')}
      </h2>
      <ol className="grid grid-cols-1 gap-4">
        {publicSteps(draw).map(({ name, at, state, atLatest }, index) => {
          const Mark = MARKS[state]
          const { opened, sealed, claimed } = draw.attested ?? {}
          const confirmed = { opened, seal: sealed, claim: claimed }[name as 'opened' | 'seal' | 'claim']
          const stamped = draw.stamped?.[name === 'seal' ? 'sealed' : (name as 'opened')]
          return (
            <li key={index} className="flex gap-3" aria-current={state === 'current' ? 'step' : undefined}>
              <Mark
                aria-hidden="true"
                className={`mt-1 size-5 shrink-0 ${state === 'done' ? 'text-success' : state === 'current' ? 'text-signal' : 'text-muted'}`}
              />
              <div className="grid min-w-0 grid-cols-1">
                <p className="font-semibold">
                  {t(`steps.${name}.name`)}
                  <span className="sr-only"> ({t(`steps.${state}`)})</span>
                </p>
                {at !== null && (
                  <p className="flex flex-wrap gap-x-2">
                    {atLatest && state !== 'done' && <span>{t('steps.atLatest')}</span>}
                    <DrawInstant iso={at} />
                  </p>
                )}
                {(name !== 'opened' || draw.log) && (
                  <p className="text-sm text-muted">{t(`steps.${name}.text`)}</p>
                )}
                {confirmed && (
                  <p className="flex flex-wrap gap-x-2 text-sm">
                    {t('steps.confirmed')} <DrawInstant iso={confirmed} />
                  </p>
                )}
                {stamped && (
                  <p className="flex flex-wrap gap-x-2 text-sm">
                    {t('steps.stamped')} <DrawInstant iso={stamped} />
                  </p>
                )}
                {name === 'objections' && state === 'current' && (
                  <AppLink
                    to={paths.contact()}
                    className="prose-link inline-flex min-h-11 w-fit items-center"
                  >
                    {t('steps.object')}
                  </AppLink>
                )}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

const DrawTicket = lazy(async () => ({ default: (await import('./draw-check.tsx')).DrawTicket }))

/** The ticket whose proof link opened the page: the first thing that the page says. */
export function OwnTicket({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.proof')
  const proof = useProofFragment()
  if (proof === undefined) return null
  return (
    <Suspense fallback={<p role="status">{t('loading')}</p>}>
      <DrawTicket draw={draw} proof={proof} />
    </Suspense>
  )
}

export function Description({ draw: { contest } }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const description = localized(contest, 'description', useLanguage())
  if (description.text.trim() === '') return null
  return (
    <section aria-labelledby="about" className="grid grid-cols-1 gap-3">
      <h2 id="about" className="text-title">
        {t('about')}
      </h2>
      <Paragraphs text={description.text} lang={description.language} />
    </section>
  )
}

/** Of the page that the server sends; few draws have any. */
const DrawChanges = import.meta.env.SSR
  ? (await import('./draw-changes.tsx')).DrawChanges
  : lazy(async () => ({ default: (await import('./draw-changes.tsx')).DrawChanges }))

/** What people have entered for, as it was before each change. Links lead to it before its code is there. */
export const Changes = ({ draw }: { draw: PublicDraw }): ReactNode =>
  draw.changes.length > 0 && (
    <div id="changes">
      <ServerPart>
        <DrawChanges draw={draw} />
      </ServerPart>
    </div>
  )
