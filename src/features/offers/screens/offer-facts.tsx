import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { PROMISES } from '#shared/promises.ts'
import { Progress } from '#ui/progress.tsx'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { freeTickets, remainingTickets } from '#features/offers/offers.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Countdown } from './countdown.tsx'
import { OfferDraw } from './offer-draw.tsx'
import { ZonedTime } from './zoned-time.tsx'

/** Spec section 2, "Offer detail". @param drawAt null while no draw is published */
export function OfferFacts({ offer, drawAt }: { offer: OfferDetail; drawAt: string | null }): ReactNode {
  const t = useTranslations('offers.detail')
  const tContest = useTranslations('contest')
  const tCountdown = useTranslations('offers.countdown')
  const { tickets_sold: sold, total_tickets: total } = offer
  return (
    <section aria-label={t('facts')} className="grid grid-cols-1 gap-6">
      <dl className="grid grid-cols-1 gap-x-6 gap-y-5 @xs:grid-cols-2 @2xl:grid-cols-4">
        <Fact term={t('soldLabel')} wide>
          <span aria-hidden="true">{t('soldOf', { sold, total })}</span>
          <Progress value={sold} total={total} label={t('soldOf', { sold, total })} className="my-2" />
          {offer.is_active && <TicketsLeft offer={offer} />}
        </Fact>
        {!offer.stopped_as && (
          <Fact term={t('endLabel')}>
            <ZonedTime iso={offer.end_date} />
          </Fact>
        )}
        {offer.is_active && (
          <Fact term={tCountdown('label')}>
            <Countdown end={offer.end_date} />
          </Fact>
        )}
        <Fact term={t('winnerLabel')}>{t('winner')}</Fact>
        {offer.is_active && <Fact term={t('oddsLabel')}>{t('odds', { total })}</Fact>}
      </dl>
      <OfferDraw
        offer={offer}
        at={drawAt}
        page={{ to: paths.draw(offer.slug), text: tContest('publicPage') }}
      />
      {offer.is_active && (
        <div className="grid gap-1 text-sm text-muted">
          <p>
            {t.rich('postal', {
              rules: (text) => (
                <AppLink to={paths.freeEntry()} className="prose-link">
                  {text}
                </AppLink>
              ),
            })}
          </p>
          <p>{t('refund', PROMISES)}</p>
        </div>
      )}
    </section>
  )
}

const Fact = (props: { term: string; wide?: boolean; children: ReactNode }): ReactNode => (
  <div className={props.wide ? 'col-span-full' : undefined}>
    <dt className="text-sm text-muted">{props.term}</dt>
    <dd className="mt-0.5 font-medium">{props.children}</dd>
  </div>
)

function TicketsLeft({ offer }: { offer: OfferDetail }): ReactNode {
  const t = useTranslations('offers.detail')
  const left = remainingTickets(offer)
  const held = left - freeTickets(offer)
  return (
    <span className="text-sm font-normal text-muted tabular-nums">
      {t('left', { count: left })}
      {held > 0 && `, ${t('held', { count: held })}`}
    </span>
  )
}
