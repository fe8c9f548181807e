import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, type LoaderFunctionArgs, replace, useLoaderData, useNavigate } from 'react-router'
import { randomId } from '#client/browser-parts.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Plate } from '#ui/plate.tsx'
import { consoleCall, downloadFile } from '#console-kit/console-call.ts'
import { Fault, Screen, Section } from '#console-kit/parts.tsx'
import { useAction } from '#console-kit/use-action.ts'
import type { Desk, EntryPage, ListedEntry } from '../postal.contract.ts'
import { CardForm } from './card-form.tsx'

interface DeskData {
  bag: string
  desk: Desk
  /** The newest cards of the bag. */
  page: EntryPage
}

const bagPath = (bag: string): string => `/post?bag=${bag}`

/** Cards of a bag that the desk shows. */
const SHOWN = 50

export const loader = async ({ request }: LoaderFunctionArgs): Promise<DeskData | Response> => {
  const bag = new URL(request.url).searchParams.get('bag')
  if (!bag) return replace(bagPath(randomId()))
  const [desk, page] = await Promise.all([
    consoleCall<Desk>('GET', '/api/staff/post/contests/'),
    consoleCall<EntryPage>('GET', `/api/staff/post/entries/?limit=${SHOWN}&bag=${encodeURIComponent(bag)}`),
  ])
  return { bag, desk, page }
}

/** Registers a bag of cards, one after the other. */
export function Component(): ReactNode {
  const t = useTranslations('consolePost.desk')
  const { bag, desk, page } = useLoaderData<DeskData>()
  return (
    <Screen
      title={t('title')}
      lead={t('lead')}
      actions={
        <Link to="/post/entries" className={buttonClasses('secondary', 'small')}>
          {t('all')}
        </Link>
      }
    >
      {desk.contests.length === 0 ? (
        <Alert>{t('noContests')}</Alert>
      ) : (
        <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
          <CardForm desk={desk} bag={bag} />
          <Bag bag={bag} page={page} />
        </div>
      )}
    </Screen>
  )
}

/** The cards that were registered in a row, and their letters. */
function Bag({ bag, page }: { bag: string; page: EntryPage }): ReactNode {
  const t = useTranslations('consolePost.desk')
  const navigate = useNavigate()
  const action = useAction()
  const { items } = page
  const entered = items.filter(({ status }) => status === 'entered').length
  const letters = items.filter(({ has_letter, has_email }) => has_letter && !has_email)
  const isWaiting = letters.some(({ letter_waits: waits }) => waits !== null)
  const print = (more = ''): Promise<boolean> =>
    action.run(() => downloadFile('POST', `/api/staff/post/letters/?bag=${bag}${more}`))
  return (
    <Section
      title={t('bag')}
      actions={
        items.length > 0 && (
          <Button size="small" variant="ghost" onClick={() => void navigate(bagPath(randomId()))}>
            {t('newBag')}
          </Button>
        )
      }
    >
      {items.length === 0 ? (
        <p className="text-muted">{t('bagEmpty')}</p>
      ) : (
        <>
          <p className="text-sm text-muted">{t('bagCount', { entered, refused: items.length - entered })}</p>
          <ol className="grid gap-3">
            {items.map((entry) => (
              <li key={entry.id} className="border-b border-line pb-3 last:border-0 last:pb-0">
                <BagRow entry={entry} />
              </li>
            ))}
          </ol>
          {page.next !== null && <p className="text-sm text-muted">{t('bagMore')}</p>}
          {letters.length > 0 && (
            <Button
              variant="secondary"
              wide
              busy={action.isBusy}
              onClick={() => void print(isWaiting ? '' : '&again=true')}
            >
              <Printer aria-hidden="true" className="size-5" />
              {isWaiting ? t('print') : t('printAgain')}
            </Button>
          )}
        </>
      )}
      <Fault error={action.error} />
    </Section>
  )
}

function BagRow({ entry }: { entry: ListedEntry }): ReactNode {
  const t = useTranslations('consolePost')
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      {entry.ticket_number === null ? (
        <Badge tone="warning">{entry.refusal && t(`reasons.${entry.refusal}`)}</Badge>
      ) : (
        <Plate size="small" label={t('desk.plate', { number: entry.ticket_number })}>
          {entry.ticket_number}
        </Plate>
      )}
      <Link
        to={`/post/entries/${entry.id}`}
        className="prose-link min-w-0 py-1.5 font-semibold wrap-anywhere"
      >
        {entry.name ?? entry.number}
      </Link>
    </div>
  )
}
