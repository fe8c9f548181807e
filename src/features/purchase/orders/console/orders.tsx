import { Download } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { matchesMedia, randomId } from '#client/browser-parts.ts'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countriesIn } from '#shared/countries.ts'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { consoleCall, downloadFile, plainCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { type Column, DataTable, useMore } from '#console-kit/data-table.tsx'
import { ChoiceFilter, FilterForm, TextFilter, filtersOf } from '#console-kit/filters.tsx'
import { Fault, Screen, Time, useTime } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useAction } from '#console-kit/use-action.ts'
import { ORDER_STATES, type OrderState } from '../order-machine.rules.ts'
import type { OrderView, Resent, StaffOrderRow, StaffOrders } from '../staff-orders.contract.ts'
import { RESEND_CHOSEN } from '../staff-orders.rules.ts'
import { Eur, StateBadge, useEur } from './order-parts.tsx'
import { SavedViews, VIEWS } from './saved-views.tsx'
import { SearchForm } from './search.tsx'
import { readAmount, tidyAmount, typedAmount } from '#shared/typed-amount.ts'

const ORDERS = '/api/staff/orders/'
/** As the export takes them; what else is in the address is left out. */
const FILTERS = ['state', 'offer', 'country', 'from', 'to', 'min', 'max', 'customer'] as const
const AMOUNTS = ['min', 'max'] as const
/** Beside the order itself. */
const COLUMNS = ['date', 'state', 'buyer', 'country', 'contests', 'tickets', 'total'] as const
type ColumnName = (typeof COLUMNS)[number]
/** Until somebody chooses. */
const USUAL: readonly ColumnName[] = ['date', 'state', 'buyer', 'contests', 'tickets', 'total']

/** In the address, which leaves out what is empty. */
const NO_COLUMN = 'none'

/** The columns of an address, in the order of the list. */
function columnsOf(params: URLSearchParams): readonly ColumnName[] {
  const named = params.get('columns')?.split('.')
  return named ? COLUMNS.filter((name) => named.includes(name)) : USUAL
}

interface Loaded {
  page: StaffOrders
  offers: ListedOffer[]
  views: OrderView[]
}

export const loader = async ({ request }: LoaderFunctionArgs, kept?: Loaded): Promise<Loaded> => {
  const query = filtersOf(FILTERS, new URL(request.url).searchParams)
  const [page, offers, views] = await Promise.all([
    consoleCall<StaffOrders>('GET', `${ORDERS}?${query}`),
    kept?.offers ?? plainCall<ListedOffer[]>('GET', '/api/offers/'),
    kept?.views ?? consoleCall<OrderView[]>('GET', VIEWS),
  ])
  return { page, offers, views }
}

/** All orders, newest first, by filters that are in the address. */
export function Component(): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const language = useLanguage()
  const time = useTime()
  const may = useMay()
  const { page, offers, views } = useLoaderData<Loaded>()
  const [params, setParams] = useSearchParams()
  const query = filtersOf(FILTERS, params)
  const columns = columnsOf(params)
  const view = filtersOf([...FILTERS, 'columns'], params)
  const filter = (next: string): void => {
    const named = new URLSearchParams(next)
    for (const name of AMOUNTS) {
      const typed = named.get(name)
      if (typed !== null) named.set(name, tidyAmount(typed, language))
    }
    setParams(filtersOf(['columns'], params, Object.fromEntries(named)))
  }
  const [stopped, setStopped] = useState<{ of: StaffOrders; at: string | null }>()
  const { rows, button, news, isGone } = useMore(
    page,
    async (after) => {
      const more = await consoleCall<StaffOrders>('GET', `${ORDERS}?${query}&after=${after}`)
      setStopped({ of: page, at: more.searched_to })
      return more
    },
    { name: 'orders', idOf: ({ id }) => id },
  )
  const stoppedAt = stopped?.of === page ? stopped.at : page.searched_to
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set())
  const toggle = ({ id }: StaffOrderRow): void =>
    setSelected(
      (present) => new Set(present.has(id) ? [...present].filter((one) => one !== id) : [...present, id]),
    )
  const isUsual = columns === USUAL
  const maySelect = may('orders.write') || may('orders.export')
  const columnOf = (id: ColumnName): Column<StaffOrderRow> => ({
    id,
    title: t(id),
    isNumber: id === 'tickets' || id === 'total',
    isExtra: id === 'contests' && isUsual,
    cell: CELLS[id],
  })
  return (
    <Screen
      title={t('title')}
      actions={
        <>
          <ColumnChoice
            shown={columns}
            onChange={(chosen) => {
              const names = chosen.join('.') || NO_COLUMN
              const named = names === USUAL.join('.') ? '' : `columns=${names}`
              setParams([query, named].filter((part) => part !== '').join('&'), { replace: true })
            }}
          />
          {may('orders.export') && <Export query={query} />}
        </>
      }
    >
      <SearchForm />
      <Filters key={query} query={query} offers={offers} onChange={filter} />
      <SavedViews views={views} query={view} onOpen={(next) => setParams(next)} />
      {maySelect && <Selection rows={rows} query={query} selected={selected} onChange={setSelected} />}
      {news}
      <DataTable
        caption={t('title')}
        rows={rows}
        isGone={isGone}
        idOf={({ id }) => id}
        linkOf={({ number }) => `/orders/${number}`}
        empty={t('empty')}
        {...(maySelect && {
          selection: { selected, toggle, label: ({ number }: StaffOrderRow) => t('select', { number }) },
        })}
        columns={[{ id: 'order', title: t('order'), cell: OrderNumber }, ...columns.map(columnOf)]}
      />
      <div aria-live="polite">
        {stoppedAt !== null && (
          <p className="text-center text-sm text-muted">{t('stopped', { when: time(stoppedAt) })}</p>
        )}
      </div>
      {button}
    </Screen>
  )
}

const OrderNumber = ({ number }: Pick<StaffOrderRow, 'number'>): ReactNode => (
  <span className="whitespace-nowrap">{number}</span>
)

const CELLS: Record<ColumnName, (row: StaffOrderRow) => ReactNode> = {
  date: ({ at }) => <Time at={at} />,
  state: ({ state }) => <StateBadge state={state} />,
  buyer: ({ buyer }) => buyer,
  country: ({ country }) => country,
  contests: ({ contests }) => contests.map(({ title }) => title).join(', '),
  tickets: ({ tickets }) => tickets,
  total: (row) => <Total row={row} />,
}

function Total({ row: { total, refunded } }: { row: StaffOrderRow }): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const eur = useEur()
  return (
    <span className="grid">
      <Eur amount={total} />
      {refunded !== '0.00' && (
        <span className="text-xs text-muted">{t('of', { refunded: eur(refunded) })}</span>
      )}
    </span>
  )
}

function Filters({
  query,
  offers,
  onChange,
}: {
  query: string
  offers: readonly ListedOffer[]
  onChange: (query: string) => void
}): ReactNode {
  const t = useTranslations('consoleOrders')
  const common = useTranslations('console.common')
  const language = useLanguage()
  const given = new URLSearchParams(query)
  const customer = given.get('customer')
  // On a phone the list comes first.
  const [isOpen, setOpen] = useState(() => query !== '' || matchesMedia('(width >= 48rem)'))
  if (!isOpen)
    return (
      <div>
        <Button variant="secondary" aria-expanded={false} onClick={() => setOpen(true)}>
          {common('filters')}
        </Button>
      </div>
    )
  return (
    <FilterForm names={FILTERS} query={query} onChange={onChange} className="grid gap-4">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-4">
        <ChoiceFilter
          label={t('list.state')}
          name="state"
          any={t('list.anyState')}
          choices={(Object.keys(ORDER_STATES) as OrderState[]).map(
            (state) => [state, t(`states.${state}`)] as const,
          )}
        />
        <ChoiceFilter
          label={t('list.contest')}
          name="offer"
          any={t('list.anyContest')}
          choices={offers.map((offer) => [offer.slug, localized(offer, 'title', language).text] as const)}
        />
        <ChoiceFilter
          label={t('list.country')}
          name="country"
          any={t('list.anyCountry')}
          choices={countriesIn(language).map(({ code, name }) => [code, name] as const)}
        />
        <TextFilter label={t('list.from')} type="date" name="from" />
        <TextFilter label={t('list.to')} type="date" name="to" />
        {AMOUNTS.map((name) => (
          <TextFilter
            key={name}
            label={t(`list.${name}`)}
            name={name}
            inputMode="decimal"
            defaultValue={typedAmount(given.get(name) ?? '', language)}
            onChange={({ currentTarget }) => {
              const read = readAmount(currentTarget.value, language)
              const isFault = currentTarget.value.trim() !== '' && 'fault' in read
              currentTarget.setCustomValidity(isFault ? t(`list.${read.fault}`) : '')
            }}
          />
        ))}
      </div>
      {customer !== null && <input type="hidden" name="customer" value={customer} />}
    </FilterForm>
  )
}

/** Whose receipts are to be sent again: as the preview takes it. */
type Chosen = { ids: string[] } | { filters: Record<string, string> }

/** What is done with several orders: those that are selected, or all paid ones that the filters find. */
function Selection({
  rows,
  query,
  selected,
  onChange,
}: {
  rows: readonly StaffOrderRow[]
  query: string
  selected: ReadonlySet<string | number>
  onChange: (selected: ReadonlySet<string | number>) => void
}): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const may = useMay()
  const exporting = useAction()
  const [asked, setAsked] = useState<Chosen>()
  const ids = rows.filter(({ id }) => selected.has(id)).map(({ id }) => id)
  const count = ids.length
  if (rows.length === 0) return null
  const shown = rows.slice(0, RESEND_CHOSEN).map(({ id }) => id)
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p aria-live="polite" className="text-sm text-muted empty:hidden">
        {count > 0 && t('selected', { count })}
      </p>
      <Button size="small" variant="ghost" onClick={() => onChange(new Set(count === 0 ? shown : []))}>
        {count === 0 ? t('selectAll') : t('selectNone')}
      </Button>
      {count > 0 && may('orders.write') && (
        <Button
          size="small"
          variant="secondary"
          disabled={count > RESEND_CHOSEN}
          onClick={() => setAsked({ ids })}
        >
          {t('resend')}
        </Button>
      )}
      {count > RESEND_CHOSEN && may('orders.write') && <p className="text-sm text-muted">{t('tooMany')}</p>}
      {count > 0 && may('orders.export') && (
        <Button
          size="small"
          variant="secondary"
          busy={exporting.isBusy}
          onClick={() =>
            void exporting.run(
              () => downloadFile('POST', `${ORDERS}export/`, { ids }),
              t('exported', { count }),
            )
          }
        >
          <Download aria-hidden="true" className="size-5" />
          {t('exportChosen')}
        </Button>
      )}
      <Fault error={exporting.error} />
      {count === 0 && query !== '' && may('orders.write') && (
        <Button
          size="small"
          variant="ghost"
          onClick={() => setAsked({ filters: Object.fromEntries(new URLSearchParams(query)) })}
        >
          {t('resendFound')}
        </Button>
      )}
      {asked && (
        <ResendDialog chosen={asked} onClose={() => setAsked(undefined)} onDone={() => onChange(new Set())} />
      )}
    </div>
  )
}

/** Says how many emails leave before they do, and afterwards which orders got none. */
function ResendDialog({
  chosen,
  onClose,
  onDone,
}: {
  chosen: Chosen
  onClose: () => void
  onDone: () => void
}): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const common = useTranslations('console.common')
  const preview = useAction()
  const action = useAction()
  const [planned, setPlanned] = useState<Resent>()
  // The same however often it is tried.
  const [key] = useState(() => randomId())
  const [result, setResult] = useState<Resent>()
  useEffect(() => {
    const path = `${ORDERS}resend-receipts/preview/`
    void preview.run(async () => setPlanned(await consoleCall<Resent>('POST', path, { body: chosen })))
    // eslint-disable-next-line react-hooks/exhaustive-deps -- because the dialog asks once, when it opens
  }, [])
  const send = async (): Promise<void> => {
    await action.run(async () => {
      const body = { ids: planned?.ids, key }
      setResult(await consoleCall<Resent>('POST', `${ORDERS}resend-receipts/`, { body }))
      onDone()
    })
  }
  const error = preview.error ?? action.error
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('resend')}
      closeText={common('close')}
      actions={
        result ? (
          <Button onClick={onClose}>{common('close')}</Button>
        ) : (
          <>
            <Button variant="ghost" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button busy={action.isBusy} disabled={!planned?.sent} onClick={() => void send()}>
              {t('resend')}
            </Button>
          </>
        )
      }
    >
      <div aria-live="polite" className="grid gap-4">
        {!planned && error === undefined && <p>{common('loading')}</p>}
        {planned && !result && (
          <>
            <p>{t('willSend', { count: planned.sent })}</p>
            <WithoutCopy of={planned} title="willNotSend" />
          </>
        )}
        {result && (
          <>
            <Alert tone="success">{t('resent', { count: result.sent })}</Alert>
            <WithoutCopy of={result} title="notResent" />
          </>
        )}
      </div>
      <Fault error={error} />
    </Dialog>
  )
}

function WithoutCopy({
  of: { refused },
  title,
}: {
  of: Resent
  title: 'willNotSend' | 'notResent'
}): ReactNode {
  const t = useTranslations('consoleOrders.list')
  if (refused.length === 0) return null
  return (
    <Alert tone="warning" title={t(title, { count: refused.length })}>
      <ul className="list-disc pl-5">
        {refused.map(({ id, number, detail }) => (
          <li key={id}>
            {number ?? id}: {detail}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

/** Which columns the list shows; the first one, with the link, always. */
function ColumnChoice({
  shown,
  onChange,
}: {
  shown: readonly ColumnName[]
  onChange: (shown: ColumnName[]) => void
}): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const common = useTranslations('console.common')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        {t('columns')}
      </Button>
      {isOpen && (
        <Dialog
          open
          onClose={() => setOpen(false)}
          title={t('columns')}
          closeText={common('close')}
          actions={<Button onClick={() => setOpen(false)}>{common('close')}</Button>}
        >
          <p className="mb-3">{t('columnsText')}</p>
          {COLUMNS.map((name) => (
            <Checkbox
              key={name}
              label={t(name)}
              checked={shown.includes(name)}
              onChange={(isShown) =>
                onChange(COLUMNS.filter((one) => (one === name ? isShown : shown.includes(one))))
              }
            />
          ))}
        </Dialog>
      )}
    </>
  )
}

function Export({ query }: { query: string }): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const action = useAction()
  const save = (): void => void action.run(() => downloadFile('POST', `${ORDERS}export/?${query}`))
  useScreenActions([{ name: 'exportOrders', run: save }])
  return (
    <div className="grid justify-items-end gap-2">
      <Button variant="secondary" title={t('exportHint')} busy={action.isBusy} onClick={save}>
        <Download aria-hidden="true" className="size-5" />
        {t('export')}
      </Button>
      <Fault error={action.error} />
    </div>
  )
}
