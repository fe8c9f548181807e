import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { Progress } from '#ui/progress.tsx'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { freeTickets, remainingTickets } from '#features/offers/offers.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { PROMISES } from '#shared/promises.ts'
import { Countdown } from './countdown.tsx'
import { ZonedTime } from './zoned-time.tsx'

/** Spec section 2, "Offer detail". */
export function OfferFacts({ offer }: { offer: OfferDetail }): ReactNode {
  const t = useTranslations('offers.detail')
  const tCountdown = useTranslations('offers.countdown')
  const { tickets_sold: sold, total_tickets: total } = offer
  return (
    <section aria-label={t('facts')}>
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
        <Fact term={t('drawLabel')} wide>
          <DrawNotice refunds={offer.is_active} />
        </Fact>
      </dl>
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

function DrawNotice({ refunds }: { refunds: boolean }): ReactNode {
  const t = useTranslations('offers.detail')
  const { videoUrl, socialUrl } = useSettings()
  const link = (to: string) => (text: ReactNode) => (
    <AppLink to={to} className="prose-link">
      {text}
      <span className="sr-only"> {t('newTab')}</span>
    </AppLink>
  )
  return (
    <>
      <p>{t.rich('draw', { video: link(videoUrl), social: link(socialUrl) })}</p>
      <p className="mt-1 text-sm font-normal text-muted">
        {t.rich('postal', {
          rules: (text) => (
            <AppLink to={paths.terms()} className="prose-link">
              {text}
            </AppLink>
          ),
        })}
      </p>
      {refunds && <p className="mt-1 text-sm font-normal text-muted">{t('refund', PROMISES)}</p>}
    </>
  )
}
