import { type ReactNode, useState } from 'react'
import { type LoaderFunctionArgs, Link, useLoaderData, useLocation, useRevalidator } from 'react-router'
import { formatSum } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { sumToDecimal } from '#shared/money.ts'
import { PROMISES } from '#shared/promises.ts'
import { STAFF_PERMISSIONS, type StaffPermission } from '#shared/staff-permissions.ts'
import { Alert as Notice } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay, useSession } from '#console-kit/console-context.tsx'
import { useMore } from '#console-kit/data-table.tsx'
import { TextAreaField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Facts, Screen, Section, useTime } from '#console-kit/parts.tsx'
import { rowLink } from '#console-kit/row-keys.ts'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
import type { Alert, Alerts } from '../alerts.contract.ts'
import {
  type AlertKind,
  isAlertDetail,
  isAlertReason,
  isCents,
  mayBeClosed,
  runbookOf,
} from '../alerts.rules.ts'

const ALERTS = '/api/staff/alerts/'
const NOTE_LENGTH = 500

/** Of a kind, beside all others. */
const EACH = 3

/** What the list is asked for: all kinds, of each the newest ones, so that none hides another; or one kind. */
function queryOf(search: string): string {
  const asked = new URLSearchParams(search)
  const kind = asked.get('kind')
  if (kind !== null) return new URLSearchParams({ kind }).toString()
  const wanted = new URLSearchParams({ each: String(EACH), limit: '200' })
  const among = asked.get('with')
  if (among !== null) wanted.set('with', among)
  return wanted.toString()
}

export const loader = ({ request }: LoaderFunctionArgs): Promise<Alerts> =>
  consoleCall('GET', `${ALERTS}?${queryOf(new URL(request.url).search)}`)

/** What staff must look at, who does so, and what is over. */
export function Component(): ReactNode {
  const t = useTranslations('consoleAlerts')
  const first = useLoaderData<Alerts>()
  const { search } = useLocation()
  const isOfKind = new URLSearchParams(search).has('kind')
  const {
    rows: all,
    button,
    news,
    asked,
  } = useMore(first, (after) => consoleCall('GET', `${ALERTS}?${queryOf(search)}&after=${after}`), {
    name: 'list',
    idOf: ({ id }) => id,
  })
  // One that is over meanwhile stays where it stands.
  const wasOver = new Set(asked.filter(({ resolved_at: at }) => at !== null).map(({ id }) => id))
  const open = all.filter(({ id }) => !wasOver.has(id))
  const over = all.filter(({ id }) => wasOver.has(id))
  return (
    <Screen title={t('title')}>
      {news}
      {isOfKind ? (
        <Link to="/alerts" className="prose-link">
          {t('allKinds')}
        </Link>
      ) : (
        <ChannelsNotice channels={first.channels} />
      )}
      <Section title={t('open')}>
        {open.length === 0 ? (
          <p className="text-muted">{t('empty')}</p>
        ) : (
          <div className="grid gap-8">
            {[...Map.groupBy(open, ({ kind }) => kind)].map(([kind, alerts]) => (
              <AlertGroup key={kind} alerts={alerts} count={Math.max(first.open[kind] ?? 0, alerts.length)} />
            ))}
          </div>
        )}
      </Section>
      {over.length > 0 && (
        <Section title={t('over')}>
          <AlertList alerts={over} />
        </Section>
      )}
      {button}
    </Screen>
  )
}

type Place = 'order' | 'contest' | 'holds' | 'messages' | 'approvals' | 'statement' | 'system'

const PLACES: Record<AlertKind, Place | undefined> = {
  invariant: 'system',
  invariantsUnchecked: 'system',
  ledgerDiffers: 'order',
  orderUnreconciled: 'order',
  reconciliationLate: 'system',
  wrongAmount: 'order',
  // PayPal has the order, the shop has not.
  unknownPayment: undefined,
  statementPayment: 'statement',
  vatCountryDiffers: 'order',
  orderInReview: 'order',
  paymentUnclear: 'order',
  // Its subject is PayPal's code.
  providerRefuses: undefined,
  // Its details have the order and PayPal's page.
  dispute: undefined,
  manyHolds: 'holds',
  refundLate: 'order',
  refundRefused: 'order',
  notificationsWaiting: 'system',
  emailsWaiting: 'system',
  emailsFailed: 'system',
  messageLate: 'messages',
  approvalUndone: 'approvals',
  cardMissedDraw: 'contest',
  postNotCounted: 'contest',
  drawWithoutTerms: 'contest',
  beaconSilent: 'contest',
  registerContradicted: 'system',
  witnessesSilent: 'system',
  stampsMissing: 'contest',
  jobMissing: 'system',
  workerMissing: 'system',
  providerDown: 'system',
  mailDown: 'system',
  databaseAway: 'system',
  databaseReadOnly: 'system',
  databaseDegraded: 'system',
  diskLow: 'system',
  backupOld: 'system',
  clockSkew: 'system',
  logKeyWrong: 'system',
  webhookFails: 'system',
}

/** What a place asks of a role. */
const PERMITTED: Record<Place, StaffPermission> = {
  order: 'orders.read',
  contest: 'offers.read',
  holds: 'orders.read',
  messages: 'messages.read',
  approvals: 'approvals.read',
  statement: 'reports.read',
  system: 'system.read',
}

const UUID = /^[\da-f]{8}-/

/** The screen of what an alert is about, if there is one. */
function placeOf({ kind, subject }: Alert): { place: Place; to: string } | undefined {
  // A refund that is late is an order's or a cancelled contest's.
  const place = kind === 'refundLate' && !UUID.test(subject) ? 'contest' : PLACES[kind]
  if (!place) return undefined
  const id = encodeURIComponent(subject)
  const to = {
    order: `/orders/${id}`,
    contest: `/offers?q=${id}`,
    holds: `/orders?state=held&offer=${id}`,
    messages: '/messages?state=open',
    approvals: '/approvals',
    statement: `/reports/statements/${id}`,
    system: '/system',
  }
  return { place, to: to[place] }
}

/** Where messages about alerts go, and why they do not arrive. */
function ChannelsNotice({ channels: { email, webhook } }: Pick<Alerts, 'channels'>): ReactNode {
  const t = useTranslations('consoleAlerts.channels')
  const time = useTime()
  if (!webhook) return <Notice tone="warning">{t(email ? 'emailOnly' : 'none')}</Notice>
  const { format, sent_at: sent, failing_since: since, error } = webhook
  if (since !== null)
    return (
      <Notice tone="error">
        <span className="wrap-anywhere">
          {t('failing', { when: time(since), format, error: error ?? '' })}
        </span>
      </Notice>
    )
  return (
    <p className="text-sm text-muted">
      {t('works', { format, both: String(email), sent: sent === null ? 'none' : time(sent) })}
    </p>
  )
}

/** All open alerts of a kind: what they mean and what to do stands once. */
function AlertGroup({ alerts, count }: { alerts: readonly Alert[]; count: number }): ReactNode {
  const t = useTranslations('consoleAlerts')
  const { search } = useLocation()
  const [first] = alerts
  if (!first) return null
  const { kind, title } = first
  const left = new URLSearchParams(search).has('kind') ? 0 : count - alerts.length
  return (
    <section id={kind} className="grid gap-4 border-b border-line pb-8 last:border-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="text-lg font-semibold">{title}</h3>
        {count > 1 && <Badge tone="error">{t('group', { count })}</Badge>}
      </div>
      <Facts
        facts={[
          [t('meaning'), t(`kinds.${kind}.meaning`, PROMISES)],
          [t('advice'), t(`kinds.${kind}.advice`)],
          [
            t('runbook'),
            <code key="runbook" className="wrap-anywhere">
              {runbookOf(kind)}
            </code>,
          ],
        ]}
      />
      <AlertList alerts={alerts} isGrouped />
      {left > 0 && (
        <Link
          to={`/alerts?kind=${kind}`}
          className={buttonClasses('secondary', 'small', { className: 'justify-self-start' })}
        >
          {t('showAll', { count: left })}
        </Link>
      )}
      {!mayBeClosed(kind) && <p className="text-sm text-muted">{t('itself')}</p>}
    </section>
  )
}

/** @param isGrouped below the title of their kind */
function AlertList({
  alerts,
  isGrouped = false,
}: {
  alerts: readonly Alert[]
  isGrouped?: boolean
}): ReactNode {
  return (
    <ul className="grid gap-6">
      {alerts.map((alert) => (
        <li
          key={alert.id}
          id={`alert-${alert.id}`}
          className={classes(
            'grid gap-3',
            isGrouped ? 'border-l-2 border-line pl-4' : 'border-b border-line pb-6 last:border-0 last:pb-0',
          )}
        >
          <AlertItem alert={alert} isGrouped={isGrouped} />
        </li>
      ))}
    </ul>
  )
}

function AlertItem({ alert, isGrouped }: { alert: Alert; isGrouped: boolean }): ReactNode {
  const t = useTranslations('consoleAlerts')
  const time = useTime()
  const may = useMay()
  const { taken } = alert
  const isOpen = alert.resolved_at === null
  const found = placeOf(alert)
  const isLinked = found !== undefined && may(PERMITTED[found.place])
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        {!isGrouped && <h3 className="font-semibold">{alert.title}</h3>}
        <StateBadge alert={alert} />
        <span className="text-sm text-muted">
          {t('times', { count: alert.times })}, {t('lastSeen', { when: time(alert.last_seen) })}
        </span>
      </div>
      <Details alert={alert} />
      {taken && (
        <p className="text-sm">
          {isOpen && t('takenBy', { name: taken.by, when: time(taken.at) })}
          {taken.note !== null && <span className="block whitespace-pre-line text-muted">{taken.note}</span>}
        </p>
      )}
      <div className={classes('flex flex-wrap items-center gap-3', isGrouped && 'min-h-11')}>
        {isLinked && (
          <Link {...rowLink} to={found.to} className={buttonClasses('secondary', 'small')}>
            {t(`go.${found.place}`)}
          </Link>
        )}
        {isOpen && may('alerts.handle') && <Handling alert={alert} isMain={!isLinked} />}
      </div>
      {isOpen && found && !may(PERMITTED[found.place]) && <WhomToAsk permission={PERMITTED[found.place]} />}
    </>
  )
}

/** Says who may see the place where an alert is settled. */
function WhomToAsk({ permission }: { permission: StaffPermission }): ReactNode {
  const t = useTranslations('consoleAlerts')
  const roleOf = useTranslations('console.roles')
  const roles = STAFF_PERMISSIONS[permission].roles.map((role) => roleOf(role))
  const list = new Intl.ListFormat(useLanguage(), { type: 'disjunction' }).format(roles)
  return <p className="text-sm">{t('askRole', { roles: list })}</p>
}

function StateBadge({ alert: { since, resolved_at: at, closed_by: name } }: { alert: Alert }): ReactNode {
  const t = useTranslations('consoleAlerts')
  const time = useTime()
  if (at === null) return <Badge tone="error">{t('since', { when: time(since) })}</Badge>
  return (
    <Badge tone="neutral">
      {name === null ? t('resolved', { when: time(at) }) : t('closed', { name, when: time(at) })}
    </Badge>
  )
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** What was found, with the names and figures as people read them. */
function Details({ alert: { subject, order_number: number, details } }: { alert: Alert }): ReactNode {
  const t = useTranslations('consoleAlerts')
  const language = useLanguage()
  const time = useTime()
  const nameOf = (name: string): string => (isAlertDetail(name) ? t(`details.${name}`) : name)
  const textOf = (name: string, value: unknown): string => {
    if (isCents(name, value)) return formatSum(sumToDecimal(value), language)
    if (name === 'part' && (value === 'lines' || value === 'amount')) return t(`parts.${value}`)
    if (isAlertReason(name, value)) return t(`reasons.${value}`)
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
    if (typeof value !== 'string') return JSON.stringify(value)
    return INSTANT.test(value) ? time(value) : value
  }
  const shown = (name: string, value: unknown): ReactNode =>
    name === 'page' && typeof value === 'string' && value.startsWith('https://') ? (
      <a key={name} href={value} target="_blank" rel="noreferrer" className="prose-link">
        {t('atProvider')}
      </a>
    ) : (
      textOf(name, value)
    )
  const about =
    number === null
      ? ([t('subject'), <code key="subject">{subject}</code>] as const)
      : ([t('details.order'), number] as const)
  const known = Object.entries(details).filter(([, value]) => value !== null)
  return (
    <Facts
      facts={[
        subject !== '' && about,
        ...known.map(([name, value]) => [nameOf(name), shown(name, value)] as const),
      ]}
    />
  )
}

type Opened = 'take' | 'close'

/** Who looks after it, and closing what the shop does not resolve itself. */
function Handling({
  alert: { id, kind, taken },
  isMain,
}: {
  alert: Alert
  /** The item has no link. */
  isMain: boolean
}): ReactNode {
  const t = useTranslations('consoleAlerts')
  const { user_id: me } = useSession()
  const { revalidate } = useRevalidator()
  const [opened, setOpened] = useState<Opened>()
  const form = useFields({ note: '', reason: '' })
  const release = useAction()
  const isMine = taken?.by_id === me
  const take = t(taken === null ? 'take' : isMine ? 'changeNote' : 'takeOver')
  const open = (which: Opened): void => {
    for (const name of ['note', 'reason'] as const) form.set(name, taken?.note ?? '')
    setOpened(which)
  }
  const close = (): void => {
    // What was refused has changed meanwhile.
    if (form.error !== undefined) void revalidate()
    form.reset()
    setOpened(undefined)
  }
  const { note, reason } = form.values
  const isTaking = opened === 'take'
  const send = (): Promise<unknown> =>
    isTaking
      ? consoleCall('POST', `${ALERTS}${id}/take/`, {
          body: { note: note.trim(), taken_by: taken?.by_id ?? null },
        })
      : consoleCall('POST', `${ALERTS}${id}/close/`, { body: { reason: reason.trim() } })
  const leave = async (): Promise<void> => {
    const isDone = await release.run(() => consoleCall('POST', `${ALERTS}${id}/release/`))
    if (!isDone) await revalidate()
  }
  return (
    <>
      <Button {...(isMain && rowLink)} size="small" variant="secondary" onClick={() => open('take')}>
        {take}
      </Button>
      {isMine && (
        <Button size="small" variant="ghost" busy={release.isBusy} onClick={() => void leave()}>
          {t('release')}
        </Button>
      )}
      {mayBeClosed(kind) && (
        <Button size="small" variant="ghost" onClick={() => open('close')}>
          {t('close')}
        </Button>
      )}
      <span role="alert" className="text-sm">
        {release.error}
      </span>
      {opened && (
        <ConfirmDialog
          title={isTaking ? take : t('close')}
          isDisabled={!isTaking && reason.trim() === ''}
          action={form}
          act={send}
          onClose={close}
        >
          <p>{t(isTaking ? 'takeText' : 'closeText')}</p>
          <TextAreaField
            label={t(isTaking ? 'note' : 'closeNote')}
            hint={t('noteHint')}
            maxLength={NOTE_LENGTH}
            {...form.field(isTaking ? 'note' : 'reason')}
          />
        </ConfirmDialog>
      )}
    </>
  )
}
