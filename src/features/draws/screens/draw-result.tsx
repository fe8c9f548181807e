import type { ReactNode } from 'react'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Plate } from '#ui/plate.tsx'
import type { Attempt, PublicDraw } from '../public-draws.contract.ts'
import { filesOf } from '../public-draws.rules.ts'
import { DrawInstant, FileLink } from './draw-parts.tsx'

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
export function Forfeited({ attempt, draw }: { attempt: Attempt; draw: PublicDraw }): ReactNode {
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
