import { formatDay } from '#i18n/format.ts'
import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countryName } from '#shared/countries.ts'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Plate } from '#ui/plate.tsx'
import { consoleCall, downloadFile } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { Facts, Fault, Screen, Section, Time, useTime } from '#console-kit/parts.tsx'
import { SentEmails } from '#features/emails/console/sent-emails.tsx'
import { useAction } from '#console-kit/use-action.ts'
import type { PostalEntry } from '../postal.contract.ts'
import { CardChanges } from './card-changes.tsx'

const pathOf = (id: string): string => `/api/staff/post/entries/${encodeURIComponent(id)}/`

export const loader = ({ params }: LoaderFunctionArgs): Promise<PostalEntry> =>
  consoleCall('GET', pathOf(params['id'] ?? ''))

/** One card: what is written on it, what became of it, and its letter. */
export function Component(): ReactNode {
  const t = useTranslations('consolePost.entry')
  const tEmails = useTranslations('console.sentEmail')
  const entry = useLoaderData<PostalEntry>()
  const time = useTime()
  const may = useMay()
  const action = useAction()
  const language = useLanguage()
  return (
    <Screen
      title={t('title', { number: entry.number })}
      actions={
        <>
          {may('audit.read') && (
            <Link
              to={`/audit?subject_kind=postalEntry&subject=${entry.id}`}
              className="prose-link self-center py-2"
            >
              {t('history')}
            </Link>
          )}
          {entry.has_letter && (
            <Button
              busy={action.isBusy}
              onClick={() => void action.run(() => downloadFile('POST', `${pathOf(entry.id)}letter/`))}
            >
              <Printer aria-hidden="true" className="size-5" />
              {t('print')}
            </Button>
          )}
        </>
      }
    >
      <Fault error={action.error} />
      {entry.erased_at !== null && <Alert>{t('erasedText', { date: time(entry.erased_at) })}</Alert>}
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
        <Decision entry={entry} />
        {!entry.is_erased && <Poster entry={entry} />}
        <CardChanges entry={entry} />
        <Section title={t('card')}>
          <Facts
            facts={[
              [
                t('contest'),
                <a
                  key="contest"
                  href={`/offers/${entry.offer.slug}`}
                  target="_blank"
                  rel="noopener"
                  className="prose-link"
                >
                  {localized(entry.offer, 'title', language).text}
                </a>,
              ],
              [t('receivedOn'), formatDay(entry.received_on)],
              [
                t('registeredAt'),
                <span key="registered">
                  <Time at={entry.registered_at} />, {t('registeredBy', { name: entry.registered_by.name })}
                </span>,
              ],
              [t('letterAt'), entry.letter_at === null ? '–' : <Time key="letter" at={entry.letter_at} />],
              entry.void_letter_at !== null && [
                t('voidLetterAt'),
                <Time key="void" at={entry.void_letter_at} />,
              ],
              [
                t('bag'),
                <Link key="bag" to={`/post/entries?bag=${entry.bag}`} className="prose-link">
                  {t('showBag')}
                </Link>,
              ],
            ]}
          />
        </Section>
      </div>
      <Section title={tEmails('title')}>
        <SentEmails emails={entry.emails} pathOf={({ id }) => `${pathOf(entry.id)}emails/${id}/`} />
      </Section>
    </Screen>
  )
}

function Decision({ entry }: { entry: PostalEntry }): ReactNode {
  const t = useTranslations('consolePost')
  const grounds = useTranslations('console.approvals.grounds')
  const { ticket_number: number, ticket_status: status, duplicate_of: same, other_than: others } = entry
  const isVoid = status === 'void'
  const related = ({ id, number: shown }: { id: string; number: string }): ReactNode => (
    <Link key={id} to={`/post/entries/${id}`} className="prose-link mr-3">
      {shown}
    </Link>
  )
  return (
    <Section title={t('entry.decision')}>
      {number === null ? (
        <p className="font-semibold text-error">
          {t('entry.refusedFor', { reason: entry.refusal ? t(`reasons.${entry.refusal}`) : '' })}
        </p>
      ) : (
        <p>
          <Plate size="large" isVoid={isVoid} label={t('entry.enteredAs', { number })}>
            {number}
          </Plate>
        </p>
      )}
      {isVoid && (
        <Alert tone="warning">
          {entry.void_ground === null
            ? t('entry.voided')
            : t('change.voided', { ground: grounds(entry.void_ground) })}
        </Alert>
      )}
      <Facts
        facts={[
          same && [t('entry.duplicateOf'), related(same)],
          others.length > 0 && [t('entry.otherThan'), others.map(related)],
          entry.commitment !== null && [
            t('entry.commitment'),
            <span key="commitment" className="grid gap-1">
              <code className="wrap-anywhere">{entry.commitment}</code>
              <span className="text-muted">{t('entry.commitmentHint')}</span>
            </span>,
          ],
        ]}
      />
    </Section>
  )
}

function Poster({ entry }: { entry: PostalEntry }): ReactNode {
  const t = useTranslations('consolePost.entry')
  const mayReadCustomers = useMay()('customers.read')
  const language = useLanguage()
  const { address, postcode, city, country, date_of_birth: birth } = entry
  const lines = [
    ...(address ?? []),
    [postcode, city].filter(Boolean).join(' '),
    country === null ? '' : countryName(country, language),
  ].filter(Boolean)
  return (
    <Section title={t('poster')}>
      <Facts
        facts={[
          [t('name'), entry.name ?? '–'],
          [
            t('address'),
            lines.length === 0
              ? '–'
              : lines.map((line) => (
                  <span key={line} className="block">
                    {line}
                  </span>
                )),
          ],
          [t('birth'), birth === null ? '–' : formatDay(birth)],
          [t('email'), entry.email ?? '–'],
          entry.user_id !== null && [
            t('account'),
            mayReadCustomers ? (
              <Link
                key="account"
                to={`/customers/${entry.user_id}`}
                className="prose-link inline-block py-1.5"
              >
                {t('accountLinked', { id: entry.user_id })}
              </Link>
            ) : (
              t('accountLinked', { id: entry.user_id })
            ),
          ],
          [t('answer'), entry.answer ?? t('none')],
          [t('language'), entry.language.toUpperCase()],
        ]}
      />
    </Section>
  )
}
