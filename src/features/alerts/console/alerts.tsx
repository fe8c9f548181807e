import type { ReactNode } from 'react'
import { useLoaderData } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { Facts, Screen, Section, useTime } from '#console/kit/parts.tsx'
import type { Alert } from '../alerts.contract.ts'

export const loader = (): Promise<Alert[]> => consoleCall('GET', '/api/staff/alerts/')

/** What staff must look at, and what is over. */
export function Component(): ReactNode {
  const t = useTranslations('console.alerts')
  const all = useLoaderData<Alert[]>()
  const open = all.filter(({ resolved_at: at }) => at === null)
  const over = all.filter(({ resolved_at: at }) => at !== null)
  return (
    <Screen title={t('title')}>
      <Section title={t('open')}>
        {open.length === 0 ? <p className="text-muted">{t('empty')}</p> : <AlertList alerts={open} />}
      </Section>
      {over.length > 0 && (
        <Section title={t('over')}>
          <AlertList alerts={over} />
        </Section>
      )}
    </Screen>
  )
}

function AlertList({ alerts }: { alerts: readonly Alert[] }): ReactNode {
  const t = useTranslations('console.alerts')
  const time = useTime()
  return (
    <ul className="grid gap-4">
      {alerts.map((alert) => (
        <li key={alert.id} className="grid gap-2 border-b border-line pb-4 last:border-0 last:pb-0">
          <div className="flex flex-wrap items-center gap-3">
            <h3 className="font-semibold">{alert.title}</h3>
            <Badge tone={alert.resolved_at === null ? 'error' : 'neutral'}>
              {alert.resolved_at === null
                ? t('since', { when: time(alert.since) })
                : t('resolved', { when: time(alert.resolved_at) })}
            </Badge>
            <span className="text-sm text-muted">
              {t('times', { count: alert.times })}, {t('lastSeen', { when: time(alert.last_seen) })}
            </span>
          </div>
          <Facts
            facts={[
              ...(alert.subject === '' ? [] : [['', <code key="subject">{alert.subject}</code>] as const]),
              ...Object.entries(alert.details).map(
                ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
              ),
            ]}
          />
        </li>
      ))}
    </ul>
  )
}
