import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import type { PublicDraw } from '../public-draws.contract.ts'
import { drawInstant, filesOf } from '../public-draws.rules.ts'
import { DrawInstant, FileLink, useDuration } from './draw-parts.tsx'
import { Hash } from './hash.tsx'

/** The terms in words, and as the file whose hash binds the shop. */
export function DrawTerms({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.terms')
  const tReasons = useTranslations('draws.reasons')
  const language = useLanguage()
  const duration = useDuration()
  const { contest, plan, terms, beacon, rules } = draw
  const reasons = (names: readonly Parameters<typeof tReasons>[0][]): string =>
    names.map((name) => tReasons(name)).join(', ')
  const instant = drawInstant(draw)
  const further = localized(contest, 'draw_terms', language)
  const price = formatEur(contest.ticket_price, language)
  return (
    <section aria-labelledby="terms" className="grid grid-cols-1 gap-3">
      <h2 id="terms" className="text-title">
        {t('title')}
      </h2>
      {rules?.demonstration && <p className="max-w-prose">{t('demonstration')}</p>}
      {terms && !rules && <p className="max-w-prose">{t('older')}</p>}
      <ul className="grid max-w-prose list-disc grid-cols-1 gap-2 pl-5">
        <li>{t('tickets', { total: contest.total_tickets, price })}</li>
        {contest.max_per_person !== undefined && <li>{t('perPerson', { max: contest.max_per_person })}</li>}
        <li>
          {t('closes')} <DrawInstant iso={draw.closes_at} />
        </li>
        {plan && (
          <>
            <li>{t('objections', { duration: duration(plan.objections) })}</li>
            <li>{t('seal', { duration: duration(plan.seal_margin) })}</li>
          </>
        )}
        {instant !== null && !draw.cancelled && (
          <li>
            {t('draw')} <DrawInstant iso={instant} /> {beacon && t('round', { round: String(beacon.round) })}
          </li>
        )}
        {plan && (
          <>
            <li>{t('silent', { duration: duration(plan.beacon_patience) })}</li>
            <li>{t('claim', { duration: duration(plan.claim) })}</li>
          </>
        )}
        {rules && (
          <>
            <li>{t('void', { reasons: reasons(rules.void_reasons) })}</li>
            <li>{t('forfeit', { reasons: reasons(rules.forfeit_reasons) })}</li>
            <li>
              {t('alternates', {
                most: rules.alternates_decided,
                delay: duration(rules.alternate_delay),
              })}
            </li>
            <li>{t('notice', { duration: duration(rules.notice) })}</li>
          </>
        )}
        {!draw.cancelled && (
          <li>
            {t.rich('postal', {
              reserve: contest.postal_reserve,
              rules: (text) => (
                <AppLink to={paths.freeEntry()} className="prose-link">
                  {text}
                </AppLink>
              ),
            })}
          </li>
        )}
      </ul>
      {further.text.trim() !== '' && (
        <p lang={further.language} className="max-w-prose whitespace-pre-line">
          {further.text}
        </p>
      )}
      {terms && (
        <>
          <p className="max-w-prose text-muted">{t('locked')}</p>
          <p>
            {t('hash')} <Hash value={terms.hash} label={t('hash')} />
          </p>
          <FileLink href={`${filesOf(draw)}terms.txt`}>{t('file')}</FileLink>
        </>
      )}
    </section>
  )
}
