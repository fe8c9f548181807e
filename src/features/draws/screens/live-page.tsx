import { Fragment, type ReactNode, use, useEffect, useState } from 'react'
import { whenIdle } from '#client/browser-parts.ts'
import { useSettings, useShell } from '#client/shell.ts'
import { absolute, canonicalPath, paths } from '#client/paths.ts'
import { useHasEnded } from '#features/offers/screens/live-offers.ts'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { localized } from '#shared/localized-text.ts'
import { type LiveOptions, beforeNumber, heldUntil } from '../live.rules.ts'
import type { PublicDraw } from '../public-draws.contract.ts'
import { lastAttempt, rehearsalQuery, winnerOf } from '../public-draws.rules.ts'
import { nextStep } from '../timeline.rules.ts'
import { Clock } from './draw-parts.tsx'
import { useLiveDraw, useSecondsLeft } from './live-draw.ts'
import { EmptyPlate, Reveal, prepareCheck } from './live-reveal.tsx'
import { SecondLanguage, Said } from './live-words.tsx'
import { oneAtATime } from './one-at-a-time.ts'
import { RehearsalMarks } from './rehearsal-marks.tsx'
import './live.css'

/** How often the page asks around the instant of the draw. */
const NEAR_MS = 1_000

/** The draw as the page shows it: later than it was made, when whoever streams has asked for that. */
function useHeldDraw(draw: PublicDraw, hold: number): PublicDraw {
  const { renderedAt } = useShell()
  const last = lastAttempt(draw)
  const waiting = last && !last.drawn ? last.round_at : null
  const [awaited, setAwaited] = useState(waiting)
  if (waiting !== null && waiting !== awaited) setAwaited(waiting)
  const until = heldUntil(draw, hold, awaited)
  const isOver = useHasEnded(until ?? undefined)
  return until === null || isOver || Date.parse(until) <= renderedAt ? draw : beforeNumber(draw)
}

/** How long the buttons stay after the pointer has moved. */
const USED_MS = 4_000

/** Whether somebody is at this window: nobody's pointer is over the page of a stream. */
function useIsUsed(): boolean {
  const [isUsed, setUsed] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const move = (): void => {
      clearTimeout(timer)
      setUsed(true)
      timer = setTimeout(() => setUsed(false), USED_MS)
    }
    const events = ['pointermove', 'pointerdown'] as const
    for (const name of events) window.addEventListener(name, move)
    return () => {
      clearTimeout(timer)
      for (const name of events) window.removeEventListener(name, move)
    }
  }, [])
  return isUsed
}

/** Calls on a key that is pressed alone. */
function useKeys(keys: Record<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!event.ctrlKey && !event.altKey && !event.metaKey && !event.repeat)
        keys[event.key.toLowerCase()]?.()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  })
}

/** The page that a stream shows: car, countdown and, once the round is there, the number. It only follows the public API. */
export function LivePage({ draw: loaded, options }: { draw: PublicDraw; options: LiveOptions }): ReactNode {
  const { overlay, second, hold, pace, wrong } = options
  const [through] = useState(oneAtATime)
  const draw = useHeldDraw(useLiveDraw(loaded, NEAR_MS, { evenHidden: true, through }), hold)
  // A number that was there when the page was opened is shown at once.
  const [known] = useState(() => winnerOf(draw))
  const isUsed = useIsUsed()
  const [turned, setTurned] = useState(0)
  const [hasHashes, setHasHashes] = useState(false)
  useEffect(() => whenIdle(() => void prepareCheck()), [])
  const winner = winnerOf(draw)
  const attempt = winner === undefined ? undefined : lastAttempt(draw)
  const showHashes = (): void => setHasHashes((before) => !before)
  const turn = (): void => setTurned((before) => before + 1)
  useKeys({ h: showHashes, n: turn })
  const [picture] = shownPictures(draw.contest)
  return (
    <SecondLanguage value={second}>
      <div className={`live relative min-h-dvh text-paper ${overlay ? 'live-overlay' : 'bg-asphalt'}`}>
        {!overlay && (
          <div className="live-picture bg-sunken">
            {picture && (
              <OfferPicture picture={picture} sizes="(orientation: landscape) 70vw, 100vw" loading="first" />
            )}
          </div>
        )}
        <div className="live-main">
          {draw.rehearsal && <RehearsalMarks />}
          {wrong.length > 0 && !overlay && (
            <p role="note">
              <Said say={(t) => t('liveDraw.wrong', { names: wrong.join(', ') })} />
            </p>
          )}
          <Header draw={draw} overlay={overlay} />
          <div>
            {attempt ? (
              <Reveal
                key={attempt.attempt}
                attempt={attempt}
                draw={draw}
                isNews={winner !== known}
                pace={pace}
                turned={turned}
                isSmall={overlay}
              />
            ) : (
              <Waiting draw={draw} />
            )}
            {hold > 0 && !attempt && (
              <p>
                <Said say={(t) => t('liveDraw.held', { hold })} />
              </p>
            )}
          </div>
        </div>
        {hasHashes && !overlay && <Hashes draw={draw} />}
        <PublicPage draw={draw} overlay={overlay} />
        {!overlay && (
          <p
            className="live-keys needs-scripts flex flex-wrap justify-end gap-2"
            data-used={isUsed || undefined}
          >
            <Key name="hashes" isPressed={hasHashes} onPress={showHashes} />
            {attempt && <Key name="next" onPress={turn} />}
          </p>
        )}
      </div>
    </SecondLanguage>
  )
}

interface KeyProps {
  name: 'hashes' | 'next'
  isPressed?: boolean
  onPress: () => void
}

/** For whoever watches; a stream shows it to nobody, because no pointer is over its page. */
const Key = ({ name, isPressed, onPress }: KeyProps): ReactNode => (
  <button
    type="button"
    aria-pressed={isPressed}
    onClick={onPress}
    className="min-h-11 rounded-md border border-paper bg-asphalt px-3 text-paper"
  >
    {useTranslations('liveDraw')(name)}
  </button>
)

function Header({ draw, overlay }: { draw: PublicDraw; overlay: boolean }): ReactNode {
  const { brand } = useSettings()
  const title = localized(draw.contest, 'title', useLanguage())
  const hasSecond = use(SecondLanguage) !== undefined
  return (
    <header>
      <p className="flex flex-wrap justify-between gap-x-8">
        <span className="live-brand font-wide uppercase">{brand}</span>
        {!overlay && (
          <span>
            <Said say={(t) => t(`draws.states.${draw.state}`)} />
          </span>
        )}
      </p>
      <h1
        lang={title.language}
        tabIndex={-1}
        className={hasSecond || overlay ? 'truncate' : 'live-large line-clamp-2'}
      >
        {title.text}
      </h1>
    </header>
  )
}

function Waiting({ draw }: { draw: PublicDraw }): ReactNode {
  const { cancelled, delay } = draw
  const step = nextStep(draw)
  if (cancelled)
    return (
      <p className="live-large">
        <Said below say={(t) => t(`draws.cancelled.${cancelled.reason}`)} />
      </p>
    )
  return (
    <>
      {step && <Countdown key={step.at} draw={draw} step={step} />}
      {delay && (
        <p role="status" className="live-large">
          <Said below say={(t) => t(`draws.delays.${delay}`)} />
        </p>
      )}
      {delay === 'beacon' && <EmptyPlate total={draw.contest.total_tickets} />}
    </>
  )
}

/** What comes next and when; at zero, what is waited for. */
function Countdown({
  draw,
  step: { name, at },
}: {
  draw: PublicDraw
  step: NonNullable<ReturnType<typeof nextStep>>
}): ReactNode {
  const t = useTranslations('draws')
  const left = useSecondsLeft(at)
  const round = lastAttempt(draw)?.round ?? draw.beacon?.round
  const isDraw = name === 'draw' || name === 'alternate'
  if (left === 0 && name !== 'opened')
    return (
      <>
        <p role="status" className="live-large">
          <Said below say={(t) => t(`draws.awaited.${name}`)} />
        </p>
        {isDraw && <EmptyPlate total={draw.contest.total_tickets} />}
        {isDraw && round !== undefined && (
          <p>
            <Said say={(t) => t('liveDraw.round', { round: String(round) })} />
          </p>
        )}
      </>
    )
  return (
    <>
      <p className="live-large">
        <Said below say={(t) => t(`draws.next.${name}`)} />
      </p>
      <p className={`font-wide leading-none ${left < 86_400 ? 'live-clock' : 'live-days'}`}>
        <Clock at={at} />
      </p>
      <p className="flex flex-wrap gap-x-8">
        <ZonedTime iso={at} />
        <span className="tabular-nums">{t('utc', { time: at.slice(0, 19).replace('T', ' ') })}</span>
      </p>
    </>
  )
}

/** The way to the public page, where everybody checks the draw. */
function PublicPage({ draw, overlay }: { draw: PublicDraw; overlay: boolean }): ReactNode {
  const t = useTranslations('liveDraw')
  const language = useLanguage()
  const { publicUrl } = useSettings()
  const { contest, sealed, log, rehearsal } = draw
  const page = paths.draw(contest.slug)
  const address = absolute(publicUrl, page)
  const code = `${page}/code.svg${rehearsalQuery(rehearsal)}`
  return (
    <footer className="live-code">
      <img
        src={rehearsal || language === DEFAULT_LANGUAGE ? code : canonicalPath(code, language)}
        alt={t('code')}
        width="180"
        height="180"
      />
      <div>
        <p className="font-semibold">
          <Said say={(words) => words('liveDraw.check')} />
        </p>
        <p className="wrap-anywhere">
          {address
            .replace(/^.*?:\/\//, '')
            .split('/')
            .map((part, index) => (
              <Fragment key={index}>
                {index > 0 && (
                  <>
                    /<wbr />
                  </>
                )}
                {part}
              </Fragment>
            ))}
        </p>
        {!overlay && sealed && (
          <p>
            <Said say={(words) => words('liveDraw.entries', { valid: sealed.valid })} />
          </p>
        )}
        {!overlay && !sealed && log && (
          <p>
            <Said say={(words) => words('liveDraw.log', { entries: log.entries })} />
          </p>
        )}
      </div>
    </footer>
  )
}

/** For whoever asks, by a key: what the number was made of. */
function Hashes({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('liveDraw')
  const tEntries = useTranslations('draws.entries')
  const attempt = lastAttempt(draw)
  const drawn = attempt?.drawn
  const lines: [string, string][] = [
    ...(draw.sealed ? [[tEntries('listHash'), draw.sealed.hash] as [string, string]] : []),
    ...(drawn
      ? ([
          [t('randomness', { round: String(attempt.round) }), drawn.randomness],
          [t('value'), drawn.value],
          [
            t('remainder', { remaining: drawn.remaining }),
            t('row', { index: drawn.index, row: drawn.index + 1 }),
          ],
        ] as [string, string][])
      : []),
  ]
  return (
    <dl className="live-hashes">
      {lines.map(([term, value]) => (
        <div key={term}>
          <dt className="live-second">{term}</dt>
          <dd>
            <code className="break-all">{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
}
