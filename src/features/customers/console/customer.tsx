import { type ReactNode, useState } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { SecurityEvents } from '#features/accounts/staff-accounts.contract.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { DataTable, ListTable, useMore } from '#console-kit/data-table.tsx'
import { Facts, Fault, Screen, Section, Time, useTime } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { SentEmails } from '#features/emails/console/sent-emails.tsx'
import { useRead } from '#console-kit/use-read.ts'
import { AuditSubjectLink } from '#features/staff/console/audit-subject.tsx'
import { useAuditWords } from '#features/staff/console/staff-words.ts'
import type { Customer, CustomerTickets } from '../customers.contract.ts'
import { CustomerDialog, type Action } from './customer-dialogs.tsx'
import { StateBadge } from '#features/purchase/orders/console/order-parts.tsx'
import type { OrderState } from '#features/purchase/orders/order-machine.rules.ts'
import { CUSTOMERS, StandingBadges, useCustomerName, useWords } from './customer-parts.tsx'
import { useLanguageName } from '#i18n/use-language-name.ts'

export const loader = ({ params }: LoaderFunctionArgs): Promise<Customer> =>
  consoleCall('GET', `${CUSTOMERS}${encodeURIComponent(params['id'] ?? '')}/`)

/** Everything about one customer, and what staff do to the account. */
export function Component(): ReactNode {
  const customer = useLoaderData<Customer>()
  const nameOf = useCustomerName()
  const [action, setAction] = useState<Action>()
  return (
    // Another customer begins anew.
    <Screen
      key={customer.id}
      title={nameOf(customer)}
      lead={customer.state === 'closed' ? undefined : customer.email}
      actions={<StandingBadges customer={customer} />}
    >
      <Standing customer={customer} />
      <Actions customer={customer} choose={setAction} />
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-2">
        <Account customer={customer} />
        <Sessions customer={customer} choose={setAction} />
      </div>
      <Limits customer={customer} />
      <Orders customer={customer} />
      <Tickets customer={customer} />
      <CustomerMessages customer={customer} />
      <Others customer={customer} />
      <Emails customer={customer} />
      <Suspensions customer={customer} />
      <SecurityLog id={customer.id} />
      <History customer={customer} />
      {action && <CustomerDialog action={action} customer={customer} onClose={() => setAction(undefined)} />}
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
  const [latest] = suspensions.items
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

function Actions({ customer, choose }: Part & { choose: (action: Action) => void }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const may = useMay()
  const { state, is_staff: isStaff } = customer
  const isOpen = state !== 'closed'
  const offered: [Action, string, boolean][] = [
    ['email', t('email.do'), isOpen && may('messages.answer')],
    ['correct', t('correct.do'), state === 'active' && !isStaff && may('customers.correctEmail')],
    ['withdraw', t('withdraw.do'), customer.correction !== null && may('customers.correctEmail')],
    ['suspend', t('suspend.do'), state === 'active' && !isStaff && may('customers.suspend')],
    ['restore', t('restore.do'), state === 'suspended' && !isStaff && may('customers.suspend')],
    ['export', t('export.do'), may('customers.export')],
    ['erase', t('erase.do'), isOpen && !isStaff && may('customers.erase')],
  ]
  const shown = offered.filter(([, , isOffered]) => isOffered)
  useScreenActions(shown.map(([action, label]) => ({ label, run: () => choose(action) })))
  return (
    <div className="flex flex-wrap gap-3">
      {shown.map(([action, text]) => (
        <Button
          key={action}
          size="small"
          variant={action === 'suspend' || action === 'erase' ? 'danger' : 'secondary'}
          onClick={() => choose(action)}
        >
          {text}
        </Button>
      ))}
    </div>
  )
}

function Account({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const languageOf = useLanguageName()
  const time = useTime()
  const { id, email, phone, state, language, closed_at: closedAt } = customer
  const isOpen = state !== 'closed'
  return (
    <Section title={t('account.title')}>
      <Facts
        facts={[
          [t('account.id'), `#${id}`],
          isOpen && [t('account.email'), email],
          isOpen && [t('account.phone'), phone || '–'],
          isOpen && [t('account.language'), languageOf(language)],
          customer.pending_email !== null && [t('account.pending'), customer.pending_email],
          customer.correction !== null && [
            t('account.correction'),
            t('account.correctionBy', {
              by: customer.correction.by,
              note: customer.correction.note,
              at: time(customer.correction.asked_at),
              until: time(customer.correction.expires_at),
            }),
          ],
          customer.partner_code !== null && [t('account.code'), customer.partner_code],
          [t('account.since'), <Time key="since" at={customer.created_at} />],
          closedAt !== null && [t('account.closed'), <Time key="closed" at={closedAt} />],
        ]}
      />
    </Section>
  )
}

/** What the account may still do. */
function Limits({ customer: { limits } }: Part): ReactNode {
  const t = useTranslations('consoleCustomers.limits')
  const { cannot_buy: cannot, holds, hold_most: most, unconfirmed_most: unconfirmed } = limits
  const { unpaid_minutes: minutes, failed_logins: logins } = limits
  const waiting = Math.ceil(logins.wait_seconds / 60)
  return (
    <Section title={t('title')}>
      <Facts
        facts={[
          [t('buying'), cannot === null ? t('mayBuy') : t(`cannot.${cannot}`)],
          [
            t('holds'),
            holds.length === 0
              ? t('noHolds')
              : holds.map((hold) => (
                  <Link
                    key={hold.offer_id}
                    to={`/offers/${hold.offer_id}`}
                    className="prose-link block py-1.5"
                  >
                    {t('hold', { title: hold.title, held: hold.tickets, most: hold.most })}
                  </Link>
                )),
          ],
          [t('holdMost'), t('holdMostText', { count: most.tickets, percent: most.percent })],
          unconfirmed !== null && [t('unconfirmed'), t('unconfirmedText', { count: unconfirmed })],
          [t('minutes'), minutes.used >= minutes.most ? t('usedUp', minutes) : t('usedOf', minutes)],
          [t('logins'), waiting > 0 ? t('loginsWait', { ...logins, minutes: waiting }) : t('usedOf', logins)],
        ]}
      />
    </Section>
  )
}

function Sessions({ customer, choose }: Part & { choose: (action: Action) => void }): ReactNode {
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
  const mayRead = useMay()('orders.read')
  const linkOf = ({ number }: Customer['orders']['items'][number]): string => `/orders/${number}`
  return (
    <Section title={t('orders.title')}>
      <ListTable
        caption={t('orders.title')}
        first={customer.orders}
        more={(after) => `${CUSTOMERS}${customer.id}/orders/?after=${after}`}
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
                <StateBadge state={state as OrderState} />
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
    </Section>
  )
}

function Tickets({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const [shown, setShown] = useState<Customer['tickets'][number]>()
  const hasGivenUp = customer.tickets.some(({ given_up: count }) => count > 0)
  return (
    <Section title={t('tickets.title')}>
      <DataTable
        caption={t('tickets.title')}
        rows={customer.tickets}
        idOf={(row) => row.offer_id}
        linkOf={(row) => `/offers/${row.offer_id}`}
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
          {
            id: 'numbers',
            title: t('tickets.numbers'),
            cell: (row) => (
              <Button
                size="small"
                variant="secondary"
                aria-label={t('tickets.showNamed', { title: row.title })}
                onClick={() => setShown(row)}
              >
                {t('tickets.show')}
              </Button>
            ),
          },
        ]}
      />
      {shown && <NumbersDialog customer={customer} contest={shown} onClose={() => setShown(undefined)} />}
    </Section>
  )
}

function NumbersDialog({
  customer,
  contest,
  onClose,
}: Part & { contest: Customer['tickets'][number]; onClose: () => void }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const tCommon = useTranslations('console.common')
  const mayRead = useMay()('orders.read')
  const path = `${CUSTOMERS}${customer.id}/tickets/${contest.offer_id}/`
  const { response: first, error } = useRead<CustomerTickets>(path)
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('tickets.numbersOf', { title: contest.title })}
      closeText={tCommon('close')}
    >
      <Fault error={error} />
      {first && (
        <ListTable
          caption={t('tickets.numbersOf', { title: contest.title })}
          first={first}
          more={(after) => `${path}?after=${after}`}
          idOf={({ number }) => number}
          empty={t('tickets.empty')}
          columns={[
            { id: 'number', title: t('tickets.number'), cell: ({ text }) => <code>{text}</code> },
            { id: 'state', title: t('tickets.state'), cell: ({ state }) => t(`tickets.states.${state}`) },
            {
              id: 'source',
              title: t('tickets.source'),
              cell: ({ source }) => t(`tickets.sources.${source as 'paid'}`),
            },
            {
              id: 'order',
              title: t('tickets.order'),
              cell: ({ order }) => {
                if (order === null) return '–'
                return mayRead ? (
                  <Link to={`/orders/${order}`} className="prose-link inline-block py-1.5">
                    {order}
                  </Link>
                ) : (
                  order
                )
              },
            },
            {
              id: 'issued',
              title: t('tickets.issued'),
              cell: (row) => <Time at={row.issued_at} />,
              isExtra: true,
            },
          ]}
        />
      )}
    </Dialog>
  )
}

function CustomerMessages({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  return (
    <Section title={t('messages.title')}>
      <ListTable
        caption={t('messages.title')}
        first={customer.messages}
        more={(after) => `${CUSTOMERS}${customer.id}/messages/?after=${after}`}
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
  const t = useTranslations('console.sentEmail')
  const path = `${CUSTOMERS}${customer.id}/emails/`
  const { rows, button } = useMore(customer.emails, (after) => consoleCall('GET', `${path}?after=${after}`))
  return (
    <Section title={t('title')}>
      <SentEmails emails={rows} pathOf={({ id }) => `${path}${id}/`} />
      {button}
    </Section>
  )
}

function Suspensions({ customer }: Part): ReactNode {
  const t = useTranslations('consoleCustomers')
  const reasonOf = useWords('reasons')
  const { rows, button } = useMore(customer.suspensions, (after) =>
    consoleCall('GET', `${CUSTOMERS}${customer.id}/suspensions/?after=${after}`),
  )
  const past = rows.filter(({ lifted_at: at }) => at !== null)
  if (past.length === 0) return null
  return (
    <Section title={t('suspension.past')}>
      <DataTable
        caption={t('suspension.past')}
        rows={past}
        idOf={({ id }) => id}
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
      {button}
    </Section>
  )
}

/** Read when the page is there: it is long, and seldom what one came for. */
function SecurityLog({ id }: { id: number }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const eventOf = useWords('events')
  const path = `/api/staff/accounts/${id}/security/`
  const { response: first, error } = useRead<SecurityEvents>(path)
  return (
    <Section title={t('security.title')}>
      <Fault error={error} />
      {first && (
        <ListTable
          caption={t('security.title')}
          first={first}
          more={(after) => `${path}?after=${after}`}
          idOf={(event) => event.id}
          empty={t('security.empty')}
          columns={[
            { id: 'event', title: t('security.event'), cell: ({ event }) => eventOf(event) },
            { id: 'detail', title: t('security.detail'), isCode: true, cell: ({ detail }) => detail ?? '–' },
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
  const { actionOf } = useAuditWords()
  return (
    <Section title={t('history.title')}>
      <ListTable
        caption={t('history.title')}
        first={customer.history}
        more={(after) => `${CUSTOMERS}${customer.id}/history/?after=${after}`}
        idOf={({ id }) => id}
        empty={t('history.empty')}
        columns={[
          { id: 'by', title: t('history.by'), cell: ({ by }) => by },
          { id: 'what', title: t('history.what'), cell: ({ action }) => actionOf(action) },
          {
            id: 'about',
            title: t('history.about'),
            cell: (action) =>
              action.subject_kind === null ? (
                <span className="text-muted">{t('history.shown')}</span>
              ) : (
                <AuditSubjectLink kind={action.subject_kind} subject={action.subject} />
              ),
          },
          { id: 'at', title: t('history.at'), cell: ({ at }) => <Time at={at} /> },
        ]}
      />
    </Section>
  )
}
