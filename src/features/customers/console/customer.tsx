import { type ReactNode, useState } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { SecurityEvents } from '#features/accounts/staff-accounts.contract.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { DataTable, useMore } from '#console/kit/data-table.tsx'
import { Facts, Screen, Section, Time, useTime } from '#console/kit/parts.tsx'
import { useScreenActions } from '#console/kit/screen-actions.ts'
import { useRead } from '#console/kit/use-read.ts'
import type { Customer } from '../customers.contract.ts'
import { CustomerDialog, type Deed } from './customer-dialogs.tsx'
import { CUSTOMERS, StandingBadges, useCustomerName, useWords } from './customer-parts.tsx'

export const loader = ({ params }: LoaderFunctionArgs): Promise<Customer> =>
  consoleCall('GET', `${CUSTOMERS}${encodeURIComponent(params['id'] ?? '')}/`)

/** Everything about one customer, and what staff do to the account. */
export function Component(): ReactNode {
  const customer = useLoaderData<Customer>()
  const nameOf = useCustomerName()
  const [deed, setDeed] = useState<Deed>()
  return (
    // Another customer begins anew.
    <Screen
      key={customer.id}
      title={nameOf(customer)}
      lead={customer.state === 'closed' ? undefined : customer.email}
      actions={<StandingBadges customer={customer} />}
    >
      <Standing customer={customer} />
      <Deeds customer={customer} choose={setDeed} />
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-2">
        <Account customer={customer} />
        <Sessions customer={customer} choose={setDeed} />
      </div>
      <Orders customer={customer} />
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-2">
        <Tickets customer={customer} />
        <CustomerMessages customer={customer} />
      </div>
      <Others customer={customer} />
      <Emails customer={customer} />
      <Suspensions customer={customer} />
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-2">
        <SecurityLog id={customer.id} />
        <History customer={customer} />
      </div>
      {deed && <CustomerDialog deed={deed} customer={customer} onClose={() => setDeed(undefined)} />}
    </Screen>
  )
}

interface Part {
  customer: Customer
}

/** Cells of tables break words. */
const OneLine = ({ children }: { children: ReactNode }): ReactNode => (
  <span className="whitespace-nowrap">{children}</span>
)

/** Why the account is not an ordinary open one. */
function Standing({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const time = useTime()
  const reasonOf = useWords('reasons')
  const { state, is_staff: isStaff, suspensions } = customer
  const [latest] = suspensions
  if (state === 'closed') return <Alert>{t('account.closedText')}</Alert>
  if (state === 'suspended' && latest && latest.lifted_at === null)
    return (
      <Alert
        tone="error"
        title={t('suspension.now', { when: time(latest.at), by: latest.by, reason: reasonOf(latest.reason) })}
      >
        {latest.note}
      </Alert>
    )
  return isStaff ? <Alert>{t('account.staffText')}</Alert> : null
}

function Deeds({ customer, choose }: Part & { choose: (deed: Deed) => void }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const may = useMay()
  const { state, is_staff: isStaff } = customer
  const isOpen = state !== 'closed'
  const offered: [Deed, string, boolean][] = [
    ['email', t('email.do'), isOpen && may('messages.answer')],
    ['suspend', t('suspend.do'), state === 'active' && !isStaff && may('customers.suspend')],
    ['restore', t('restore.do'), state === 'suspended' && !isStaff && may('customers.suspend')],
    ['export', t('export.do'), may('customers.export')],
    ['erase', t('erase.do'), isOpen && !isStaff && may('customers.erase')],
  ]
  const shown = offered.filter(([, , isOffered]) => isOffered)
  useScreenActions(shown.map(([deed, label]) => ({ label, run: () => choose(deed) })))
  return (
    <div className="flex flex-wrap gap-3">
      {shown.map(([deed, text]) => (
        <Button
          key={deed}
          size="small"
          variant={deed === 'suspend' || deed === 'erase' ? 'danger' : 'secondary'}
          onClick={() => choose(deed)}
        >
          {text}
        </Button>
      ))}
    </div>
  )
}

function Account({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const { id, email, phone, state, language, closed_at: closedAt } = customer
  const isOpen = state !== 'closed'
  return (
    <Section title={t('account.title')}>
      <Facts
        facts={[
          [t('account.id'), `#${id}`],
          ...(isOpen
            ? [
                [t('account.email'), email] as const,
                [t('account.phone'), phone || '–'] as const,
                [t('account.language'), t(`languages.${language}`)] as const,
              ]
            : []),
          ...(customer.pending_email === null
            ? []
            : [[t('account.pending'), customer.pending_email] as const]),
          ...(customer.partner_code === null ? [] : [[t('account.code'), customer.partner_code] as const]),
          [t('account.since'), <Time key="since" at={customer.created_at} />],
          ...(closedAt === null ? [] : [[t('account.closed'), <Time key="closed" at={closedAt} />] as const]),
        ]}
      />
    </Section>
  )
}

function Sessions({ customer, choose }: Part & { choose: (deed: Deed) => void }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const may = useMay()
  const { sessions, state } = customer
  const mayEnd = state !== 'closed' && sessions.length > 0 && may('customers.endSessions')
  useScreenActions(mayEnd ? [{ label: t('sessions.endAll'), run: () => choose('endSessions') }] : [])
  return (
    <Section
      title={t('sessions.title')}
      actions={
        mayEnd && (
          <Button size="small" variant="secondary" onClick={() => choose('endSessions')}>
            {t('sessions.endAll')}
          </Button>
        )
      }
    >
      <DataTable
        caption={t('sessions.title')}
        rows={sessions}
        idOf={({ id }) => id}
        empty={t('sessions.empty')}
        columns={[
          {
            id: 'device',
            title: t('sessions.device'),
            cell: ({ browser, system }) =>
              [browser, system].filter(Boolean).join(', ') || t('sessions.unknown'),
          },
          { id: 'started', title: t('sessions.started'), cell: (row) => <Time at={row.started_at} /> },
          { id: 'used', title: t('sessions.used'), cell: (row) => <Time at={row.last_used_at} /> },
        ]}
      />
    </Section>
  )
}

function Orders({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const language = useLanguage()
  const stateOf = useWords('orderStates')
  const mayRead = useMay()('orders.read')
  const linkOf = ({ number }: Customer['orders']['items'][number]): string => `/orders/${number}`
  const { rows, button } = useMore(customer.orders, (after) =>
    consoleCall('GET', `${CUSTOMERS}${customer.id}/orders/?after=${after}`),
  )
  return (
    <Section title={t('orders.title')}>
      <DataTable
        caption={t('orders.title')}
        rows={rows}
        idOf={({ id }) => id}
        {...(mayRead && { linkOf })}
        empty={t('orders.empty')}
        columns={[
          { id: 'number', title: t('orders.number'), cell: ({ number }) => number },
          {
            id: 'state',
            title: t('orders.state'),
            cell: ({ state }) => (
              <OneLine>
                <Badge>{stateOf(state)}</Badge>
              </OneLine>
            ),
          },
          { id: 'tickets', title: t('orders.tickets'), cell: ({ tickets }) => tickets, isNumber: true },
          {
            id: 'total',
            title: t('orders.total'),
            cell: ({ total }) => formatEur(total, language),
            isNumber: true,
          },
          { id: 'placed', title: t('orders.placed'), cell: (row) => <Time at={row.created_at} /> },
        ]}
      />
      {button}
    </Section>
  )
}

function Tickets({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const hasGivenUp = customer.tickets.some(({ given_up: count }) => count > 0)
  return (
    <Section title={t('tickets.title')}>
      <DataTable
        caption={t('tickets.title')}
        rows={customer.tickets}
        idOf={(row) => row.offer_id}
        empty={t('tickets.empty')}
        columns={[
          { id: 'contest', title: t('tickets.contest'), cell: ({ title }) => title },
          { id: 'ends', title: t('tickets.ends'), cell: (row) => <Time at={row.end_date} /> },
          { id: 'valid', title: t('tickets.valid'), cell: ({ valid }) => valid, isNumber: true },
          { id: 'void', title: t('tickets.void'), cell: (row) => row.void, isNumber: true },
          ...(hasGivenUp
            ? [
                {
                  id: 'given',
                  title: t('tickets.givenUp'),
                  cell: (row: Customer['tickets'][number]) => row.given_up,
                  isNumber: true,
                },
              ]
            : []),
        ]}
      />
    </Section>
  )
}

function CustomerMessages({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  return (
    <Section title={t('messages.title')}>
      <DataTable
        caption={t('messages.title')}
        rows={customer.messages}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/messages/${id}`}
        empty={t('messages.empty')}
        columns={[
          { id: 'received', title: t('messages.received'), cell: (row) => <Time at={row.received_at} /> },
          {
            id: 'state',
            title: t('messages.state'),
            cell: ({ state }) => (
              <OneLine>
                <Badge tone={state === 'open' ? 'warning' : 'neutral'}>
                  {t(`messages.states.${state as 'open'}`)}
                </Badge>
              </OneLine>
            ),
          },
          { id: 'beginning', title: t('messages.beginning'), cell: ({ beginning }) => beginning },
        ]}
      />
    </Section>
  )
}

/** What other parts of the shop keep, such as entries by post. */
const Others = ({ customer }: Part): ReactNode =>
  customer.others
    .filter(({ records }) => records.length > 0)
    .map(({ name, title, records }) => (
      <Section key={name} title={title}>
        <ul className="grid gap-4">
          {records.map((record, index) => (
            <li
              key={record.path ?? index}
              className="grid gap-2 border-b border-line pb-4 last:border-0 last:pb-0"
            >
              <p className="flex flex-wrap gap-x-3 font-semibold">
                {record.path === null ? (
                  record.title
                ) : (
                  <Link to={record.path} className="prose-link">
                    {record.title}
                  </Link>
                )}
                {record.at !== null && <Time at={record.at} />}
              </p>
              <Facts facts={record.facts} />
            </li>
          ))}
        </ul>
      </Section>
    ))

function Emails({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const kindOf = useWords('emailKinds')
  const { rows, button } = useMore(customer.emails, (after) =>
    consoleCall('GET', `${CUSTOMERS}${customer.id}/emails/?after=${after}`),
  )
  return (
    <Section title={t('emails.title')}>
      <DataTable
        caption={t('emails.title')}
        rows={rows}
        idOf={({ id }) => id}
        empty={t('emails.empty')}
        columns={[
          {
            id: 'what',
            title: t('emails.what'),
            cell: ({ kind, subject, language }) => (
              <span className="grid">
                <span className="font-semibold">{kindOf(kind)}</span>
                {subject === null ? (
                  <span className="text-muted">{t('emails.erased')}</span>
                ) : (
                  <span lang={language} className="text-muted">
                    {subject}
                  </span>
                )}
              </span>
            ),
          },
          {
            id: 'state',
            title: t('emails.state'),
            cell: ({ state }) => (
              <OneLine>
                <Badge tone={state === 'failed' ? 'error' : 'neutral'}>{t(`emails.states.${state}`)}</Badge>
              </OneLine>
            ),
          },
          { id: 'queued', title: t('emails.queued'), cell: (row) => <Time at={row.queued_at} /> },
        ]}
      />
      {button}
    </Section>
  )
}

function Suspensions({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const reasonOf = useWords('reasons')
  const past = customer.suspensions.filter(({ lifted_at: at }) => at !== null)
  if (past.length === 0) return null
  return (
    <Section title={t('suspension.past')}>
      <DataTable
        caption={t('suspension.past')}
        rows={past}
        idOf={({ at }) => at}
        empty=""
        columns={[
          { id: 'from', title: t('suspension.from'), cell: ({ at }) => <Time at={at} /> },
          {
            id: 'until',
            title: t('suspension.until'),
            cell: ({ lifted_at: at }) => (at === null ? '–' : <Time at={at} />),
          },
          { id: 'why', title: t('suspension.why'), cell: ({ reason }) => reasonOf(reason) },
          { id: 'note', title: t('suspension.note'), cell: ({ note, by }) => `${note} (${by})` },
          {
            id: 'lifted',
            title: t('suspension.lifted'),
            cell: (row) => `${row.lifted_note ?? ''} (${row.lifted_by ?? ''})`,
          },
        ]}
      />
    </Section>
  )
}

/** Read when the page is there: it is long, and seldom what one came for. */
function SecurityLog({ id }: { id: number }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const eventOf = useWords('events')
  const { answer: events, error } = useRead<SecurityEvents>(`/api/staff/accounts/${id}/security/`)
  const rows = (events ?? []).slice(0, 50).map((event, index) => ({ ...event, index }))
  return (
    <Section title={t('security.title')}>
      <div role="alert" className="empty:absolute">
        {error !== undefined && <Alert tone="error">{error}</Alert>}
      </div>
      {events && (
        <DataTable
          caption={t('security.title')}
          rows={rows}
          idOf={({ index }) => index}
          empty={t('security.empty')}
          columns={[
            { id: 'event', title: t('security.event'), cell: ({ event }) => eventOf(event) },
            { id: 'detail', title: t('security.detail'), cell: ({ detail }) => detail ?? '–' },
            { id: 'times', title: t('security.times'), cell: ({ times }) => times, isNumber: true },
            {
              id: 'network',
              title: t('security.network'),
              // Equal beginnings are equal networks.
              cell: ({ network }) => (network === null ? '–' : <code>{network.slice(0, 8)}</code>),
              isExtra: true,
            },
            { id: 'at', title: t('security.at'), cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      )}
    </Section>
  )
}

function History({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const actionOf = useWords('actions')
  return (
    <Section title={t('history.title')}>
      <DataTable
        caption={t('history.title')}
        rows={customer.history}
        idOf={({ id }) => id}
        empty={t('history.empty')}
        columns={[
          { id: 'by', title: t('history.by'), cell: ({ by }) => by },
          { id: 'what', title: t('history.what'), cell: ({ action }) => actionOf(action) },
          { id: 'at', title: t('history.at'), cell: ({ at }) => <Time at={at} /> },
        ]}
      />
    </Section>
  )
}
