import type { ReactNode } from 'react'
import { useLoaderData } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { DataTable } from '#console/kit/data-table.tsx'
import { Facts, Screen, Section, Time, useTime } from '#console/kit/parts.tsx'
import { useScreenActions } from '#console/kit/screen-actions.ts'
import { useAction } from '#console/kit/use-action.ts'
import type { SystemStatus } from '../system.contract.ts'

const SYSTEM = '/api/staff/system/'

export const loader = (): Promise<SystemStatus> => consoleCall('GET', SYSTEM)

/** How the shop runs. */
export function Component(): ReactNode {
  const t = useTranslations('console')
  const {
    versions,
    jobs,
    queues,
    checkpoints,
    invariants,
    failed_emails: failed,
    settings,
  } = useLoaderData<SystemStatus>()
  return (
    <Screen title={t('system.title')}>
      <Invariants invariants={invariants} />
      <Section title={t('system.queues')}>
        <DataTable
          caption={t('system.queues')}
          rows={queues}
          idOf={({ name }) => name}
          empty={t('common.none')}
          columns={[
            { id: 'queue', title: t('system.queue'), cell: ({ name }) => t(`system.queueNames.${name}`) },
            { id: 'count', title: t('system.count'), isNumber: true, cell: ({ waiting }) => waiting },
            {
              id: 'oldest',
              title: t('system.oldest'),
              cell: ({ oldest_at: at }) => (at === null ? '–' : <Time at={at} />),
            },
          ]}
        />
      </Section>
      <Section title={t('system.failedEmails')}>
        <FailedEmails failed={failed} />
      </Section>
      <Section title={t('system.checkpoints')}>
        <Checkpoints checkpoints={checkpoints} />
      </Section>
      <Section title={t('system.jobs')}>
        <DataTable
          caption={t('system.jobs')}
          rows={jobs}
          idOf={({ name }) => name}
          empty={t('common.none')}
          columns={[
            { id: 'job', title: t('system.job'), cell: ({ name }) => name },
            {
              id: 'last',
              title: t('system.lastRun'),
              cell: ({ seconds, is_missing }) => (
                <Badge tone={is_missing ? 'error' : 'success'}>
                  {seconds === null ? t('common.never') : t('system.secondsAgo', { seconds })}
                </Badge>
              ),
            },
          ]}
        />
      </Section>
      <Section title={t('system.versions')}>
        <Facts
          facts={[
            [t('system.shop'), versions.shop],
            [t('system.mode'), versions.mode],
            [t('system.node'), versions.node],
            [t('system.postgres'), versions.postgres],
            [t('system.migration'), versions.migration],
          ]}
        />
      </Section>
      <Section title={t('system.settings')}>
        <DataTable
          caption={t('system.settings')}
          rows={settings}
          idOf={({ name }) => name}
          empty={t('common.none')}
          columns={[
            { id: 'name', title: t('system.setting'), cell: ({ name }) => <code>{name}</code> },
            { id: 'value', title: t('system.value'), cell: (setting) => <SettingValue setting={setting} /> },
          ]}
        />
      </Section>
    </Screen>
  )
}

function Checkpoints({ checkpoints }: Pick<SystemStatus, 'checkpoints'>): ReactNode {
  const t = useTranslations('console.system')
  const time = useTime()
  const { has_recipient: hasRecipient, last } = checkpoints
  const when = last?.sent_at ?? null
  return (
    <>
      <p className="text-muted">{t('checkpointsText')}</p>
      {!hasRecipient && <Alert tone="warning">{t('checkpointsUnset')}</Alert>}
      {last && (
        <p>
          {when === null
            ? t(last.state === 'failed' ? 'checkpointsFailed' : 'checkpointsQueued', { day: last.day })
            : t('checkpointsSent', { when: time(when) })}
        </p>
      )}
    </>
  )
}

function SettingValue({ setting }: { setting: SystemStatus['settings'][number] }): ReactNode {
  const t = useTranslations('console.system')
  const { value, is_secret: isSecret, is_set: isSet } = setting
  if (isSecret) return `${t('secret')} ${isSet ? t('isSet') : t('isUnset')}`
  return (
    <>
      {value ?? t('isUnset')}{' '}
      {!isSet && value !== null && <span className="text-muted">({t('default')})</span>}
    </>
  )
}

function Invariants({ invariants }: Pick<SystemStatus, 'invariants'>): ReactNode {
  const t = useTranslations('console.system')
  const mayRun = useMay()('system.run')
  const time = useTime()
  const action = useAction()
  const check = (): void => void action.run(() => consoleCall('POST', `${SYSTEM}check-invariants/`))
  useScreenActions(mayRun ? [{ name: 'checkInvariants', run: check }] : [])
  return (
    <Section
      title={t('invariants')}
      actions={
        mayRun && (
          <Button size="small" variant="secondary" busy={action.isBusy} onClick={check}>
            {t('checkNow')}
          </Button>
        )
      }
    >
      <p className="text-muted">{t('invariantsText')}</p>
      <div role="status" className="grid gap-3">
        {!invariants && <p>{t('neverChecked')}</p>}
        {invariants && invariants.broken.length === 0 && (
          <Alert tone={invariants.unknown.length === 0 ? 'success' : 'warning'}>
            {invariants.unknown.length === 0
              ? t('hold')
              : t('unknownNames', { names: invariants.unknown.join(', ') })}
          </Alert>
        )}
        {invariants && invariants.broken.length > 0 && (
          <Alert tone="error">{t('brokenNames', { names: invariants.broken.join(', ') })}</Alert>
        )}
        {invariants && (
          <p className="text-sm text-muted">{t('checkedAt', { when: time(invariants.checked_at) })}</p>
        )}
      </div>
      <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
    </Section>
  )
}

function FailedEmails({ failed }: { failed: SystemStatus['failed_emails'] }): ReactNode {
  const t = useTranslations('console')
  const mayRun = useMay()('system.run')
  const action = useAction()
  return (
    <>
      <DataTable
        caption={t('system.failedEmails')}
        rows={failed}
        idOf={({ id }) => id}
        empty={t('system.noFailedEmails')}
        columns={[
          { id: 'subject', title: t('audit.subject'), cell: ({ subject }) => subject },
          { id: 'kind', title: t('system.kind'), cell: ({ kind }) => <code>{kind}</code> },
          { id: 'when', title: t('audit.when'), cell: ({ failed_at: at }) => <Time at={at} /> },
          { id: 'error', title: t('system.error'), cell: ({ error }) => error ?? '–' },
          {
            id: 'resend',
            title: t('people.deeds'),
            cell: ({ id, subject, can_resend }) =>
              mayRun && can_resend ? (
                <Button
                  size="small"
                  variant="secondary"
                  aria-label={t('system.resendNamed', { subject })}
                  onClick={() =>
                    void action.run(
                      () => consoleCall('POST', `${SYSTEM}emails/${id}/resend/`),
                      t('common.done'),
                    )
                  }
                >
                  {t('system.resend')}
                </Button>
              ) : (
                '–'
              ),
          },
        ]}
      />
      <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
    </>
  )
}
