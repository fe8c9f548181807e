import { Search } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Form, Link, type LoaderFunctionArgs, useLoaderData, useNavigate } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { DataTable } from '#console-kit/data-table.tsx'
import { Screen, Time } from '#console-kit/parts.tsx'
import { recordPath } from '#console-kit/record-path.ts'
import type { SearchHit } from '#shared/staff-search.ts'
import type { OrderState } from '../order-machine.rules.ts'
import { filtersIn } from '../order-search.rules.ts'
import { Eur, StateBadge } from './order-parts.tsx'

interface Found {
  query: string
  items: SearchHit[]
}

const SHORTEST = 2

export async function loader({ request }: LoaderFunctionArgs): Promise<Found> {
  const query = new URL(request.url).searchParams.get('q')?.trim() ?? ''
  if (query.length < SHORTEST) return { query, items: [] }
  const { items } = await consoleCall<{ items: SearchHit[] }>(
    'GET',
    `/api/staff/search/?q=${encodeURIComponent(query)}`,
  )
  return { query, items }
}

/** Everything that a text finds. */
export function Component(): ReactNode {
  const t = useTranslations('consoleOrders.search')
  const { query, items } = useLoaderData<Found>()
  const filters = filtersIn(query)
  return (
    <Screen title={t('title')}>
      <SearchForm key={query} query={query} />
      <div aria-live="polite" className="text-sm text-muted">
        {query !== '' && (items.length === 0 ? t('empty', { query }) : t('found', { count: items.length }))}
      </div>
      {filters && (
        <Link
          to={`/orders?${new URLSearchParams(filters).toString()}`}
          className="prose-link justify-self-start"
        >
          {t('filtered', { query })}
        </Link>
      )}
      {items.length > 0 && (
        <DataTable
          caption={t('title')}
          rows={items}
          idOf={({ kind, id }) => `${kind} ${id}`}
          linkOf={recordPath}
          empty=""
          columns={[
            { id: 'what', title: t('columns.what'), isCode: true, cell: (hit) => <What hit={hit} /> },
            { id: 'by', title: t('columns.by'), cell: ({ matched }) => t(`by.${matched}`), isExtra: true },
            { id: 'who', title: t('columns.who'), isCode: true, cell: (hit) => <Who hit={hit} /> },
            {
              id: 'state',
              title: t('columns.state'),
              cell: (hit) => hit.state !== null && <State {...hit} state={hit.state} />,
            },
            {
              id: 'total',
              title: t('columns.total'),
              isNumber: true,
              cell: ({ total }) => total !== null && <Eur amount={total} />,
            },
            { id: 'at', title: t('columns.at'), cell: ({ at }) => at !== null && <Time at={at} /> },
          ]}
        />
      )}
    </Screen>
  )
}

function What({ hit: { kind, title, contest } }: { hit: SearchHit }): ReactNode {
  const t = useTranslations('consoleOrders.search')
  switch (kind) {
    case 'order':
      return t('order', { number: title })
    case 'customer':
      return t('customer', { name: title })
    case 'ticket':
      return t('ticket', { number: title, contest: contest?.title ?? '' })
    case 'offer':
      return t('offer', { title })
    case 'message':
      return t('message', { name: title })
    case 'entry':
      return t('entry', { name: title })
    case 'staff':
      return t('staff', { name: title })
    case 'alert':
      return t('alert', { title })
    case 'statement':
      return t('statement', { days: title })
  }
}

function Who({ hit: { customer, order, kind, contest: of } }: { hit: SearchHit }): ReactNode {
  const t = useTranslations('consoleOrders.search')
  return (
    <span className="grid">
      {customer && <span>{customer.email === '' ? customer.name : customer.email}</span>}
      {kind === 'entry' && <span>{of?.title}</span>}
      {order && <span className="text-muted">{t('ofOrder', { number: order.number })}</span>}
    </span>
  )
}

function State({ kind, state }: Pick<SearchHit, 'kind'> & { state: string }): ReactNode {
  const t = useTranslations('consoleOrders.search')
  if (kind === 'order') return <StateBadge state={state as OrderState} />
  return (
    <Badge tone={state === 'valid' ? 'success' : 'neutral'}>{t(state === 'valid' ? 'valid' : 'void')}</Badge>
  )
}

/** The one box that finds everything. */
export function SearchForm({ query = '' }: { query?: string }): ReactNode {
  const t = useTranslations('consoleOrders.search')
  const navigate = useNavigate()
  const [typed, setTyped] = useState(query)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const text = typed.trim()
    if (text.length >= SHORTEST) void navigate(`/search?q=${encodeURIComponent(text)}`)
  }
  return (
    <Form role="search" aria-label={t('title')} onSubmit={submit}>
      <Field label={t('label')} hint={t('hint')}>
        {(ids) => (
          <span className="flex gap-3">
            <TextInput
              {...ids}
              type="search"
              name="q"
              autoComplete="off"
              spellCheck={false}
              maxLength={100}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Button type="submit" aria-label={t('submit')}>
              <Search aria-hidden="true" className="size-5" />
              <span className="max-sm:hidden">{t('submit')}</span>
            </Button>
          </span>
        )}
      </Field>
    </Form>
  )
}
