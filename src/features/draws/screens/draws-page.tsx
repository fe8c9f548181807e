import { ShieldCheck } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { keepLook } from '#features/offers/screens/first-look.ts'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { Plate } from '#ui/plate.tsx'
import type { DrawPage, ListedDraw } from '../public-draws.contract.ts'
import { drawInstant, lastAttempt, winnerOf } from '../public-draws.rules.ts'
import { nextStep } from '../timeline.rules.ts'
import { NextStep, StateBadge } from './draw-parts.tsx'
import { ListFrame } from './list-frame.tsx'
import { useLiveDraws } from './live-draw.ts'
import { OtherVerifiers } from './other-verifiers.tsx'

type Section = 'coming' | 'drawn' | 'cancelled'

const sectionOf = (draw: ListedDraw): Section =>
  draw.state === 'cancelled' ? 'cancelled' : winnerOf(draw) === undefined ? 'coming' : 'drawn'

/** When the number that is waited for comes. */
const comesAt = (draw: ListedDraw): number => Date.parse(lastAttempt(draw)?.round_at ?? draw.draw_at ?? '')

interface LoadedDraws {
  page: DrawPage
  /** Of the call that made it. */
  query: string
  error?: string
}

/** All draws of the shop: what is to come by its instant, then results, then what was cancelled. */
export function DrawsPage({ page: loaded, query, error }: LoadedDraws): ReactNode {
  const t = useTranslations('draws')
  const { items, next } = useLiveDraws(loaded, query)
  const sections = (['coming', 'drawn', 'cancelled'] as const)
    .map((name) => ({ name, shown: items.filter((draw) => sectionOf(draw) === name) }))
    .filter(({ shown }) => shown.length > 0)
    .map(({ name, shown }) => ({
      name,
      shown: name === 'coming' ? shown.toSorted((one, other) => comesAt(one) - comesAt(other)) : shown,
    }))
  const first = sections[0]?.shown
  return (
    <ListFrame
      title={t('title')}
      lead={t('lead')}
      failed={error === undefined ? undefined : { title: t('error'), text: error }}
      empty={{
        illustration: <EmptyBay />,
        title: t('empty'),
        text: t('emptyText'),
        action: t('contests'),
      }}
      isEmpty={items.length === 0}
      more={next === null ? undefined : { to: paths.draws({ after: next }), text: t('more') }}
      below={<Register />}
    >
      {sections.length > 1 && (
        <nav aria-label={t('sections.label')} className="flex flex-wrap gap-2">
          {sections.map(({ name }) => (
            <a key={name} href={`#draws-${name}`} className={buttonClasses('secondary', 'small')}>
              {t(`sections.${name}`)}
            </a>
          ))}
        </nav>
      )}
      {sections.map(({ name, shown }) => (
        <section key={name} aria-labelledby={`draws-${name}`} className="grid grid-cols-1 gap-4">
          <h2 id={`draws-${name}`} tabIndex={-1} className="scroll-mt-24 text-title">
            {t(`sections.${name}`)}
          </h2>
          <ul className="grid grid-cols-1 gap-5 @xl:grid-cols-2 @4xl:grid-cols-3">
            {shown.map((draw, index) => (
              <li key={draw.contest.id}>
                <DrawCard draw={draw} isFirst={shown === first && index < 3} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </ListFrame>
  )
}

interface DrawCardProps {
  draw: ListedDraw
  /** Its picture is on the first screen. */
  isFirst: boolean
}

function DrawCard({ draw, isFirst }: DrawCardProps): ReactNode {
  const heading = useId()
  const { contest, state } = draw
  const title = localized(contest, 'title', useLanguage())
  const [picture] = shownPictures(contest)
  const winner = winnerOf(draw)
  return (
    <Card
      role="article"
      aria-labelledby={heading}
      className="relative grid h-full grid-cols-1 grid-rows-[auto_1fr] overflow-hidden"
    >
      <div className="aspect-[8/5] overflow-hidden bg-sunken">
        {picture && (
          <OfferPicture
            picture={picture}
            sizes="(min-width: 80rem) 24rem, (min-width: 46rem) 45vw, 92vw"
            loading={isFirst ? 'soon' : 'late'}
            alt=""
          />
        )}
      </div>
      <div className="grid min-w-0 grid-cols-1 grid-rows-[auto_1fr] content-start gap-4 p-5">
        <header className="grid grid-cols-1 justify-items-start gap-2">
          <StateBadge state={state} />
          <h3 id={heading} lang={title.language} className="text-lg leading-tight">
            <AppLink
              to={paths.draw(contest.slug)}
              onClick={({ currentTarget }) => keepLook(contest, currentTarget)}
              className="underline-offset-4 after:absolute after:inset-0 hover:underline"
            >
              {title.text}
            </AppLink>
          </h3>
        </header>
        {winner === undefined ? <Coming draw={draw} /> : <Won draw={draw} number={winner} />}
      </div>
    </Card>
  )
}

/** The next step, or why nothing comes. */
function Coming({ draw }: { draw: ListedDraw }): ReactNode {
  const t = useTranslations('draws')
  const { contest, cancelled, delay } = draw
  const step = nextStep(draw)
  const instant = drawInstant(draw)
  if (cancelled) return <p>{t(`cancelled.${cancelled.reason}`)}</p>
  return (
    <div className="grid grid-cols-1 content-end gap-4">
      {draw.stopped ? <p>{t('takePart.stopped')}</p> : step && <NextStep step={step} />}
      {!step && delay && <p>{t(`delays.${delay}`)}</p>}
      {/* On lines of their own, whatever font is there: nothing moves when the shop's own comes. */}
      <p className="grid justify-items-start text-sm text-muted">
        {instant !== null && step?.name !== 'draw' && step?.name !== 'alternate' && (
          <span>
            {t('facts.draw')} <ZonedTime iso={instant} />
          </span>
        )}
        <span>{t('soldOf', { sold: contest.tickets_sold, total: contest.total_tickets })}</span>
      </p>
    </div>
  )
}

/** The number, who has it, and the way to check both. */
function Won({ draw, number }: { draw: ListedDraw; number: number }): ReactNode {
  const t = useTranslations('draws')
  const drawn = lastAttempt(draw)?.drawn
  const padded = padTicketNumber(number, draw.contest.total_tickets)
  return (
    <div className="grid grid-cols-1 content-end justify-items-start gap-3">
      <Plate size="large" label={t('plate', { number: padded })}>
        {padded}
      </Plate>
      {drawn?.winner && (
        <p className="font-semibold">
          {t('result.name', { name: drawn.winner.first_name, place: drawn.winner.place })}
        </p>
      )}
      <p className="flex w-full flex-wrap items-center justify-between gap-x-6">
        {drawn && (
          <span className="text-sm text-muted">
            {t('facts.drawn')} <ZonedTime iso={drawn.at} />
          </span>
        )}
        <AppLink
          to={`${paths.draw(draw.contest.slug)}#verify`}
          aria-label={`${t('checkIt')} ${padded}`}
          className="prose-link relative inline-flex min-h-11 items-center gap-2"
        >
          <ShieldCheck aria-hidden="true" className="size-4 shrink-0" />
          {t('checkIt')}
        </AppLink>
      </p>
    </div>
  )
}

/** The log of all draws of the shop. */
function Register(): ReactNode {
  const t = useTranslations('draws.register')
  const file = (href: string) => (text: ReactNode) => (
    <a href={href} className="prose-link">
      {text}
    </a>
  )
  return (
    <section aria-labelledby="register" className="grid max-w-3xl grid-cols-1 gap-2">
      <h2 id="register" className="text-title">
        {t('title')}
      </h2>
      <p className="text-muted">
        {t.rich('text', { log: file('/draws/log.txt'), checkpoint: file('/draws/checkpoint') })}
      </p>
      <OtherVerifiers />
    </section>
  )
}
