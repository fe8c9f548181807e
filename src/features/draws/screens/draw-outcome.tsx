import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { ContestPart } from '#features/offers/screens/contest-parts.tsx'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { SLIDE_SIZES, shownPictures } from '#features/offers/screens/pictures.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { drawInstant, winnerOf } from '../public-draws.rules.ts'
import { nextStep } from '../timeline.rules.ts'
import { Fact, NextStep } from './draw-parts.tsx'
import { FoldedProofs } from './draw-proofs.tsx'
import { Forfeited, WinnerPlate } from './draw-result.tsx'
import { Changes, Description, Odds, Timeline } from './draw-sections.tsx'

/** A contest after its end: what has come of it, or what is waited for, before anything else. */
export function DrawOutcome({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const [picture] = shownPictures(draw.contest)
  const winner = winnerOf(draw)
  const drawn = draw.attempts.filter((attempt) => attempt.drawn !== null)
  const forfeited = winner === undefined ? drawn : drawn.slice(0, -1)
  const byLetter = drawn.at(-1)?.drawn?.claim?.by_letter
  return (
    <>
      <div className="grid grid-cols-1 overflow-hidden rounded-lg bg-asphalt text-paper @4xl:grid-cols-2">
        <div className="grid content-center gap-4 p-5 sm:p-6">
          {winner === undefined ? <Awaited draw={draw} /> : <Winner draw={draw} number={winner} />}
        </div>
        <div className="relative aspect-[8/5] bg-sunken @4xl:aspect-auto">
          {picture && <OfferPicture picture={picture} sizes={SLIDE_SIZES} loading="first" />}
          {!draw.rehearsal && (
            <div className="absolute top-0 right-0 p-2 print:hidden">
              <ContestPart name="Heart" offer={draw.contest} />
            </div>
          )}
        </div>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-4">
        <Figures draw={draw} />
        {!draw.rehearsal && (
          <div className="flex min-h-11 flex-wrap gap-2 print:hidden">
            <ContestPart name="Actions" offer={draw.contest} />
          </div>
        )}
      </div>
      {byLetter && <p className="max-w-prose">{t('result.byLetter')}</p>}
      {forfeited.map((attempt) => (
        <Forfeited key={attempt.attempt} attempt={attempt} draw={draw} />
      ))}
      <div className="grid grid-cols-1 items-start gap-10 pt-4 @4xl:grid-cols-2">
        <div className="grid grid-cols-1 gap-10">
          <FoldedProofs draw={draw} />
          <Description draw={draw} />
          <Changes draw={draw} />
        </div>
        <Timeline draw={draw} />
      </div>
      <AppLink
        to={paths.offers()}
        className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}
      >
        {t('contests')}
      </AppLink>
    </>
  )
}

/** The number that has won, and who has it. */
function Winner({ draw, number }: { draw: PublicDraw; number: number }): ReactNode {
  const t = useTranslations('draws')
  const drawn = draw.attempts.at(-1)?.drawn
  const instant = drawInstant(draw)
  const stage = draw.state === 'awarded' ? 'awarded' : drawn?.claim?.claimed_at ? 'claimed' : 'claim'
  return (
    <section aria-labelledby="result" className="grid justify-items-start gap-4">
      <h2 id="result" className="text-lg">
        {t('facts.winner')}
      </h2>
      <WinnerPlate number={number} total={draw.contest.total_tickets} />
      {drawn?.winner && (
        <p className="font-wide text-title">
          {t('result.name', { name: drawn.winner.first_name, place: drawn.winner.place })}
        </p>
      )}
      {!draw.rehearsal && <p>{t(`result.${stage}`)}</p>}
      {instant !== null && (
        <p className="text-sm">
          {t('facts.drawn')} <ZonedTime iso={drawn?.at ?? instant} />
        </p>
      )}
      {draw.log && (
        <a href="#verify" className={buttonClasses('inverse')}>
          {t('result.check')}
        </a>
      )}
    </section>
  )
}

/** Without a number: what comes next, or why nothing comes. */
function Awaited({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const { cancelled, draw_at, rehearsal, attempts } = draw
  const isLater = rehearsal !== null || attempts.length > 1
  const step = nextStep(draw)
  return (
    <section aria-labelledby="result" className="grid grid-cols-1 gap-5">
      <h2 id="result" className="text-lg">
        {t(cancelled ? 'takePart.cancelled' : isLater ? 'result.waiting' : 'takePart.ended')}
      </h2>
      {step && <NextStep step={step} />}
      {!cancelled && draw_at !== null && step?.name !== 'draw' && step?.name !== 'alternate' && (
        <dl>
          <Fact term={t('facts.draw')} isOnDark>
            <ZonedTime iso={drawInstant(draw) ?? draw_at} />
          </Fact>
        </dl>
      )}
    </section>
  )
}

/** The contest in figures. */
function Figures({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const language = useLanguage()
  const { contest, provisional, sealed } = draw
  const list = sealed ?? provisional
  return (
    <dl className="flex flex-wrap gap-x-12 gap-y-4">
      {contest.prize_value !== null && (
        <Fact term={t('facts.prizeValue')}>{formatEur(contest.prize_value, language)}</Fact>
      )}
      <Fact term={t('facts.sold')}>
        {t('soldOf', { sold: contest.tickets_sold, total: contest.total_tickets })}
      </Fact>
      {list && (
        <Fact term={t('facts.entries')}>
          {t('counts', { paid: list.paid, postal: list.postal, demo: list.demo, valid: list.valid })}
        </Fact>
      )}
      {winnerOf(draw) === undefined && <Odds draw={draw} isOpen={false} />}
    </dl>
  )
}
