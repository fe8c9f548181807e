import type { ReactNode } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { PROMISES } from '#shared/promises.ts'
import { Alert } from '#ui/alert.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { ListTable } from '#console-kit/data-table.tsx'
import { Screen, Time } from '#console-kit/parts.tsx'
import type { Messages } from '../staff-messages.contract.ts'
import { MessageClock } from './message-clock.tsx'

const MESSAGES = '/api/staff/messages/'
const STATES = ['open', 'answered', 'closed'] as const

const queryOf = (search: URLSearchParams, more: Record<string, string> = {}): string => {
  const state = search.get('state')
  return new URLSearchParams({ ...more, ...(state && { state }) }).toString()
}

export const loader = ({ request }: LoaderFunctionArgs): Promise<Messages> =>
  consoleCall('GET', `${MESSAGES}?${queryOf(new URL(request.url).searchParams)}`)

/** The inbox: open messages first, each with the time that is left to answer it. */
export function Component(): ReactNode {
  const t = useTranslations('consoleMessages')
  const [search] = useSearchParams()
  const shown = search.get('state') ?? ''
  const first = useLoaderData<Messages>()
  const { open, late, takes_messages: takesMessages } = first
  return (
    <Screen title={t('title')} lead={t('lead', PROMISES)}>
      {!takesMessages && (
        <Alert tone="warning" title={t('elsewhere')}>
          {t('elsewhereText')}
        </Alert>
      )}
      <p className="font-semibold">{t('figures', { open, late })}</p>
      <nav aria-label={t('filter')} className="flex flex-wrap gap-2">
        {(['', ...STATES] as const).map((state) => (
          <Link
            key={state}
            to={state === '' ? '/messages' : `/messages?state=${state}`}
            aria-current={shown === state ? 'page' : undefined}
            className={buttonClasses(shown === state ? 'primary' : 'secondary', 'small')}
          >
            {state === '' ? t('all') : t(`states.${state}`)}
          </Link>
        ))}
      </nav>
      <ListTable
        caption={t('title')}
        first={first}
        more={(after) => `${MESSAGES}?${queryOf(search, { after })}`}
        name="list"
        idOf={({ id }) => id}
        linkOf={({ id }) => `/messages/${id}`}
        empty={t('empty')}
        columns={[
          { id: 'from', title: t('columns.from'), cell: ({ name }) => name },
          {
            id: 'beginning',
            title: t('columns.beginning'),
            isCode: true,
            cell: ({ beginning, email, language }) => (
              <span className="grid">
                <span className="text-muted">{email}</span>
                <span lang={language}>{beginning}</span>
              </span>
            ),
          },
          {
            id: 'received',
            title: t('columns.received'),
            cell: ({ received_at: at }) => <Time at={at} />,
            isExtra: true,
          },
          { id: 'clock', title: t('columns.clock'), cell: (row) => <MessageClock message={row} /> },
        ]}
      />
    </Screen>
  )
}
