import { type ReactNode, Suspense, lazy, use, useEffect, useState } from 'react'
import { matchesMedia } from '#client/browser-parts.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Plate } from '#ui/plate.tsx'
import type { Attempt, PublicDraw } from '../public-draws.contract.ts'
import { Said, SecondLanguage } from './live-words.tsx'

/** Loads what checks the draw, long before there is one: a stream goes on without it when the server is away. */
export const prepareCheck = (): Promise<{ default: (props: { draw: PublicDraw }) => ReactNode }> =>
  import('./live-check.tsx').then(
    ({ LiveCheck }) => ({ default: LiveCheck }),
    () => ({ default: Unchecked }),
  )
const LiveCheck = lazy(prepareCheck)

/** How often a turning digit changes. */
const TURN_MS = 70
/** How long each part of the recap stands. */
const RECAP_MS = 8_000

const wantsStillness = (): boolean => matchesMedia('(prefers-reduced-motion: reduce)')

/** The stylesheet has sizes for so many. Two languages take twice the room below, and the plate is smaller. */
const useSize = (digits: number): number => Math.min(6, Math.max(use(SecondLanguage) ? 5 : 4, digits))

/** Digits that turn until they settle, from left to right. @param settled how many have */
function Digits({ number, settled }: { number: string; settled: number }): ReactNode {
  const [turn, setTurn] = useState(0)
  const isTurning = settled < number.length
  useEffect(() => {
    if (!isTurning) return undefined
    const timer = setInterval(() => setTurn((before) => before + 1), TURN_MS)
    return () => clearInterval(timer)
  }, [isTurning])
  return (
    <span aria-hidden="true">
      {number.slice(0, settled)}
      <span className="live-faint">
        {Array.from(number.slice(settled), (_, index) => (turn * (3 + 2 * index) + 4 * index) % 10)}
      </span>
    </span>
  )
}

/** The plate before there is a number. */
export function EmptyPlate({ total }: { total: number }): ReactNode {
  const { length } = String(total)
  return (
    <p aria-hidden="true" className="live-plate leading-none" data-digits={useSize(length)}>
      <Plate size="screen">
        <span className="live-faint">{'–'.repeat(length)}</span>
      </Plate>
    </p>
  )
}

interface RevealProps {
  attempt: Attempt
  draw: PublicDraw
  /** False shows all of it at once. */
  isNews: boolean
  /** Seconds for each digit. */
  pace: number
  /** Adds one for the next part of the recap, and stops its loop. */
  turned: number
  /** There is room for little: what this browser says is a part of the recap. */
  isSmall: boolean
}

/** The winning number digit after digit, then who has it, what this browser says of it, and a recap in a loop. */
export function Reveal({ attempt, draw, isNews, pace, turned, isSmall }: RevealProps): ReactNode {
  const number = padTicketNumber(attempt.drawn?.number ?? 0, draw.contest.total_tickets)
  const whole = number.length
  // News comes in the browser only, after hydration.
  const [settled, setSettled] = useState(() => (isNews && !wantsStillness() ? 0 : whole))
  useEffect(() => {
    if (settled >= whole) return undefined
    const timer = setTimeout(() => setSettled(settled + 1), pace * 1000)
    return () => clearTimeout(timer)
  }, [settled, whole, pace])
  const isWhole = settled >= whole
  const check = isWhole ? (
    <Suspense fallback={<Checking />}>
      <InBrowser>
        <LiveCheck draw={draw} />
      </InBrowser>
    </Suspense>
  ) : (
    <Checking />
  )
  return (
    <>
      <p className="live-large">
        <Said say={(t) => t('liveDraw.winner')} />
      </p>
      <p className="live-plate leading-none" data-digits={useSize(whole)}>
        <Plate size="screen">
          <Digits number={number} settled={settled} />
        </Plate>
      </p>
      <p role="status" className="sr-only">
        {isWhole && <Said say={(t) => t('draws.plate', { number })} />}
      </p>
      <div className={`grid grid-cols-1 gap-4 ${isWhole ? '' : 'invisible'}`}>
        <Recap attempt={attempt} draw={draw} isRunning={isWhole} turned={turned}>
          {isSmall && check}
        </Recap>
        {!isSmall && check}
      </div>
    </>
  )
}

/** Keeps the place of the result. */
const Checking = (): ReactNode => (
  <p>
    <Said say={(t) => t('liveDraw.checks.running')} />
  </p>
)

const Unchecked = (): ReactNode => (
  <p role="status">
    <Said say={(t) => t('liveDraw.checks.broken')} />
  </p>
)

/** Nothing is checked on the server. */
function InBrowser({ children }: { children: ReactNode }): ReactNode {
  const [isHere, setHere] = useState(false)
  // oxlint-disable-next-line react/set-state-in-effect -- because the server renders what the browser hydrates
  useEffect(() => setHere(true), [])
  return isHere ? children : <Checking />
}

interface RecapProps extends Pick<RevealProps, 'attempt' | 'draw' | 'turned'> {
  isRunning: boolean
  /** Its last part, if there is one more. */
  children: ReactNode
}

/** Who has won, what was drawn from, and what decided: one after the other, again and again. */
function Recap({ attempt, draw, isRunning, turned, children }: RecapProps): ReactNode {
  const t = useTranslations('draws.result')
  const [looped, setLooped] = useState(0)
  useEffect(() => {
    if (!isRunning || turned > 0 || wantsStillness()) return undefined
    const timer = setInterval(() => setLooped((before) => before + 1), RECAP_MS)
    return () => clearInterval(timer)
  }, [isRunning, turned])
  const { drawn } = attempt
  const { sealed, rehearsal, state } = draw
  if (!drawn || !sealed) return null
  const { winner, claim } = drawn
  const stage = state === 'awarded' ? 'awarded' : claim?.claimed_at ? 'claimed' : 'claim'
  const parts = [
    winner !== null && (
      <span key="name" className="live-large font-semibold">
        {t('name', { name: winner.first_name, place: winner.place })}
      </span>
    ),
    !rehearsal && <Said key="stage" say={(words) => words(`draws.result.${stage}`)} />,
    <Said key="sealed" say={(t) => t('liveDraw.sealed', { valid: sealed.valid })} />,
    <Said key="decided" say={(t) => t('liveDraw.decided', { round: String(attempt.round) })} />,
    children,
  ].filter((part) => part !== false)
  const shown = (looped + turned) % parts.length
  return (
    <div className="live-recap">
      {parts.map((part, index) => (
        <div key={index} aria-hidden={index !== shown} className={index === shown ? '' : 'invisible'}>
          {part}
        </div>
      ))}
    </div>
  )
}
