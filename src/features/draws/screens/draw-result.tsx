import type { ReactNode } from 'react'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Plate } from '#ui/plate.tsx'
import type { Attempt, PublicDraw } from '../public-draws.contract.ts'
import { filesOf, winnerOf } from '../public-draws.rules.ts'
import { DrawInstant, FileLink, Hash } from './draw-parts.tsx'

/** The winning number and how it came about; with the earlier winners, when there were any. */
export function DrawResult({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.result')
  const drawn = draw.attempts.filter((attempt) => attempt.drawn !== null)
  const last = drawn.at(-1)
  if (!last) return null
  const winner = winnerOf(draw)
  const forfeited = winner === undefined ? drawn : drawn.slice(0, -1)
  return (
    <section aria-labelledby="result" className="grid grid-cols-1 gap-4">
      <h2 id="result" className="text-title">
        {t('title')}
      </h2>
      {winner !== undefined && (
        <div className="grid justify-items-center gap-3 rounded-lg bg-asphalt p-6 text-center text-paper sm:p-12">
          <WinnerPlate number={winner} total={draw.contest.total_tickets} />
          {last.drawn?.winner && (
            <p className="text-lg">
              {t('name', { name: last.drawn.winner.first_name, place: last.drawn.winner.place })}
            </p>
          )}
          {!draw.rehearsal && (
            <p>
              {t(draw.state === 'awarded' ? 'awarded' : last.drawn?.claim?.claimed_at ? 'claimed' : 'claim')}
            </p>
          )}
        </div>
      )}
      {last.drawn?.claim?.by_letter && <p className="max-w-prose">{t('byLetter')}</p>}
      {forfeited.map((attempt) => (
        <Forfeited key={attempt.attempt} attempt={attempt} draw={draw} />
      ))}
      <HowItCame attempt={last} draw={draw} />
    </section>
  )
}

export function WinnerPlate({ number, total }: { number: number; total: number }): ReactNode {
  const t = useTranslations('draws')
  const padded = padTicketNumber(number, total)
  return (
    <Plate size={padded.length > 5 ? 'large' : 'hero'} label={t('plate', { number: padded })}>
      {padded}
    </Plate>
  )
}

/** A winner whose place an alternate takes, and why. */
function Forfeited({ attempt, draw }: { attempt: Attempt; draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const number = padTicketNumber(attempt.drawn?.number ?? 0, draw.contest.total_tickets)
  const files = [
    { name: `forfeiture-${attempt.attempt}.txt`, text: t('result.forfeiture', { number }) },
    { name: `statement-${attempt.attempt}.txt`, text: t('result.statement') },
  ].filter(({ name }) => draw.files.some((file) => file.name === name))
  return (
    <div className="grid grid-cols-1 gap-1">
      <p>
        {t('result.forfeited', { number })}{' '}
        {attempt.forfeited && t('result.reason', { reason: t(`reasons.${attempt.forfeited.reason}`) })}
      </p>
      {attempt.forfeited && <DrawInstant iso={attempt.forfeited.at} />}
      <p className="flex flex-wrap gap-x-6">
        {files.map(({ name, text }) => (
          <FileLink key={name} href={filesOf(draw) + name}>
            {text}
          </FileLink>
        ))}
      </p>
    </div>
  )
}

function HowItCame({ attempt, draw }: { attempt: Attempt; draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.result.how')
  const { drawn, round, round_at } = attempt
  if (!drawn || !draw.sealed) return null
  const number = padTicketNumber(drawn.number, draw.contest.total_tickets)
  const tag = attempt.attempt === 0 ? 'volant-draw-v1' : `volant-alternate-v1-${attempt.attempt}-`
  return (
    <div className="grid grid-cols-1 gap-3">
      <h3 className="text-lg">{t('title')}</h3>
      <ol className="grid max-w-prose list-decimal gap-3 pl-5">
        <li>
          {t('round', { round: String(round), relay: drawn.relay })} <DrawInstant iso={round_at} />
        </li>
        <li>
          {t('randomness')} <Hash value={drawn.randomness} label={t('randomness')} />
        </li>
        <li>
          {t('list')} <Hash value={draw.sealed.hash} label={t('list')} />
        </li>
        <li>
          {t('value', { tag, tries: drawn.tries })} <Hash value={drawn.value} label={t('number')} />
        </li>
        <li>{t('index', { remaining: drawn.remaining, index: drawn.index })}</li>
        <li>{t(attempt.attempt === 0 ? 'row' : 'alternateRow', { row: drawn.index + 1, number })}</li>
      </ol>
    </div>
  )
}
