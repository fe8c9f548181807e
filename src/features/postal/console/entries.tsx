import { formatDay } from '#i18n/format.ts'
import type { ReactNode } from 'react'
import { Form, Link, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Plate } from '#ui/plate.tsx'
import { consoleCall, downloadFile } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ListTable } from '#console-kit/data-table.tsx'
import { ChoiceFilter, TextFilter, filtersOf } from '#console-kit/filters.tsx'
import { Screen, Section, Time } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useAction } from '#console-kit/use-action.ts'
import type { Desk, EntryPage, ListedEntry, Parity } from '../postal.contract.ts'

const ENTRIES = '/api/staff/post/entries/'
const FILTERS = ['search', 'offer', 'status', 'letter', 'bag'] as const

interface Loaded {
  first: EntryPage
  desk: Desk
  parity: Parity
}

export const loader = async ({ request }: LoaderFunctionArgs, kept?: Loaded): Promise<Loaded> => {
  const query = filtersOf(FILTERS, new URL(request.url).searchParams)
  const [first, desk, parity] = await Promise.all([
    consoleCall<EntryPage>('GET', `${ENTRIES}?${query}`),
    kept?.desk ?? consoleCall<Desk>('GET', '/api/staff/post/contests/'),
    kept?.parity ?? consoleCall<Parity>('GET', '/api/staff/post/parity/'),
  ])
  return { first, desk, parity }
}

/** Every card that was registered, and how long post waits. */
export function Component(): ReactNode {
  const t = useTranslations('consolePost.entries')
  const language = useLanguage()
  const may = useMay()
  const { first, desk, parity } = useLoaderData<Loaded>()
  const [search] = useSearchParams()
  return (
    <Screen
      title={t('title')}
      actions={
        <>
          <PrintWaiting />
          {may('post.register') && (
            <Link to="/post" className={buttonClasses('primary', 'small')}>
              {t('desk')}
            </Link>
          )}
        </>
      }
    >
      <Filters key={search.toString()} desk={desk} />
      <ListTable
        caption={t('title')}
        first={first}
        more={(after) => `${ENTRIES}?${filtersOf(FILTERS, search, { after })}`}
        name="list"
        idOf={({ id }) => id}
        linkOf={({ id }) => `/post/entries/${id}`}
        empty={t('empty')}
        columns={[
          { id: 'number', title: t('number'), cell: ({ number }) => number },
          { id: 'name', title: t('name'), cell: (entry) => <Poster entry={entry} /> },
          {
            id: 'contest',
            title: t('contest'),
            cell: ({ offer }) => localized(offer, 'title', language).text,
          },
          { id: 'decision', title: t('decision'), cell: (entry) => <Decision entry={entry} /> },
          {
            id: 'received',
            title: t('received'),
            isExtra: true,
            cell: ({ received_on }) => <span className="whitespace-nowrap">{formatDay(received_on)}</span>,
          },
          {
            id: 'registered',
            title: t('registered'),
            cell: ({ registered_at: at }) => <Time at={at} />,
          },
          { id: 'letter', title: t('letter'), cell: (entry) => <Reply entry={entry} /> },
        ]}
      />
      <ParityMeter parity={parity} />
    </Screen>
  )
}

function Filters({ desk }: { desk: Desk }): ReactNode {
  const t = useTranslations('consolePost.entries')
  const common = useTranslations('console.common')
  const language = useLanguage()
  return (
    <Form
      className="grid items-start gap-3 sm:grid-cols-2 xl:grid-cols-[minmax(0,2fr)_repeat(3,minmax(0,1fr))_auto]"
      role="search"
    >
      <TextFilter label={t('search')} hint={t('searchHint')} type="search" name="search" maxLength={120} />
      <ChoiceFilter
        label={t('contest')}
        name="offer"
        any={t('allContests')}
        choices={desk.contests.map((one) => [one.id, localized(one, 'title', language).text] as const)}
      />
      <ChoiceFilter
        label={t('status')}
        name="status"
        any={t('allStatuses')}
        choices={[
          ['entered', t('entered')],
          ['refused', t('refused')],
        ]}
      />
      <ChoiceFilter
        label={t('letters')}
        name="letter"
        any={t('allLetters')}
        choices={[['waiting', t('waitingLetters')]]}
      />
      <div className="sm:pt-6.5">
        <Button type="submit" variant="secondary" wide>
          {common('filter')}
        </Button>
      </div>
    </Form>
  )
}

function Poster({ entry }: { entry: ListedEntry }): ReactNode {
  const t = useTranslations('consolePost.entries')
  if (entry.is_erased) return <span className="text-muted">{t('erased')}</span>
  return (
    <span className="grid">
      <span className="font-semibold">{entry.name ?? '–'}</span>
      <span className="text-muted">{entry.city}</span>
    </span>
  )
}

function Decision({ entry }: { entry: ListedEntry }): ReactNode {
  const t = useTranslations('consolePost')
  const { ticket_number: number, ticket_status: status, refusal } = entry
  if (number === null) return <Badge tone="warning">{refusal && t(`reasons.${refusal}`)}</Badge>
  const isVoid = status === 'void'
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Plate size="small" isVoid={isVoid} label={t('desk.plate', { number })}>
        {number}
      </Plate>
      {isVoid && <Badge tone="error">{t('entries.void')}</Badge>}
    </span>
  )
}

function Reply({ entry }: { entry: ListedEntry }): ReactNode {
  const t = useTranslations('consolePost.entries')
  const { letter_waits: waits, has_email: isMailed, has_letter: hasLetter } = entry
  if (isMailed) return t('byEmail')
  if (waits !== null) return <Badge tone="signal">{t(waits === 'void' ? 'waitingVoid' : 'waiting')}</Badge>
  if (entry.void_letter_at !== null) return t('printedVoid')
  return hasLetter || entry.letter_at !== null ? t('printed') : t('noReply')
}

function PrintWaiting(): ReactNode {
  const t = useTranslations('consolePost.entries')
  const action = useAction()
  const print = (): void => void action.run(() => downloadFile('POST', '/api/staff/post/letters/'))
  useScreenActions([{ name: 'printLetters', run: print }])
  return (
    <div>
      <Button size="small" variant="secondary" busy={action.isBusy} onClick={print}>
        {t('printWaiting')}
      </Button>
      <div role="alert">{action.error !== undefined && <Alert className="mt-2">{action.error}</Alert>}</div>
    </div>
  )
}

/** Post that waits longer than this is told of. */
const SLOW_DAYS = 3
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

/** The free route must not be slower than it has to be: its figures beside those of payments. */
function ParityMeter({ parity }: { parity: Parity }): ReactNode {
  const t = useTranslations('consolePost.parity')
  const { post, payment, missed } = parity
  const duration = (seconds: number | null): string => {
    if (seconds === null) return t('none')
    if (seconds < 2 * MINUTE) return t('seconds', { value: Math.ceil(seconds) })
    if (seconds < 2 * HOUR) return t('minutes', { value: Math.ceil(seconds / MINUTE) })
    if (seconds < 2 * DAY) return t('hours', { value: Math.ceil(seconds / HOUR) })
    return t('days', { value: Math.ceil(seconds / DAY) })
  }
  return (
    <Section title={t('title')}>
      <p className="text-sm text-muted">{t('text', { count: Math.max(post.count, payment.count) })}</p>
      {missed > 0 && <Alert tone="error">{t('missed', { count: missed })}</Alert>}
      {(post.median_s ?? 0) > SLOW_DAYS * DAY && (
        <Alert tone="warning">{t('slow', { days: SLOW_DAYS })}</Alert>
      )}
      <table className="w-full text-left text-sm sm:max-w-xl">
        <caption className="sr-only">{t('title')}</caption>
        <thead className="border-b border-line">
          <tr>
            {[t('route'), t('median'), t('p95')].map((title) => (
              <th key={title} scope="col" className="py-2 pr-4 font-semibold">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[
            { name: t('post'), wait: post },
            { name: t('payment'), wait: payment },
          ].map(({ name, wait }) => (
            <tr key={name} className="border-b border-line last:border-0">
              <th scope="row" className="py-2 pr-4 font-normal">
                {name}
              </th>
              <td className="py-2 pr-4">{duration(wait.median_s)}</td>
              <td className="py-2">{duration(wait.p95_s)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}
