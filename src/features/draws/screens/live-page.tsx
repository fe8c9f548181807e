import { type ReactNode, useEffect, useState } from 'react'
import { matchesMedia } from '#client/browser-parts.ts'
import { useSettings } from '#client/shell.ts'
import { absolute, paths } from '#client/paths.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Plate } from '#ui/plate.tsx'
import type { Attempt, PublicDraw } from '../public-draws.contract.ts'
import { lastAttempt, rehearsalQuery, winnerOf } from '../public-draws.rules.ts'
import { nextStep } from '../timeline.rules.ts'
import { Clock, DrawInstant } from './draw-parts.tsx'
import { useLiveDraw, useSecondsLeft } from './live-draw.ts'
import { RehearsalMarks } from './rehearsal-marks.tsx'

/** How often the page asks around the instant of the draw. */
const NEAR_MS = 1_000

/**
 * Sizes by the window, as a picture of 16:9 scales: `--u` is a hundredth of its width. What is read from a stream is at least
 * 2.4 of them, which is 31 pixels at 720p.
 */
const SIZES = {
  page: '[--u:min(1vw,1.7778vh)] gap-[calc(1.2*var(--u))] p-[max(1rem,calc(1.5*var(--u)))] text-[max(1rem,calc(2.4*var(--u)))] leading-tight',
  large: 'text-[max(1.375rem,calc(3.2*var(--u)))]',
  clock: 'text-[min(14vw,max(3rem,calc(13*var(--u))))]',
  plate: 'text-[min(13vw,max(3rem,calc(8*var(--u))))] leading-none',
} as const

/** The page that a stream shows: countdown, list and, once the round is there, the number. It only follows the public API. */
export function LivePage({ draw: loaded }: { draw: PublicDraw }): ReactNode {
  const draw = useLiveDraw(loaded, NEAR_MS, { evenHidden: true })
  const t = useTranslations('draws.live')
  const tDraws = useTranslations('draws')
  const { brand, publicUrl } = useSettings()
  const title = localized(draw.contest, 'title', useLanguage())
  // A number that was there when the page was opened is shown at once.
  const [known] = useState(() => winnerOf(loaded))
  const winner = winnerOf(draw)
  const attempt = winner === undefined ? undefined : lastAttempt(draw)
  const address = absolute(publicUrl, paths.draw(draw.contest.slug) + rehearsalQuery(draw.rehearsal))
  return (
    <div className={`relative flex min-h-dvh flex-col bg-asphalt text-paper ${SIZES.page}`}>
      {draw.rehearsal && <RehearsalMarks />}
      <header className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-1">
        <h1 lang={title.language} tabIndex={-1} className={`line-clamp-2 leading-none ${SIZES.large}`}>
          {title.text}
        </h1>
        <p>
          {brand} · {tDraws(`states.${draw.state}`)}
        </p>
      </header>
      <div className="grid grow grid-cols-1 content-center justify-items-center gap-[inherit] text-center">
        {attempt ? (
          <Reveal key={attempt.attempt} attempt={attempt} draw={draw} isNews={winner !== known} />
        ) : (
          <Waiting draw={draw} />
        )}
      </div>
      <footer className="grid grid-cols-1 gap-1 leading-none">
        {draw.sealed && (
          <>
            <p className="flex flex-wrap justify-between gap-x-8">
              <span>{tDraws('entries.listHash')}</span>
              <span>{t('entries', { valid: draw.sealed.valid })}</span>
            </p>
            <p>
              <code className="break-all">{draw.sealed.hash}</code>
            </p>
          </>
        )}
        {!draw.sealed && draw.log && <p>{t('log', { entries: draw.log.entries })}</p>}
        <p className="break-all">
          {t('verify', {
            address: address.replace(/^.*?:\/\//, ''),
          })}
        </p>
      </footer>
    </div>
  )
}

function Waiting({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const step = nextStep(draw)
  const round = lastAttempt(draw)?.round ?? draw.beacon?.round
  if (draw.cancelled) return <p className={SIZES.large}>{t(`cancelled.${draw.cancelled.reason}`)}</p>
  return (
    <>
      {step && (
        <>
          <p className={SIZES.large}>{t(`next.${step.name}`)}</p>
          <LargeClock at={step.at} />
          <p className="[&_*]:text-[1em] [&_*]:text-paper">
            <DrawInstant iso={step.at} />
          </p>
        </>
      )}
      {round !== undefined && <p>{t('live.round', { round: String(round) })}</p>}
      {draw.delay && (
        <p role="status" className={SIZES.large}>
          {t(`delays.${draw.delay}`)}
        </p>
      )}
    </>
  )
}

/** Smaller with days, so that it fits one line. */
const LargeClock = ({ at }: { at: string }): ReactNode => (
  <p className={`font-wide leading-none ${useSecondsLeft(at) < 86_400 ? SIZES.clock : SIZES.plate}`}>
    <Clock at={at} />
  </p>
)

const STEP_MS = 700
/** Randomness, value and remainder come before the first digit. */
const BEFORE_DIGITS = 3

const wantsStillness = (): boolean => matchesMedia('(prefers-reduced-motion: reduce)')

/**
 * The winning number from the published randomness: the bytes, the value made of them and of the list, its remainder,
 * and then digit after digit, from left to right. @param isNews false shows all of it at once
 */
function Reveal({
  attempt,
  draw,
  isNews,
}: {
  attempt: Attempt
  draw: PublicDraw
  isNews: boolean
}): ReactNode {
  const t = useTranslations('draws')
  const number = padTicketNumber(attempt.drawn?.number ?? 0, draw.contest.total_tickets)
  const whole = BEFORE_DIGITS + number.length
  // News comes in the browser only, after hydration.
  const [step, setStep] = useState(() => (isNews && !wantsStillness() ? 0 : whole))
  useEffect(() => {
    if (step >= whole) return undefined
    const timer = setTimeout(() => setStep(step + 1), STEP_MS)
    return () => clearTimeout(timer)
  }, [step, whole])
  const { drawn } = attempt
  if (!drawn) return null
  const settled = Math.max(0, step - BEFORE_DIGITS)
  return (
    <>
      <p className={SIZES.plate}>
        <Plate size="screen">
          <span aria-hidden="true">{number.slice(0, settled)}</span>
          <span aria-hidden="true" className="opacity-20">
            {'–'.repeat(number.length - settled)}
          </span>
        </Plate>
      </p>
      <p role="status" className={isNews ? 'min-h-[1.25em]' : 'sr-only'}>
        {step >= whole && t('plate', { number })}
      </p>
      <dl className="grid w-full grid-cols-1 gap-1 text-left leading-none">
        <Line
          shown={step > 0}
          term={t('live.randomness', { round: String(attempt.round) })}
          value={drawn.randomness}
        />
        <Line shown={step > 1} term={t('live.value')} value={drawn.value} />
        <Line
          shown={step > 2}
          term={t('live.remainder', { remaining: drawn.remaining })}
          value={t('live.row', { index: drawn.index, row: drawn.index + 1 })}
        />
      </dl>
    </>
  )
}

/** Keeps its place before it is shown. A hash fills a line of its own, a short value stands behind its term. */
const Line = ({ shown, term, value }: { shown: boolean; term: string; value: string }): ReactNode => (
  <div className={`flex flex-wrap justify-between gap-x-8 ${shown ? '' : 'invisible'}`}>
    <dt>{term}</dt>
    <dd>
      <code className="break-all">{value}</code>
    </dd>
  </div>
)
