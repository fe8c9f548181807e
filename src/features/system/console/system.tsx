import { type ReactNode, useState } from 'react'
import { Link, useLoaderData } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { DataTable, ListTable } from '#console-kit/data-table.tsx'
import { ConfirmDialog, Facts, Fault, Screen, Section, Time, useTime } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useEmailKind } from '#features/emails/console/sent-emails.tsx'
import { useAction } from '#console-kit/use-action.ts'
import type {
  CheckName,
  FailedEmail,
  FailedEmails,
  Findings,
  SystemStatus,
  TestAlert,
  TestEmail,
} from '../system.contract.ts'

const SYSTEM = '/api/staff/system/'
const EMAILS = `${SYSTEM}emails/`

interface Loaded {
  status: SystemStatus
  emails: FailedEmails
}

export async function loader(): Promise<Loaded> {
  const [status, emails] = await Promise.all([
    consoleCall<SystemStatus>('GET', SYSTEM),
    consoleCall<FailedEmails>('GET', EMAILS),
  ])
  return { status, emails }
}

/** How the shop runs. */
export function Component(): ReactNode {
  const t = useTranslations('consoleSystem')
  const tCommon = useTranslations('console.common')
  const jobOf = useJobWords()
  const { status, emails } = useLoaderData<Loaded>()
  const { versions, jobs, queues, checkpoints, settings } = status
  return (
    <Screen title={t('title')}>
      <Invariants status={status} />
      <Doctor />
      <Section title={t('queues')}>
        <DataTable
          caption={t('queues')}
          rows={queues}
          idOf={({ name }) => name}
          empty={tCommon('none')}
          columns={[
            { id: 'queue', title: t('queue'), cell: ({ name }) => t(`queueNames.${name}`) },
            { id: 'count', title: t('count'), isNumber: true, cell: ({ waiting }) => waiting },
            {
              id: 'oldest',
              title: t('oldest'),
              cell: ({ oldest_at: at }) => (at === null ? '–' : <Time at={at} />),
            },
          ]}
        />
      </Section>
      <FailedEmailsSection first={emails} />
      <Section title={t('checkpoints')}>
        <Checkpoints checkpoints={checkpoints} />
      </Section>
      <Checkpoint checkpoint={status.checkpoint} />
      <Section title={t('jobsTitle')}>
        <DataTable
          caption={t('jobsTitle')}
          rows={jobs}
          idOf={({ name }) => name}
          empty={tCommon('none')}
          columns={[
            { id: 'job', title: t('job'), cell: ({ name }) => jobOf(name) },
            {
              id: 'last',
              title: t('lastRun'),
              cell: ({ seconds, is_missing }) => (
                <Badge tone={is_missing ? 'error' : 'success'}>
                  {seconds === null ? tCommon('never') : t('secondsAgo', { seconds })}
                </Badge>
              ),
            },
          ]}
        />
      </Section>
      <Section title={t('versions')}>
        <Facts
          facts={[
            [t('shop'), versions.shop],
            [t('mode'), versions.mode],
            [t('node'), versions.node],
            [t('postgres'), versions.postgres],
            [t('migration'), versions.migration],
          ]}
        />
      </Section>
      <Section title={t('settings')}>
        <DataTable
          caption={t('settings')}
          rows={settings}
          idOf={({ name }) => name}
          empty={tCommon('none')}
          columns={[
            { id: 'name', title: t('setting'), isCode: true, cell: ({ name }) => <code>{name}</code> },
            {
              id: 'value',
              title: t('value'),
              isCode: true,
              cell: (setting) => <SettingValue setting={setting} />,
            },
          ]}
        />
      </Section>
    </Screen>
  )
}

function Checkpoints({ checkpoints }: Pick<SystemStatus, 'checkpoints'>): ReactNode {
  const t = useTranslations('consoleSystem')
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

/** The words for a background job; its name where there are none. */
function useJobWords(): (name: string) => string {
  const t = useTranslations('consoleSystem')
  return (name) => {
    const key = `jobs.${name.replaceAll(' ', '_') as 'send_reports'}` as const
    return t.has(key) ? t(key) : name
  }
}

function SettingValue({ setting }: { setting: SystemStatus['settings'][number] }): ReactNode {
  const t = useTranslations('consoleSystem')
  const { value, is_secret: isSecret, is_set: isSet } = setting
  if (isSecret) return `${t('secret')} ${isSet ? t('isSet') : t('isUnset')}`
  return (
    <>
      {value ?? t('isUnset')}{' '}
      {!isSet && value !== null && <span className="text-muted">({t('default')})</span>}
    </>
  )
}

type Broken = NonNullable<SystemStatus['invariants']>['broken'][number]

/** Each invariant with its sentence, and what breaks it. */
function Invariants({
  status: { invariant_names: names, invariants },
}: {
  status: Pick<SystemStatus, 'invariant_names' | 'invariants'>
}): ReactNode {
  const t = useTranslations('consoleSystem')
  const tCommon = useTranslations('console.common')
  const mayRun = useMay()('system.run')
  const time = useTime()
  const action = useAction()
  const check = (): void => void action.run(() => consoleCall('POST', `${SYSTEM}check-invariants/`))
  useScreenActions(mayRun ? [{ name: 'checkInvariants', run: check }] : [])
  const brokenOf = (name: string) => invariants?.broken.find((one) => one.name === name)
  const sentenceOf = (name: string): string => {
    const key = `sentences.${name as 'I1'}` as const
    return t.has(key) ? t(key) : name
  }
  // What is broken comes first.
  const rows = names.toSorted((one, other) => Number(!brokenOf(one)) - Number(!brokenOf(other)))
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
      <p role="status" className="text-sm text-muted">
        {invariants ? t('checkedAt', { when: time(invariants.checked_at) }) : t('neverChecked')}
      </p>
      <Fault error={action.error} />
      <DataTable
        caption={t('invariants')}
        rows={rows}
        idOf={(name) => name}
        empty={tCommon('none')}
        columns={[
          { id: 'name', title: t('invariant'), isCode: true, cell: (name) => <code>{name}</code> },
          {
            id: 'sentence',
            title: t('sentence'),
            cell: (name) => (
              <span className="grid gap-1">
                {sentenceOf(name)}
                <FirstRows broken={brokenOf(name)} />
              </span>
            ),
          },
          {
            id: 'state',
            title: t('state'),
            cell: (name) => (
              <span className="whitespace-nowrap">
                <InvariantState
                  broken={brokenOf(name)}
                  isUnknown={!invariants || invariants.unknown.includes(name)}
                />
              </span>
            ),
          },
        ]}
      />
    </Section>
  )
}

const TONES = { ok: 'success', warning: 'warning', fault: 'error', skipped: 'neutral' } as const
/** The worst first. */
const RANKS = { fault: 0, warning: 1, ok: 2, skipped: 3 } as const

/** What the doctor finds, and an email that tests the way. */
function Doctor(): ReactNode {
  const t = useTranslations('consoleSystem.doctorChecks')
  const tSystem = useTranslations('consoleSystem')
  const tCommon = useTranslations('console.common')
  const mayRun = useMay()('system.run')
  const [everything, provider, email, alert] = [useAction(), useAction(), useAction(), useAction()]
  const [findings, setFindings] = useState<Findings['findings']>([])
  const [sent, setSent] = useState<TestEmail>()
  const [told, setTold] = useState<TestAlert>()
  const examine = (by: typeof everything, checks?: CheckName[]): void =>
    void by.run(async () => {
      const found = await consoleCall<Findings>('POST', `${SYSTEM}doctor/`, {
        body: checks ? { checks } : {},
      })
      setFindings((before) => [
        ...before.filter(({ check }) => !found.findings.some((one) => one.check === check)),
        ...found.findings,
      ])
    })
  const examineAll = (): void => examine(everything)
  const sendTest = (): void =>
    void email.run(async () => setSent(await consoleCall<TestEmail>('POST', `${SYSTEM}test-email/`)))
  const sendAlert = (): void =>
    void alert.run(async () => setTold(await consoleCall<TestAlert>('POST', `${SYSTEM}test-alert/`)))
  useScreenActions(mayRun ? [{ name: 'examine', run: examineAll }] : [])
  const count = (state: string): number => findings.filter((one) => one.state === state).length
  const actions = [
    { title: t('examine'), action: everything, run: examineAll },
    { title: t('examineProvider'), action: provider, run: () => examine(provider, ['provider', 'webhook']) },
    { title: t('sendTest'), action: email, run: sendTest },
    { title: t('sendAlert'), action: alert, run: sendAlert },
  ]
  const error = actions.map(({ action }) => action.error).find((one) => one !== undefined)
  return (
    <Section
      title={t('doctor')}
      actions={
        mayRun && (
          <span className="flex flex-wrap gap-2">
            {actions.map(({ title, action, run }) => (
              <Button key={title} size="small" variant="secondary" busy={action.isBusy} onClick={run}>
                {title}
              </Button>
            ))}
          </span>
        )
      }
    >
      <p className="text-muted">{t('doctorText')}</p>
      <div role="status" className="grid gap-1 text-sm text-muted">
        <p>
          {findings.length === 0
            ? t('foundNone')
            : t('foundCount', { faults: count('fault'), warnings: count('warning') })}
        </p>
        {sent && <SentTest sent={sent} />}
        {told && (
          <Alert tone={told.is_sent ? 'success' : 'error'}>
            <span className="wrap-anywhere">
              {told.is_sent ? t('alertSent') : t('alertFailed', { error: told.error ?? '' })}
            </span>
          </Alert>
        )}
      </div>
      <Fault error={error} />
      {findings.length > 0 && (
        <DataTable
          caption={t('doctor')}
          rows={findings.toSorted((one, other) => RANKS[one.state] - RANKS[other.state])}
          idOf={({ check }) => check}
          empty={tCommon('none')}
          columns={[
            { id: 'check', title: t('check'), cell: ({ title }) => title },
            {
              id: 'finding',
              title: t('finding'),
              cell: ({ text }) => <span className="wrap-anywhere">{text}</span>,
            },
            {
              id: 'state',
              title: tSystem('state'),
              cell: ({ state }) => <Badge tone={TONES[state]}>{t(`found.${state}`)}</Badge>,
            },
          ]}
        />
      )}
    </Section>
  )
}

/** What became of the email that tests the way. */
function SentTest({ sent: { to, state, error } }: { sent: TestEmail }): ReactNode {
  const t = useTranslations('consoleSystem.doctorChecks')
  if (state === 'sent') return <Alert tone="success">{t('testSent', { to })}</Alert>
  if (state === 'kept') return <Alert tone="info">{t('testKept', { to })}</Alert>
  if (error === null) return <Alert tone="info">{t('testQueued', { to })}</Alert>
  return <Alert tone="error">{t(state === 'failed' ? 'testFailed' : 'testWaits', { to, error })}</Alert>
}

function InvariantState({
  broken,
  isUnknown,
}: {
  broken: Broken | undefined
  isUnknown: boolean
}): ReactNode {
  const t = useTranslations('consoleSystem.states')
  if (broken)
    return (
      <Badge tone="error">
        {broken.more ? t('brokenMore', { count: broken.rows }) : t('broken', { count: broken.rows })}
      </Badge>
    )
  return <Badge tone={isUnknown ? 'warning' : 'success'}>{isUnknown ? t('unknown') : t('holds')}</Badge>
}

function FirstRows({ broken }: { broken: Broken | undefined }): ReactNode {
  const t = useTranslations('consoleSystem')
  if (!broken) return null
  return (
    <span className="grid gap-1 text-xs">
      <span className="text-muted">{t('firstRows')}</span>
      {broken.first.map((row) => (
        <code key={row} className="wrap-anywhere">
          {row}
        </code>
      ))}
    </span>
  )
}

function FailedEmailsSection({ first }: { first: FailedEmails }): ReactNode {
  const t = useTranslations('consoleSystem')
  const kindOf = useEmailKind()
  const mayRun = useMay()('system.run')
  const action = useAction()
  const [isAsked, setAsked] = useState(false)
  const tConsole = useTranslations('console')
  return (
    <Section
      title={t('failedEmails')}
      actions={
        mayRun &&
        first.resendable > 1 && (
          <Button size="small" variant="secondary" onClick={() => setAsked(true)}>
            {t('resendAll')}
          </Button>
        )
      }
    >
      <ListTable
        caption={t('failedEmails')}
        first={first}
        more={(after) => `${EMAILS}?after=${after}`}
        name="emails"
        idOf={({ id }) => id}
        empty={t('noFailedEmails')}
        columns={[
          {
            id: 'email',
            title: t('kind'),
            cell: ({ kind, subject }) => (
              <span className="grid">
                <span className="font-semibold">{kindOf(kind)}</span>
                <span className="text-muted">{subject ?? t('erased')}</span>
              </span>
            ),
          },
          {
            id: 'recipient',
            title: t('recipient'),
            isCode: true,
            cell: ({ recipient }) => recipient ?? t('erased'),
          },
          { id: 'about', title: t('about'), isCode: true, cell: (email) => <About email={email} /> },
          { id: 'when', title: tConsole('audit.when'), cell: ({ failed_at: at }) => <Time at={at} /> },
          { id: 'error', title: t('error'), isCode: true, cell: ({ error }) => error ?? '–' },
          {
            id: 'resend',
            title: tConsole('people.deeds'),
            cell: ({ id, kind, subject, can_resend }) =>
              mayRun && can_resend ? (
                <Button
                  size="small"
                  variant="secondary"
                  aria-label={t('resendNamed', { subject: subject ?? kindOf(kind) })}
                  onClick={() =>
                    void action.run(
                      () => consoleCall('POST', `${EMAILS}${id}/resend/`),
                      tConsole('common.done'),
                    )
                  }
                >
                  {t('resend')}
                </Button>
              ) : (
                '–'
              ),
          },
        ]}
      />
      <Fault error={action.error} />
      {isAsked && (
        <ConfirmDialog
          title={t('resendAll')}
          act={() => consoleCall('POST', `${EMAILS}resend/`)}
          done={t('resentAll')}
          onClose={() => setAsked(false)}
        >
          <p>{t('resendAllText', { count: first.resendable })}</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

/** The records that an email is about, with the ways to them. */
function About({ email }: { email: FailedEmail }): ReactNode {
  const t = useTranslations('consoleSystem')
  const { customer_id: customer, order_id: order, entry_id: entry, message_id: message } = email
  const links = [
    customer !== null && { to: `/customers/${customer}`, text: t('aboutCustomer', { id: String(customer) }) },
    order !== null && { to: `/orders/${order}`, text: t('aboutOrder') },
    entry !== null && { to: `/post/entries/${entry}`, text: t('aboutEntry') },
    message !== null && { to: `/messages/${message}`, text: t('aboutMessage') },
  ].filter((link) => link !== false)
  if (links.length === 0) return '–'
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {links.map(({ to, text }) => (
        <Link key={to} to={to} className="prose-link inline-block py-1.5">
          {text}
        </Link>
      ))}
    </span>
  )
}

/** When the end of the audit log last left the house. */
function Checkpoint({ checkpoint }: Pick<SystemStatus, 'checkpoint'>): ReactNode {
  const t = useTranslations('consoleSystem')
  const tStates = useTranslations('console')
  const time = useTime()
  return (
    <Section title={t('checkpoint')}>
      <p className="text-muted">{t('checkpointText')}</p>
      <p>
        {checkpoint === null
          ? t('checkpointNever')
          : t('checkpointLast', {
              when: time(checkpoint.queued_at),
              state: tStates(`sentEmail.states.${checkpoint.state}`),
            })}
      </p>
    </Section>
  )
}
