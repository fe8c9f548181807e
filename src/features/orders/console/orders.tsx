import { Download } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Form, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countriesIn } from '#shared/countries.ts'
import { localized } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall, downloadFile, plainCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { DataTable, useMore } from '#console/kit/data-table.tsx'
import { Screen, Time, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import { ORDER_STATES, type OrderState } from '../order-machine.rules.ts'
import type { Resent, StaffOrderRow, StaffOrders } from '../staff-orders.contract.ts'
import { Eur, StateBadge, useEur } from './order-parts.tsx'
import { SavedViews } from './saved-views.tsx'
import { SearchForm } from './search.tsx'

const ORDERS = '/api/staff/orders/'
/** As the export takes them; what else is in the address is left out. */
const FILTERS = ['state', 'offer', 'country', 'from', 'to', 'min', 'max', 'customer'] as const
type Filter = (typeof FILTERS)[number]
/** As many receipts are sent again at once. */
const MOST_SELECTED = 100

/** The filters of an address, without empty ones. */
function filtersOf(params: URLSearchParams | FormData): string {
  const kept = FILTERS.flatMap((name): [string, string][] => {
    const value = params.get(name)
    return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : []
  })
  return new URLSearchParams(kept).toString()
}

interface Loaded {
  page: StaffOrders
  offers: ListedOffer[]
}

export async function loader({ request }: LoaderFunctionArgs): Promise<Loaded> {
  const query = filtersOf(new URL(request.url).searchParams)
  const [page, offers] = await Promise.all([
    consoleCall<StaffOrders>('GET', `${ORDERS}?${query}`),
    plainCall<ListedOffer[]>('GET', '/api/offers/'),
  ])
  return { page, offers }
}

/** All orders, newest first, by filters that are in the address. */
export function Component(): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const time = useTime()
  const may = useMay()
  const { page, offers } = useLoaderData<Loaded>()
  const [params, setParams] = useSearchParams()
  const query = filtersOf(params)
  const open = (next: string): void => setParams(next)
  const [stopped, setStopped] = useState<{ of: StaffOrders; at: string | null }>()
  const { rows, button } = useMore(page, async (after) => {
    const more = await consoleCall<StaffOrders>('GET', `${ORDERS}?${query}&after=${after}`)
    setStopped({ of: page, at: more.searched_to })
    return more
  })
  const stoppedAt = stopped?.of === page ? stopped.at : page.searched_to
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set())
  const toggle = ({ id }: StaffOrderRow): void =>
    setSelected(
      (present) => new Set(present.has(id) ? [...present].filter((one) => one !== id) : [...present, id]),
    )
  return (
    <Screen title={t('title')} actions={may('orders.export') && <Export query={query} />}>
      <SearchForm />
      <Filters key={query} query={query} offers={offers} onChange={open} />
      <SavedViews query={query} onOpen={open} />
      {may('orders.write') && <Selection rows={rows} selected={selected} onChange={setSelected} />}
      <DataTable
        caption={t('title')}
        rows={rows}
        idOf={({ id }) => id}
        linkOf={({ number }) => `/orders/${number}`}
        empty={t('empty')}
        {...(may('orders.write') && {
          selection: { selected, toggle, label: ({ number }: StaffOrderRow) => t('select', { number }) },
        })}
        columns={[
          { id: 'order', title: t('order'), cell: ({ number }) => number },
          { id: 'date', title: t('date'), cell: ({ at }) => <Time at={at} /> },
          { id: 'state', title: t('state'), cell: ({ state }) => <StateBadge state={state} /> },
          { id: 'buyer', title: t('buyer'), cell: ({ buyer }) => buyer },
          {
            id: 'contests',
            title: t('contests'),
            isExtra: true,
            cell: ({ contests }) => contests.map(({ title }) => title).join(', '),
          },
          { id: 'tickets', title: t('tickets'), isNumber: true, cell: ({ tickets }) => tickets },
          { id: 'total', title: t('total'), isNumber: true, cell: (row) => <Total row={row} /> },
        ]}
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
  const language = useLanguage()
  const given = new URLSearchParams(query)
  const valueOf = (name: Filter): string => given.get(name) ?? ''
  // On a phone the list comes first.
  const [isOpen, setOpen] = useState(() => query !== '' || window.matchMedia('(width >= 48rem)').matches)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onChange(filtersOf(new FormData(event.currentTarget)))
  }
  if (!isOpen)
    return (
      <div>
        <Button variant="secondary" aria-expanded={false} onClick={() => setOpen(true)}>
          {t('list.filters')}
        </Button>
      </div>
    )
  return (
    <Form role="search" aria-label={t('list.filters')} className="grid gap-4" onSubmit={submit}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-4">
        <Field label={t('list.state')}>
          {(ids) => (
            <Select {...ids} name="state" defaultValue={valueOf('state')}>
              <option value="">{t('list.anyState')}</option>
              {(Object.keys(ORDER_STATES) as OrderState[]).map((state) => (
                <option key={state} value={state}>
                  {t(`states.${state}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t('list.contest')}>
          {(ids) => (
            <Select {...ids} name="offer" defaultValue={valueOf('offer')}>
              <option value="">{t('list.anyContest')}</option>
              {offers.map((offer) => (
                <option key={offer.slug} value={offer.slug}>
                  {localized(offer, 'title', language).text}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t('list.country')}>
          {(ids) => (
            <Select {...ids} name="country" defaultValue={valueOf('country')}>
              <option value="">{t('list.anyCountry')}</option>
              {countriesIn(language).map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {(['from', 'to'] as const).map((name) => (
          <Field key={name} label={t(`list.${name}`)}>
            {(ids) => <TextInput {...ids} type="date" name={name} defaultValue={valueOf(name)} />}
          </Field>
        ))}
        {(['min', 'max'] as const).map((name) => (
          <Field key={name} label={t(`list.${name}`)}>
            {(ids) => (
              <TextInput
                {...ids}
                name={name}
                inputMode="decimal"
                pattern="\d{1,7}([.,]\d{1,2})?"
                defaultValue={valueOf(name)}
              />
            )}
          </Field>
        ))}
      </div>
      {given.has('customer') && <input type="hidden" name="customer" value={valueOf('customer')} />}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="secondary">
          {t('list.apply')}
        </Button>
        {query !== '' && (
          <Button variant="ghost" onClick={() => onChange('')}>
            {t('list.reset')}
          </Button>
        )}
      </div>
    </Form>
  )
}

/** What is done with several orders. */
function Selection({
  rows,
  selected,
  onChange,
}: {
  rows: readonly StaffOrderRow[]
  selected: ReadonlySet<string | number>
  onChange: (selected: ReadonlySet<string | number>) => void
}): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const common = useTranslations('console.common')
  const action = useAction()
  const [isAsking, setAsking] = useState(false)
  const [result, setResult] = useState<Resent>()
  const chosen = rows.filter(({ id }) => selected.has(id))
  const count = chosen.length
  const close = (): void => {
    setAsking(false)
    setResult(undefined)
    action.reset()
  }
  const send = async (): Promise<void> => {
    const body = { ids: chosen.map(({ id }) => id) }
    await action.run(async () => {
      setResult(await consoleCall<Resent>('POST', `${ORDERS}resend-receipts/`, { body }))
      onChange(new Set())
    })
  }
  if (rows.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p aria-live="polite" className="text-sm text-muted">
        {count > 0 && t('selected', { count })}
      </p>
      <Button
        size="small"
        variant="ghost"
        onClick={() => onChange(new Set(count === 0 ? rows.slice(0, MOST_SELECTED).map(({ id }) => id) : []))}
      >
        {count === 0 ? t('selectAll') : t('selectNone')}
      </Button>
      {count > 0 && (
        <Button
          size="small"
          variant="secondary"
          disabled={count > MOST_SELECTED}
          onClick={() => setAsking(true)}
        >
          {t('resend')}
        </Button>
      )}
      {count > MOST_SELECTED && <p className="text-sm text-muted">{t('tooMany')}</p>}
      <Dialog
        open={isAsking || result !== undefined}
        onClose={close}
        title={t('resend')}
        closeText={common('close')}
        actions={
          result ? (
            <Button onClick={close}>{common('close')}</Button>
          ) : (
            <>
              <Button variant="ghost" onClick={close}>
                {common('cancel')}
              </Button>
              <Button busy={action.isBusy} onClick={() => void send()}>
                {t('resend')}
              </Button>
            </>
          )
        }
      >
        {!result && <p>{t('resendText', { count })}</p>}
        <div role="alert" className="grid gap-4">
          {action.error !== undefined && <Alert tone="error">{action.error}</Alert>}
          {result && <Alert tone="success">{t('resent', { count: result.sent })}</Alert>}
          {result && result.refused.length > 0 && (
            <Alert tone="warning" title={t('notResent', { count: result.refused.length })}>
              <ul className="list-disc pl-5">
                {result.refused.map(({ id, detail }) => (
                  <li key={id}>
                    {rows.find((row) => row.id === id)?.number ?? id}: {detail}
                  </li>
                ))}
              </ul>
            </Alert>
          )}
        </div>
      </Dialog>
    </div>
  )
}

function Export({ query }: { query: string }): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const action = useAction()
  return (
    <div className="grid justify-items-end gap-2">
      <Button
        variant="secondary"
        title={t('exportHint')}
        busy={action.isBusy}
        onClick={() => void action.run(() => downloadFile('POST', `${ORDERS}export/?${query}`))}
      >
        <Download aria-hidden="true" className="size-5" />
        {t('export')}
      </Button>
      <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
    </div>
  )
}
