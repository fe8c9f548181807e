import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { formatSum } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'

/** For sums within texts. */
export function useSum(): (sum: string) => string {
  const language = useLanguage()
  return (sum) => formatSum(sum, language)
}

/** A sum in decimal euro text, as people read it. */
export function Sum({ sum }: { sum: string }): ReactNode {
  return <span className="whitespace-nowrap tabular-nums">{useSum()(sum)}</span>
}

const PARTS = [
  ['sales', '/reports'],
  ['statements', '/reports/statements'],
] as const

/** The parts of the reports, each with its own address. */
export function ReportTabs(): ReactNode {
  const t = useTranslations('consoleReports.tabs')
  return (
    <nav aria-label={t('label')} className="flex flex-wrap gap-1 border-b border-line">
      {PARTS.map(([name, to]) => (
        <NavLink
          key={name}
          to={to}
          end={name === 'sales'}
          className="flex min-h-11 items-center border-b-2 border-transparent px-4 font-semibold no-underline hover:border-line-strong aria-[current=page]:border-signal"
        >
          {t(name)}
        </NavLink>
      ))}
    </nav>
  )
}
