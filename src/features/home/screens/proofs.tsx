import { BookCheck, CircleAlert, CircleCheck, ShieldCheck } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useState, useTransition } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { WonPlate } from '#features/draws/screens/winner-card.tsx'
import type { Winner } from '#features/draws/winners.contract.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import type { LastCheck } from '#features/system/last-check.contract.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'

const LastDrawCheck = lazy(async () => ({ default: (await import('./last-draw-check.tsx')).LastDrawCheck }))

interface ProofsProps {
  won: Winner | undefined
  check: LastCheck['last']
}

/** What a visitor can see for themselves. Without data nothing is claimed. */
export function Proofs({ won, check }: ProofsProps): ReactNode {
  if (!won && !check) return null
  return (
    <div className="grid items-start gap-5 md:grid-cols-2">
      {won && <LastDraw won={won} />}
      {check && <Books check={check} />}
    </div>
  )
}

function LastDraw({ won }: { won: Winner }): ReactNode {
  const t = useTranslations('homeBelow.fair.check')
  const title = localized(won.contest, 'title', useLanguage())
  const [isAsked, setAsked] = useState(false)
  // The link stays, with its focus, until what takes its place is there.
  const [isLoading, startLoading] = useTransition()
  return (
    <Card className="grid grid-cols-1 justify-items-start gap-4 p-5 sm:p-6">
      <h3 className="flex items-center gap-3 text-lg">
        <ShieldCheck aria-hidden="true" className="size-6 shrink-0 text-signal" />
        {t('title')}
      </h3>
      <WonPlate won={won} />
      <p className="text-muted">
        {t.rich('text', {
          title: title.text,
          date: useDate(won.drawn_at),
          when: (date) => <ZonedTime iso={won.drawn_at}>{date}</ZonedTime>,
        })}
      </p>
      <p role="status" className="sr-only">
        {isLoading && t('loading')}
      </p>
      {isAsked ? (
        <Suspense>
          <LastDrawCheck slug={won.contest.slug} number={won.number} />
        </Suspense>
      ) : (
        <AppLink
          to={`${paths.draw(won.contest.slug)}#verify`}
          className={buttonClasses()}
          onClick={(event) => {
            event.preventDefault()
            startLoading(() => setAsked(true))
          }}
        >
          {t('action')}
        </AppLink>
      )}
    </Card>
  )
}

function Books({ check }: { check: NonNullable<LastCheck['last']> }): ReactNode {
  const t = useTranslations('homeBelow.fair.books')
  const { checked_at, checks, failed, unknown } = check
  const state = failed > 0 ? 'failed' : unknown > 0 ? 'unknown' : 'passed'
  const Icon = state === 'failed' ? CircleAlert : CircleCheck
  return (
    <Card className="grid grid-cols-1 justify-items-start gap-4 p-5 sm:p-6">
      <h3 className="flex items-center gap-3 text-lg">
        <BookCheck aria-hidden="true" className="size-6 shrink-0 text-signal" />
        {t('title')}
      </h3>
      <p className="flex gap-3 font-semibold" data-books={state}>
        <Icon
          aria-hidden="true"
          className={`mt-1 size-5 shrink-0 ${state === 'failed' ? 'text-error' : 'text-success'}`}
        />
        {t(state, { checks, passed: checks - failed - unknown })}
      </p>
      <p className="text-muted">{t('text')}</p>
      <p className="text-sm text-muted">
        {t.rich('last', {
          date: useDate(checked_at),
          when: (date) => <ZonedTime iso={checked_at}>{date}</ZonedTime>,
        })}
      </p>
    </Card>
  )
}

const useDate = (iso: string): string => formatDateTime(iso, useSettings().timeZone)
