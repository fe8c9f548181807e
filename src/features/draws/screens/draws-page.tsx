import { ArrowRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { LoadError } from '#features/offers/screens/load-error.tsx'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Plate } from '#ui/plate.tsx'
import type { DrawPage, ListedDraw, PublicState } from '../public-draws.contract.ts'
import { drawInstant, winnerOf } from '../public-draws.rules.ts'
import { DrawInstant, Fact, Hash, StateBadge } from './draw-parts.tsx'
import { useLiveDraws } from './live-draw.ts'
import { OtherVerifiers } from './other-verifiers.tsx'

const SECTIONS: Record<'coming' | 'sealed' | 'drawn' | 'cancelled', readonly PublicState[]> = {
  sealed: ['sealed'],
  coming: ['open', 'closed', 'listed'],
  drawn: ['drawn', 'awarded'],
  cancelled: ['cancelled'],
}

export interface LoadedDraws {
  page: DrawPage
  /** Of the call that made it. */
  query: string
  error?: string
}

/** All draws of the shop: to come, sealed, drawn and cancelled. */
export function DrawsPage({ page: loaded, query, error }: LoadedDraws): ReactNode {
  const t = useTranslations('draws')
  const { items, next } = useLiveDraws(loaded, query)
  return (
    <div className="page-width @container grid grid-cols-1 gap-8 py-8 sm:gap-10 sm:py-12">
      <PageHeader title={t('title')} lead={t('lead')} />
      {error !== undefined && <LoadError title={t('error')} text={error} />}
      {error === undefined && items.length === 0 && (
        <EmptyState
          illustration={<EmptyBay />}
          title={t('empty')}
          text={t('emptyText')}
          action={
            <AppLink to={paths.offers()} className={buttonClasses()}>
              {t('contests')}
            </AppLink>
          }
        />
      )}
      {Object.entries(SECTIONS).map(([name, states]) => {
        const shown = items.filter(({ state }) => states.includes(state))
        if (shown.length === 0) return null
        return (
          <section key={name} aria-labelledby={`draws-${name}`} className="grid grid-cols-1 gap-4">
            <h2 id={`draws-${name}`} className="text-title">
              {t(`sections.${name as keyof typeof SECTIONS}`)}
            </h2>
            <ul className="grid grid-cols-1 gap-4">
              {shown.map((draw) => (
                <li key={draw.contest.id}>
                  <DrawCard draw={draw} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      {next !== null && (
        <AppLink
          to={paths.draws({ after: next })}
          className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}
        >
          {t('more')}
          <ArrowRight aria-hidden="true" className="size-5" />
        </AppLink>
      )}
      <Register />
    </div>
  )
}

function DrawCard({ draw }: { draw: ListedDraw }): ReactNode {
  const t = useTranslations('draws')
  const heading = useId()
  const { contest, state, sealed, provisional, terms, cancelled } = draw
  const title = localized(contest, 'title', useLanguage())
  const [picture] = shownPictures(contest)
  const instant = drawInstant(draw)
  const winner = winnerOf(draw)
  const list = sealed ?? provisional
  return (
    <Card role="article" aria-labelledby={heading} className="@container overflow-hidden p-5 sm:p-6">
      <div className="grid grid-cols-1 gap-x-6 gap-y-4 @md:grid-cols-[11rem_minmax(0,1fr)]">
        <div className="aspect-[8/5] self-start overflow-hidden rounded-md bg-sunken">
          {picture && <OfferPicture picture={picture} sizes="(min-width: 40rem) 11rem, 92vw" alt="" />}
        </div>
        <div className="grid min-w-0 grid-cols-1 content-start gap-4">
          <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
            <h3 id={heading} lang={title.language} className="text-lg leading-tight">
              <AppLink
                to={paths.draw(contest.slug)}
                className="inline-block underline-offset-4 hover:underline"
              >
                {title.text}
              </AppLink>
            </h3>
            <StateBadge state={state} />
          </header>
          <dl className="grid grid-cols-1 gap-x-6 gap-y-3 @2xl:grid-cols-2">
            {instant !== null && (
              <Fact term={t(winner === undefined ? 'facts.draw' : 'facts.drawn')}>
                <DrawInstant iso={instant} />
              </Fact>
            )}
            {winner !== undefined && (
              <Fact term={t('facts.winner')}>
                <Plate
                  size="small"
                  label={t('plate', { number: padTicketNumber(winner, contest.total_tickets) })}
                >
                  {padTicketNumber(winner, contest.total_tickets)}
                </Plate>
              </Fact>
            )}
            {cancelled && <Fact term={t('facts.cancelled')}>{t(`cancelled.${cancelled.reason}`)}</Fact>}
            <Fact term={t('facts.entries')}>
              {list
                ? t('counts', { paid: list.paid, postal: list.postal, demo: list.demo, valid: list.valid })
                : t('soldOf', { sold: contest.tickets_sold, total: contest.total_tickets })}
            </Fact>
            {list && (
              <Fact term={t(sealed ? 'facts.sealedList' : 'facts.provisionalList')}>
                <Hash
                  short
                  value={list.hash}
                  label={t(sealed ? 'facts.sealedList' : 'facts.provisionalList')}
                />
              </Fact>
            )}
            {!list && terms && (
              <Fact term={t('facts.terms')}>
                <Hash short value={terms.hash} label={t('facts.terms')} />
              </Fact>
            )}
          </dl>
        </div>
      </div>
    </Card>
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
