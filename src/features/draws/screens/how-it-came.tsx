import type { ReactNode } from 'react'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { DrawInstant } from './draw-parts.tsx'
import { Hash } from './hash.tsx'

/** The steps from the public randomness to the last number that was drawn. */
export function HowItCame({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.result.how')
  const attempt = draw.attempts.findLast(({ drawn }) => drawn !== null)
  if (!attempt?.drawn || !draw.sealed) return null
  const { drawn, round, round_at } = attempt
  const number = padTicketNumber(drawn.number, draw.contest.total_tickets)
  const tag = attempt.attempt === 0 ? 'volant-draw-v1' : `volant-alternate-v1-${attempt.attempt}-`
  return (
    <div className="grid grid-cols-1 gap-3">
      <h3 className="text-lg">{t('title')}</h3>
      <ol className="grid max-w-prose list-decimal grid-cols-1 gap-3 pl-5">
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
