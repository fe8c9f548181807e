import type { ReactNode } from 'react'
import { Form, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { ListTable } from '#console-kit/data-table.tsx'
import { ChoiceFilter, TextFilter, filtersOf } from '#console-kit/filters.tsx'
import { Screen, Time } from '#console-kit/parts.tsx'
import type { CustomerList } from '../customers.contract.ts'
import { CUSTOMERS, StandingBadges, useCustomerName } from './customer-parts.tsx'

const FILTERS = ['q', 'state'] as const

export const loader = ({ request }: LoaderFunctionArgs): Promise<CustomerList> =>
  consoleCall('GET', `${CUSTOMERS}?${filtersOf(FILTERS, new URL(request.url).searchParams)}`)

/** Customers, found by the beginning of what is known of them. */
export function Component(): ReactNode {
  const t = useTranslations('consoleCustomers')
  const tCommon = useTranslations('console.common')
  const nameOf = useCustomerName()
  const [search] = useSearchParams()
  const first = useLoaderData<CustomerList>()
  return (
    <Screen title={t('title')}>
      <Form className="flex flex-wrap items-start gap-3" role="search" key={search.toString()}>
        <div className="grow basis-72">
          <TextFilter
            label={t('search.label')}
            hint={t('search.hint')}
            name="q"
            type="search"
            autoComplete="off"
            maxLength={254}
          />
        </div>
        <ChoiceFilter
          label={t('search.state')}
          name="state"
          any={t('search.all')}
          choices={[
            ['suspended', t('search.suspended')],
            ['closed', t('search.closed')],
          ]}
        />
        <Button type="submit" variant="secondary" className="mt-7">
          {tCommon('search')}
        </Button>
      </Form>
      <ListTable
        caption={t('title')}
        first={first}
        more={(after) => `${CUSTOMERS}?${filtersOf(FILTERS, search, { after })}`}
        name="list"
        idOf={({ id }) => id}
        linkOf={({ id }) => `/customers/${id}`}
        empty={t('empty')}
        columns={[
          { id: 'name', title: t('columns.name'), cell: nameOf },
          {
            id: 'email',
            title: t('columns.email'),
            isCode: true,
            cell: ({ email, state }) => (state === 'closed' ? '–' : email),
          },
          { id: 'phone', title: t('columns.phone'), cell: ({ phone }) => phone || '–', isExtra: true },
          { id: 'state', title: t('columns.state'), cell: (row) => <StandingBadges customer={row} /> },
          {
            id: 'since',
            title: t('columns.since'),
            cell: ({ created_at: at }) => <Time at={at} />,
            isExtra: true,
          },
        ]}
      />
    </Screen>
  )
}
