import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useIsAuthenticated } from '#client/state.ts'
import { remainingTickets, whyNotBuyable } from '#features/offers/offers.rules.ts'
import { ContestPart } from '#features/offers/screens/contest-parts.tsx'
import { useEnding } from '#features/offers/screens/live-offers.ts'
import { OfferDraw } from '#features/offers/screens/offer-draw.tsx'
import { OfferGallery, PICTURE_COLUMNS } from '#features/offers/screens/offer-gallery.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { PriceCountry, PricePair } from '#features/offers/screens/price-pair.tsx'
import { PrizeFigures } from '#features/offers/screens/prize-figures.tsx'
import { RelatedOffers } from '#features/offers/screens/related-offers.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { drawInstant } from '../public-draws.rules.ts'
import { nextStep } from '../timeline.rules.ts'
import { Clock, DrawInstant, Fact } from './draw-parts.tsx'
import { FoldedProofs } from './draw-proofs.tsx'
import { Changes, Description, Timeline } from './draw-sections.tsx'

/** The public page of a contest before its end: the prize, what taking part costs, and its odds. */
export function RunningDraw({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const { contest } = draw
  const title = localized(contest, 'title', useLanguage()).text
  return (
    <>
      <div className={PICTURE_COLUMNS}>
        <OfferGallery
          pictures={shownPictures(contest)}
          title={title}
          corner={<ContestPart name="Heart" offer={contest} />}
        />
        <div className="@4xl:sticky @4xl:top-20 @4xl:row-span-2">
          <TakePart draw={draw} />
        </div>
        <div className="grid grid-cols-1 gap-8">
          <PrizeFigures prize={contest.prize} />
          <OfferDraw
            offer={contest}
            at={drawInstant(draw)}
            page={{ to: paths.liveDraw(contest.slug), text: t('proof.live') }}
          />
          <Description draw={draw} />
          <Timeline draw={draw} />
          <Changes draw={draw} />
          <FoldedProofs draw={draw} />
        </div>
      </div>
      <RelatedOffers offerId={contest.id} />
    </>
  )
}

/** Price, odds and what is left, and the way to the guarded page where the question is asked. */
function TakePart({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const tOffers = useTranslations('offers')
  const contest = useEnding(draw.contest)
  const signedIn = useIsAuthenticated()
  const closed = whyNotBuyable(contest)
  const reason = draw.stopped ? 'stopped' : closed
  const step = nextStep(draw)
  const { slug, tickets_sold: sold, total_tickets: total } = contest
  const details = paths.offer(slug)
  const words = t('soldOf', { sold, total })
  return (
    <Card role="region" aria-label={t('takePart.label')} className="grid grid-cols-1 gap-4 p-4 sm:p-5">
      <div>
        <p className="sr-only">{tOffers('price.ticket')}</p>
        <PricePair ticketPrice={contest.ticket_price} />
      </div>
      {reason ? (
        <p className="font-semibold">{t(`takePart.${reason}`)}</p>
      ) : (
        <AppLink
          to={signedIn ? details : paths.login({ next: details })}
          className={buttonClasses('primary', 'large', { wide: true })}
        >
          {t('takePart.action')}
        </AppLink>
      )}
      <p className="text-sm text-muted">
        {tOffers.rich('detail.postal', {
          rules: (text) => (
            <AppLink to={paths.freeEntry()} className="prose-link">
              {text}
            </AppLink>
          ),
        })}
      </p>
      {step && (
        <div className="grid gap-1 border-t border-line pt-4">
          <p className="text-sm text-muted">{t(`next.${step.name}`)}</p>
          <p className="font-wide text-title">
            <Clock at={step.at} />
          </p>
          <p className="text-sm">
            <DrawInstant iso={step.at} />
          </p>
        </div>
      )}
      <dl className="grid grid-cols-1 gap-4">
        <Fact term={t('facts.sold')}>
          <span aria-hidden="true">{words}</span>
          <Progress value={sold} total={total} label={words} className="my-2" />
          <span className="text-sm font-normal text-muted">
            {tOffers('detail.left', { count: remainingTickets(contest) })}
          </span>
        </Fact>
        {(!closed || draw.stopped) && (
          <Fact term={t('facts.odds')}>{t('odds.open', { total, now: sold + 1 })}</Fact>
        )}
      </dl>
      {!reason && <PriceCountry />}
    </Card>
  )
}
