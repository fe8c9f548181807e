import { type ReactNode, useId } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { formatEur } from '#i18n/format.ts'
import { buttonClasses } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ListTable } from '#console-kit/data-table.tsx'
import { ChoiceFilter, FilterForm, TextFilter, filtersOf } from '#console-kit/filters.tsx'
import { Screen, Time } from '#console-kit/parts.tsx'
import { SoldOf } from '#console-kit/sold-of.tsx'
import { OFFER_STATES, type OfferState } from '../offer-states.rules.ts'
import type { ListedStaffOffer, StaffOfferList } from '../staff-offers.contract.ts'
import { OfferStateBadge, titleOf } from './offer-words.tsx'

const OFFERS = '/api/staff/offers/'
const FILTERS = ['state', 'q'] as const

export const loader = ({ request }: LoaderFunctionArgs): Promise<StaffOfferList> =>
  consoleCall('GET', `${OFFERS}?${filtersOf(FILTERS, new URL(request.url).searchParams)}`)

/** All contests, the newest first. */
export function Component(): ReactNode {
  const t = useTranslations('consoleContests')
  const language = useLanguage()
  const may = useMay()
  const page = useLoaderData<StaffOfferList>()
  const [params, setParams] = useSearchParams()
  const query = filtersOf(FILTERS, params)
  return (
    <Screen
      title={t('list.title')}
      actions={
        may('offers.edit') && (
          <Link to="/offers/new" className={buttonClasses('primary')}>
            {t('list.new')}
          </Link>
        )
      }
    >
      <Filters key={query} query={query} onChange={setParams} />
      <ListTable
        caption={t('list.title')}
        first={page}
        more={(after) => `${OFFERS}?${query}&after=${after}`}
        name="list"
        idOf={({ id }) => id}
        linkOf={({ id }) => `/offers/${id}`}
        empty={t('list.empty')}
        columns={[
          {
            id: 'contest',
            title: t('list.contest'),
            cell: (row) => titleOf(row, language) || t('untitled'),
          },
          {
            id: 'state',
            title: t('list.state'),
            cell: ({ state }) => (
              <span>
                <OfferStateBadge state={state} />
              </span>
            ),
          },
          { id: 'sold', title: t('list.sold'), cell: (row) => <Sold row={row} /> },
          {
            id: 'price',
            title: t('list.price'),
            isNumber: true,
            cell: ({ ticket_price: price }) => (price === null ? <Open /> : formatEur(price, language)),
          },
          {
            id: 'ends',
            title: t('list.ends'),
            cell: ({ end_date: at }) => (at === null ? <Open /> : <Time at={at} />),
          },
        ]}
      />
    </Screen>
  )
}

const Open = (): ReactNode => (
  <span className="text-muted">{useTranslations('consoleContests.list')('open')}</span>
)

function Sold({ row }: { row: ListedStaffOffer }): ReactNode {
  const t = useTranslations('consoleContests.list')
  const { tickets_sold: sold, by_post: post, total_tickets: total } = row
  if (total === null) return <Open />
  return <SoldOf words={t('soldOf', { sold, total })} sold={sold} post={post} total={total} />
}

function Filters({ query, onChange }: { query: string; onChange: (query: string) => void }): ReactNode {
  const t = useTranslations('consoleContests')
  const id = useId()
  return (
    <FilterForm
      names={FILTERS}
      query={query}
      onChange={onChange}
      className="grid items-end gap-4 sm:grid-cols-[minmax(0,20rem)_minmax(0,14rem)_auto]"
    >
      <TextFilter id={`${id}-q`} label={t('list.search')} type="search" name="q" maxLength={100} />
      <ChoiceFilter
        label={t('list.state')}
        name="state"
        any={t('list.anyState')}
        choices={(Object.keys(OFFER_STATES) as OfferState[]).map(
          (state) => [state, t(`states.${state}`)] as const,
        )}
      />
    </FilterForm>
  )
}
