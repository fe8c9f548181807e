import { serverNow } from '#client/server-clock.ts'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useId, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { formatEur, formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { Language } from '#shared/languages.ts'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { DataTable } from '#console-kit/data-table.tsx'
import { TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Facts, Fault, Loading, Section, Time, useTime } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { usePaidAndPost } from '#console-kit/sold-of.tsx'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
import { useRead } from '#console-kit/use-read.ts'
import type { TranslatedField } from '../offer-drafts.rules.ts'
import { type OfferEvent, isPublished } from '../offer-states.rules.ts'
import type { Check, Checklist, ChecklistItem, OfferSales, StaffOffer } from '../staff-offers.contract.ts'
import { wholeHours } from './draft-fields.tsx'
import { OfferStateBadge, titleOf } from './offer-words.tsx'
import { fieldIn } from '#shared/localized-text.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

/** With its messages, for a contest that is published alone. */
const CancelContest = lazy(async () => ({
  default: (await import('#features/purchase/refunds/console/cancel-contest.tsx')).CancelContest,
}))

const OFFERS = '/api/staff/offers/'
const pathOf = (id: number, what = ''): string => `${OFFERS}${id}/${what}`

/** The element that mends a thing of the checklist. */
const TRANSLATED: Partial<Record<Check, TranslatedField>> = {
  titles: 'title',
  descriptions: 'description',
  question: 'question',
  drawTerms: 'draw_terms',
}
const PLACES: Partial<Record<Check, string>> = {
  slug: 'contest-slug',
  pictures: 'contest-pictures',
  altTexts: 'contest-pictures',
  sharing: 'contest-pictures',
  price: 'contest-ticket_price',
  total: 'contest-total_tickets',
  prize: 'contest-prize_value',
  choices: 'contest-choices',
  opening: 'contest-opens_at',
  end: 'contest-end_date',
  draw: 'contest-draw_at',
}

/** Id of an element and the language in which it stands. */
export interface Place {
  id: string
  language: Language | undefined
}

function placeOf({ check, languages }: ChecklistItem): Place {
  const [language] = languages
  const field = TRANSLATED[check]
  return { id: field ? `contest-${fieldIn(field, language ?? 'fr')}` : (PLACES[check] ?? ''), language }
}

/** What the contest lacks; each thing leads to its field. */
export function ChecklistPart({
  checklist,
  isDirty,
  onGo,
}: {
  checklist: Checklist
  isDirty: boolean
  onGo: (place: Place) => void
}): ReactNode {
  const t = useTranslations('consoleContests')
  const languageOf = useLanguageName()
  const textOf = ({ check, languages, fault, least_minutes: minutes }: ChecklistItem): string => {
    const item = t(`checklist.items.${check}`)
    if (fault) return t(`checklist.faults.${fault}`, { item, ...wholeHours(minutes ?? 0) })
    if (languages.length === 0) return item
    return t('checklist.inLanguages', {
      item,
      languages: languages.map((one) => languageOf(one)).join(', '),
    })
  }
  const missing = checklist.items.filter(({ is_done: isDone }) => !isDone)
  const done = checklist.items.filter(({ is_done: isDone }) => isDone)
  return (
    <Section title={t('checklist.title')}>
      <div role="status" className="text-sm">
        <p className="font-semibold">{t('checklist.left', { count: missing.length })}</p>
        {isDirty && <p className="text-muted">{t('checklist.stored')}</p>}
      </div>
      <ul className="grid gap-0.5 text-sm">
        {missing.map((item) => {
          const place = placeOf(item)
          const className = 'prose-link flex min-h-11 items-center gap-2.5 py-1.5 font-semibold'
          const content = (
            <>
              <CircleAlert aria-hidden="true" className="size-5 shrink-0 text-warning" />
              <span className="min-w-0 wrap-anywhere">{textOf(item)}</span>
            </>
          )
          return (
            <li key={item.check}>
              {item.check === 'legalTexts' ? (
                <>
                  <Link to="/system" className={className}>
                    {content}
                  </Link>
                  <p className="pl-7.5 text-muted">{t('checklist.system')}</p>
                </>
              ) : (
                <a
                  href={`#${place.id}`}
                  className={className}
                  onClick={(event) => {
                    event.preventDefault()
                    onGo(place)
                  }}
                >
                  {content}
                </a>
              )}
            </li>
          )
        })}
        {done.map(({ check, warning }) => (
          <li key={check} className="text-muted">
            <span className="flex min-h-8 items-center gap-2.5">
              <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-success" />
              <span aria-hidden="true">{t(`checklist.items.${check}`)}</span>
              <span className="sr-only">{t('checklist.done', { item: t(`checklist.items.${check}`) })}</span>
            </span>
            {warning && (
              <span className="flex items-start gap-2.5 pb-1.5 text-ink">
                <TriangleAlert aria-hidden="true" className="size-5 shrink-0 text-warning" />
                <span className="min-w-0">{t(`checklist.warnings.${warning}`)}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** The state of the contest, and the moves that it can make. */
/** Whether a contest that is closed could sell again: it was stopped before its end. */
const isStopped = (state: string, end: string | null): boolean =>
  state === 'closed' && end !== null && Date.parse(end) > serverNow()

export function Publication({
  offer,
  checklist,
  isDirty,
}: {
  offer: StaffOffer
  checklist: Checklist
  isDirty: boolean
}): ReactNode {
  const t = useTranslations('consoleContests.publish')
  const words = useTranslations('consoleContests')
  const may = useMay()
  const time = useTime()
  const action = useAction()
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const { id, version, state, slug, end_date: end, opens_at: opens } = offer
  const move = (what: 'unschedule' | 'resume', done: string): void =>
    void action.run(() => consoleCall('POST', pathOf(id, `${what}/`), { body: { version } }), done)
  const isUnpublished = !isPublished(state)
  const obstacle = isDirty ? t('saveFirst') : checklist.is_complete ? undefined : t('incomplete')
  const reason = useId()
  const unschedule = { label: t('unschedule'), run: () => move('unschedule', t('unscheduled')) }
  const resume = { label: t('resume'), run: () => move('resume', t('resumed')) }
  const mayPublish = isUnpublished && obstacle === undefined
  useScreenActions(
    may('offers.publish')
      ? [
          ...(mayPublish ? [{ label: t('button'), run: () => setOpen(true) }] : []),
          ...(state === 'scheduled' ? [unschedule] : []),
          ...(isStopped(state, end) ? [resume] : []),
        ]
      : [],
  )
  return (
    <Section title={t('title')} actions={<OfferStateBadge state={state} />}>
      {state === 'scheduled' && opens !== null && (
        <p className="text-sm">{t('opensAt', { when: time(opens) })}</p>
      )}
      {may('offers.publish') && (
        <div className="grid gap-3">
          {isUnpublished && (
            <>
              <Button
                wide
                disabled={obstacle !== undefined}
                aria-describedby={obstacle === undefined ? undefined : reason}
                onClick={() => setOpen(true)}
              >
                {t('button')}
              </Button>
              {obstacle !== undefined && (
                <p id={reason} className="text-sm text-muted">
                  {obstacle}
                </p>
              )}
            </>
          )}
          {state === 'scheduled' && (
            <Button wide variant="secondary" busy={action.isBusy} onClick={unschedule.run}>
              {unschedule.label}
            </Button>
          )}
          {isStopped(state, end) && (
            <Button wide variant="secondary" busy={action.isBusy} onClick={resume.run}>
              {resume.label}
            </Button>
          )}
        </div>
      )}
      {!isUnpublished && slug !== null && (
        <>
          <a
            href={`/offers/${slug}`}
            target="_blank"
            rel="noopener"
            className="prose-link py-1.5 text-sm font-semibold"
          >
            {words('editor.openShop')}
          </a>
          <Suspense>
            <CancelContest
              slug={slug}
              title={titleOf(offer, language)}
              isCancelled={state === 'cancelled'}
              isCancellable={offer.is_cancellable}
              until={state === 'sealed' ? offer.cancel_until : null}
            />
          </Suspense>
        </>
      )}
      <Fault error={action.error} />
      {isOpen && <PublishDialog offer={offer} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function PublishDialog({ offer, onClose }: { offer: StaffOffer; onClose: () => void }): ReactNode {
  const t = useTranslations('consoleContests.publish')
  const prices = useTranslations('consoleContests.editor')
  const language = useLanguage()
  const time = useTime()
  const { opens_at: opens, end_date: end, draw_at: draw, price_with_vat: allIn } = offer
  const isScheduled = offer.state === 'scheduled'
  const [when, setWhen] = useState<'now' | 'scheduled'>(opens === null || isScheduled ? 'now' : 'scheduled')
  const options = opens === null || isScheduled ? (['now'] as const) : (['scheduled', 'now'] as const)
  const price =
    offer.ticket_price === null
      ? ''
      : [
          formatEur(offer.ticket_price, language),
          ...(allIn && allIn.total !== offer.ticket_price
            ? [
                `(${prices('allIn', {
                  amount: formatEur(allIn.total, language),
                  rate: formatPercent(allIn.percent, language),
                  country: allIn.country,
                })})`,
              ]
            : []),
        ].join(' ')
  return (
    <ConfirmDialog
      title={t('dialog')}
      confirm={when === 'now' ? t('confirmNow') : t('confirmScheduled')}
      act={() =>
        consoleCall('POST', pathOf(offer.id, 'publish/'), { body: { version: offer.version, when } })
      }
      done={when === 'now' ? t('doneNow') : t('doneScheduled')}
      onClose={onClose}
    >
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-sm font-semibold">{t('when')}</legend>
        {options.map((option) => (
          <label key={option} className="flex min-h-11 items-center gap-3">
            <input
              type="radio"
              name="when"
              className="size-5"
              checked={when === option}
              onChange={() => setWhen(option)}
            />
            {option === 'now' ? t('now') : t('scheduled', { when: opens === null ? '' : time(opens) })}
          </label>
        ))}
        {opens === null && <p className="text-sm text-muted">{t('noOpening')}</p>}
      </fieldset>
      <div className="grid gap-2">
        <h3 className="text-sm font-semibold">{t('whatHappens')}</h3>
        <ul className="grid list-disc gap-1.5 pl-5 text-sm">
          <li>
            {when === 'now' || opens === null ? t('visibleNow') : t('visibleAt', { when: time(opens) })}
          </li>
          {end !== null && offer.total_tickets !== null && (
            <li>{t('sells', { total: offer.total_tickets, price, end: time(end) })}</li>
          )}
          {draw !== null && <li>{t('draws', { when: time(draw) })}</li>}
          <li>{t('locks')}</li>
          <li>{t('noWayBack')}</li>
        </ul>
      </div>
    </ConfirmDialog>
  )
}

/** Duplicates the contest, or deletes a draft. @param onGone before the screen is left */
export function OtherActions({ offer, onGone }: { offer: StaffOffer; onGone: () => void }): ReactNode {
  const t = useTranslations('consoleContests.actions')
  const untitled = useTranslations('consoleContests')('untitled')
  const language = useLanguage()
  const may = useMay()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'duplicate' | 'remove'>()
  const close = (): void => setAsked(undefined)
  const remove = async (): Promise<void> => {
    await consoleCall('DELETE', pathOf(offer.id), { body: { version: offer.version } })
    // The screen of a contest that is gone could not be loaded again.
    onGone()
    await navigate('/offers', { replace: true })
  }
  const mayEdit = may('offers.edit')
  useScreenActions(
    mayEdit
      ? (['duplicate', ...(offer.state === 'draft' ? (['remove'] as const) : [])] as const).map((what) => ({
          label: t(what),
          run: () => setAsked(what),
        }))
      : [],
  )
  if (!mayEdit) return null
  return (
    <Section title={t('title')}>
      <div className="grid gap-3">
        <Button wide variant="secondary" onClick={() => setAsked('duplicate')}>
          {t('duplicate')}
        </Button>
        {offer.state === 'draft' && (
          <Button wide variant="danger" onClick={() => setAsked('remove')}>
            {t('remove')}
          </Button>
        )}
      </div>
      {asked === 'duplicate' && <DuplicateDialog id={offer.id} onClose={close} />}
      {asked === 'remove' && (
        <ConfirmDialog title={t('removeTitle')} isDanger act={remove} done={t('removed')} onClose={close}>
          <p className="wrap-anywhere">{t('removeText', { title: titleOf(offer, language) || untitled })}</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

function DuplicateDialog({ id, onClose }: { id: number; onClose: () => void }): ReactNode {
  const t = useTranslations('consoleContests.actions')
  const navigate = useNavigate()
  const form = useFields({ shift_days: '' })
  const days = form.values.shift_days.trim()
  const copy = useRef<StaffOffer>(undefined)
  const duplicate = async (): Promise<void> => {
    const body = { copy_of: id, ...(days !== '' && { shift_days: Number(days) }) }
    copy.current = await consoleCall<StaffOffer>('POST', OFFERS, { body })
  }
  const close = (): void => {
    onClose()
    if (copy.current) void navigate(`/offers/${copy.current.id}`)
  }
  return (
    <ConfirmDialog
      title={t('duplicateTitle')}
      action={form}
      act={duplicate}
      done={t('duplicated')}
      onClose={close}
    >
      <p>{t('duplicateText')}</p>
      <TextField
        label={t('shift')}
        hint={t('shiftHint')}
        type="number"
        min={1}
        max={3650}
        {...form.field('shift_days')}
      />
    </ConfirmDialog>
  )
}

/** Height of the bars' drawing. */
const BARS = 40

/** Tickets by day: bars for the eye, and the figures in a table. */
export function Sales({ id }: { id: number }): ReactNode {
  const t = useTranslations('consoleContests.sales')
  const of = useTranslations('consoleContests.list')
  const language = useLanguage()
  const { response, error } = useRead<OfferSales>(pathOf(id, 'sales/'))
  const paidAndPost = usePaidAndPost()
  const highest = Math.max(1, ...(response?.days ?? []).map(({ tickets }) => tickets))
  return (
    <Section title={t('title')}>
      {!response && error === undefined && <Loading className="h-24" />}
      <Fault error={error} />
      {response && (
        <Facts
          facts={[
            [
              t('sold'),
              response.total === null
                ? response.sold.toLocaleString(language)
                : of('soldOf', { sold: response.sold, total: response.total }),
            ],
            [t('parts'), paidAndPost(response.sold, response.by_post)],
            [t('pace'), t('perDay', { count: Math.trunc(response.pace * 10 + 0.5) / 10 })],
            response.expected !== null && [t('expected'), response.expected.toLocaleString(language)],
          ]}
        />
      )}
      {response && response.sold === 0 && <p className="text-sm text-muted">{t('none')}</p>}
      {response && response.sold > 0 && (
        <>
          <svg
            viewBox={`0 0 ${Math.max(7, response.days.length) * 4} ${BARS}`}
            preserveAspectRatio="none"
            aria-hidden="true"
            className="h-28 w-full border-b border-line-strong"
          >
            {response.days.map(({ day, tickets }, index) => {
              const height = (tickets / highest) * BARS
              return (
                <rect
                  key={day}
                  x={index * 4 + 0.5}
                  y={(BARS - height).toFixed(2)}
                  width="3"
                  height={height.toFixed(2)}
                  className="fill-signal"
                />
              )
            })}
          </svg>
          <details>
            <summary className="flex min-h-11 cursor-pointer items-center text-sm font-semibold">
              {t('table')}
            </summary>
            <DataTable
              caption={t('title')}
              rows={response.days.toReversed()}
              idOf={({ day }) => day}
              empty=""
              columns={[
                { id: 'day', title: t('day'), cell: ({ day }) => day.split('-').toReversed().join('/') },
                {
                  id: 'tickets',
                  title: t('tickets'),
                  isNumber: true,
                  cell: ({ tickets }) => tickets.toLocaleString(language),
                },
              ]}
            />
          </details>
        </>
      )}
    </Section>
  )
}

/** Who moved the contest from state to state, and when. */
export function History({ offer: { moves } }: { offer: StaffOffer }): ReactNode {
  const t = useTranslations('consoleContests.history')
  const whoOf = ({ by, is_staff: isStaff, people }: StaffOffer['moves'][number]): string => {
    const [maker, approver] = people
    if (maker !== undefined)
      return approver === undefined ? t('alone', { maker }) : t('two', { maker, approver })
    return isStaff ? by : by === 'system' ? t('system') : t('commandLine')
  }
  return (
    <Section title={t('title')}>
      <ol className="grid gap-2 text-sm">
        {moves.map((move) => (
          <li key={`${move.at} ${move.event}`} className="grid">
            <span className="wrap-anywhere">
              {t('by', { event: t(`events.${move.event as OfferEvent}`), who: whoOf(move) })}
            </span>
            <span className="text-muted">
              <Time at={move.at} />
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
