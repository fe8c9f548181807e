import { type ReactNode, useId } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import {
  PARTICIPATION_FILTERS,
  type Participation,
  type ParticipationFilter,
  withStatus,
} from './participations.ts'

interface StatusFilterProps {
  all: readonly Participation[]
  value: ParticipationFilter
  onChange: (filter: ParticipationFilter) => void
}

/** All, in progress, expired: native radio buttons, each with how many contests it leaves. */
export function StatusFilter({ all, value, onChange }: StatusFilterProps): ReactNode {
  const t = useTranslations('tickets.filter')
  const name = useId()
  return (
    <fieldset className="print:hidden">
      <legend className="sr-only">{t('label')}</legend>
      <div className="flex flex-wrap gap-2 max-sm:*:grow">
        {PARTICIPATION_FILTERS.map((filter) => (
          <label
            key={filter}
            className="inline-flex min-h-11 cursor-pointer items-center justify-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm font-semibold sm:px-4 has-checked:border-fill has-checked:bg-fill has-checked:text-on-fill has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-signal"
          >
            <input
              type="radio"
              name={name}
              value={filter}
              checked={value === filter}
              onChange={() => onChange(filter)}
              className="sr-only"
            />
            {t(filter)}
            <span className="font-normal">{withStatus(all, filter).length}</span>
          </label>
        ))}
      </div>
      <p role="status" className="sr-only">
        {t('result', { count: withStatus(all, value).length })}
      </p>
    </fieldset>
  )
}
