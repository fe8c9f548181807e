import { ArrowLeft } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useCallback, useRef, useState } from 'react'
import {
  Link,
  type LoaderFunctionArgs,
  useBlocker,
  useLoaderData,
  useParams,
  useRevalidator,
} from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { Language } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useBottomRoom } from '#ui/use-bar.ts'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { Fault, Screen, Section, useTime } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { OfferPictures } from '#features/pictures/console/offer-pictures.tsx'
import { isPublished } from '../offer-states.rules.ts'
import { changeOf } from '../descriptions.rules.ts'
import type { Checklist, DraftField, StaffOffer } from '../staff-offers.contract.ts'
import { ChecklistPart, History, OtherActions, type Place, Publication, Sales } from './contest-side.tsx'
import { DraftFields, useFieldName, valueText } from './draft-fields.tsx'
import { AskDialog, MadeChanges, WaitingChange } from './described.tsx'
import { OfferStateBadge, titleOf } from './offer-words.tsx'
import { PostReserve } from './post-reserve.tsx'
import { type DraftForm, useDraft } from './use-draft.ts'

/** Below the form, and not there until the pages of the shop are. */
const Preview = lazy(async () => ({ default: (await import('./preview.tsx')).Preview }))

interface Loaded {
  offer: StaffOffer
  checklist: Checklist
}

export async function loader({ params }: LoaderFunctionArgs): Promise<Loaded> {
  const path = `/api/staff/offers/${encodeURIComponent(params['id'] ?? '')}/`
  const [offer, checklist] = await Promise.all([
    consoleCall<StaffOffer>('GET', path),
    consoleCall<Checklist>('GET', `${path}checklist/`),
  ])
  return { offer, checklist }
}

/** One contest: its texts, terms and pictures, what it lacks, and its life. */
export function Component(): ReactNode {
  const { id } = useParams()
  return <Editor key={id} />
}

function Editor(): ReactNode {
  const t = useTranslations('consoleContests')
  const { offer, checklist } = useLoaderData<Loaded>()
  const language = useLanguage()
  const mayEdit = useMay()('offers.edit')
  const { revalidate } = useRevalidator()
  const refresh = useCallback(() => void revalidate(), [revalidate])
  const form = useDraft(offer, revalidate)
  const [shown, setShown] = useState<Language>(language)
  const isGone = useRef(false)
  const { stored, draft } = form
  const change = useTranslations('console.change')
  const isEntered = offer.entered_at !== null
  const [isAsking, setAsking] = useState(false)
  const drawAfter = checklist.items.find(({ check }) => check === 'draw')?.least_minutes ?? 0
  const missing = checklist.items.filter(({ is_done: isDone }) => !isDone).length

  const below = !isPublished(offer.state) && missing > 0 ? 'contest-checklist' : 'contest-publication'

  const go = ({ id, language: wanted }: Place): void => {
    if (wanted) setShown(wanted)
    // The field may only now be shown.
    setTimeout(() => {
      const element = document.querySelector<HTMLElement>(`#${id}`)
      element?.focus()
      element?.scrollIntoView({ block: 'center' })
    })
  }

  useScreenActions([
    { label: t('editor.preview'), run: () => go({ id: 'contest-preview', language: undefined }) },
  ])

  return (
    <Screen
      title={titleOf(draft, language) || t('untitled')}
      actions={
        <>
          <OfferStateBadge state={offer.state} />
          {/* Below everything else in narrow windows. */}
          <a
            href={`#${below}`}
            className="prose-link inline-flex min-h-11 items-center text-sm xl:hidden"
            onClick={(event) => {
              event.preventDefault()
              go({ id: below, language: undefined })
            }}
          >
            {isPublished(offer.state) ? t('publish.jump') : t('checklist.count', { count: missing })}
          </a>
        </>
      }
      lead={
        <Link
          to="/offers"
          className="inline-flex min-h-11 items-center gap-2 underline-offset-4 hover:underline"
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
          {t('editor.back')}
        </Link>
      }
    >
      <div role="alert" className="grid gap-4 empty:hidden">
        {form.kept && <KeptDraft form={form} at={form.kept.at} />}
        {form.differing && <Differing form={form} />}
        {!mayEdit && <Alert>{t('editor.readOnly')}</Alert>}
        <WaitingChange offer={offer} />
      </div>
      {mayEdit && isEntered && <Alert>{change('notice')}</Alert>}
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="grid grid-cols-1 gap-6">
          <form
            id="contest-form"
            noValidate
            className="grid grid-cols-1 gap-6"
            onSubmit={(event) => {
              event.preventDefault()
              if (isEntered) setAsking(true)
              else void form.save()
            }}
          >
            <DraftFields form={form} shown={shown} onShow={setShown} drawAfterMinutes={drawAfter} />
          </form>
          <div id="contest-pictures" tabIndex={-1}>
            <Section title={t('editor.pictures')}>
              <OfferPictures offerId={offer.id} onStored={refresh} isEntered={isEntered} />
            </Section>
          </div>
          <div id="contest-preview" tabIndex={-1}>
            <Section title={t('editor.preview')}>
              <Suspense fallback={null}>
                <Preview offer={stored} isDirty={form.isDirty} />
              </Suspense>
            </Section>
          </div>
        </div>
        <div className="grid grid-cols-1 gap-6 xl:sticky xl:top-20 xl:max-h-[calc(100dvh-10rem)] xl:overflow-y-auto">
          {!isPublished(offer.state) && (
            <div id="contest-checklist" tabIndex={-1}>
              <ChecklistPart checklist={checklist} isDirty={form.isDirty} onGo={go} />
            </div>
          )}
          <div id="contest-publication" tabIndex={-1}>
            <Publication offer={stored} checklist={checklist} isDirty={form.isDirty} />
          </div>
          <PostReserve offer={stored} draft={form.draft} />
          {isPublished(offer.state) && <Sales id={offer.id} />}
          <OtherActions offer={stored} onGone={() => (isGone.current = true)} />
          <History offer={offer} />
          <MadeChanges offer={offer} />
        </div>
      </div>
      {mayEdit && <SaveBar form={form} isEntered={isEntered} />}
      {isAsking && (
        <AskDialog
          onClose={() => setAsking(false)}
          change={changeOf({ ...stored.draft, pictures: [] }, { ...draft, pictures: [] }, String)}
          act={form.ask}
        />
      )}
      <LeaveDialog isDirty={form.isDirty} isGone={isGone} />
    </Screen>
  )
}

/** Stays at the lower edge of the window. */
function SaveBar({ form, isEntered }: { form: DraftForm; isEntered: boolean }): ReactNode {
  const t = useTranslations('consoleContests')
  const change = useTranslations('console.change')
  const bar = useRef<HTMLElement>(null)
  useBottomRoom(bar, true)
  const { isDirty, isBusy, error, differing } = form
  const isUndecided = (differing?.conflicts.length ?? 0) > 0
  return (
    <section
      ref={bar}
      aria-label={t('editor.bar')}
      className="save-bar sticky bottom-0 z-20 -mx-3 -mb-6 grid gap-3 border-t border-line bg-surface px-3 py-3 sm:-mx-6 sm:px-6 pb-[max(0.75rem,env(safe-area-inset-bottom))]"
    >
      <Fault error={error} />
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
        <p role="status" className="mr-auto text-sm">
          {isUndecided ? (
            <button
              type="button"
              className="prose-link min-h-11 cursor-pointer text-left"
              onClick={() => document.querySelector<HTMLElement>('#contest-conflicts')?.focus()}
            >
              {t('conflict.decide')}
            </button>
          ) : (
            t(isDirty ? 'editor.unsaved' : 'editor.saved')
          )}
        </p>
        {isDirty && (
          <Button variant="ghost" size="small" onClick={form.discard}>
            {t('editor.discard')}
          </Button>
        )}
        <Button
          type="submit"
          form="contest-form"
          size="small"
          busy={isBusy}
          disabled={!isDirty || isUndecided}
        >
          {isEntered ? change('ask') : t('editor.save')}
        </Button>
      </div>
    </section>
  )
}

/** What the browser has kept of an earlier visit. */
function KeptDraft({ form, at }: { form: DraftForm; at: string }): ReactNode {
  const t = useTranslations('consoleContests.kept')
  const time = useTime()
  return (
    <Alert
      title={t('title', { when: time(at) })}
      actions={
        <>
          <Button size="small" onClick={form.restore}>
            {t('restore')}
          </Button>
          <Button size="small" variant="secondary" onClick={form.dropKept}>
            {t('drop')}
          </Button>
        </>
      }
    >
      {t('text')}
    </Alert>
  )
}

/** What somebody else has stored since, field by field. */
function Differing({ form }: { form: DraftForm }): ReactNode {
  const t = useTranslations('consoleContests.conflict')
  const common = useTranslations('console.common')
  const nameOf = useFieldName()
  const language = useLanguage()
  if (!form.differing) return null
  const { conflicts, theirs, taken, lost } = form.differing
  const text = (value: string): ReactNode =>
    value === '' ? <span className="text-muted">{t('empty')}</span> : value
  const lostFields = Object.keys(lost) as DraftField[]
  return (
    <>
      {conflicts.length > 0 && (
        <div id="contest-conflicts" tabIndex={-1}>
          <Alert tone="warning" title={t('title')}>
            <p>{t('text')}</p>
            <ul className="mt-3 grid gap-4">
              {conflicts.map((field) => (
                <li key={field} className="grid gap-2 border-t border-line-strong pt-3">
                  <p className="font-semibold">{nameOf(field)}</p>
                  <dl className="grid gap-3 sm:grid-cols-2">
                    {(
                      [
                        ['mine', form.draft],
                        ['theirs', theirs],
                      ] as const
                    ).map(([whose, values]) => (
                      <div key={whose} className="min-w-0">
                        <dt className="text-muted">{t(whose)}</dt>
                        <dd className="whitespace-pre-line wrap-anywhere">
                          {text(valueText(values, field, language))}
                        </dd>
                      </div>
                    ))}
                  </dl>
                  <div className="flex flex-wrap gap-3">
                    <Button
                      size="small"
                      aria-label={t('keepMineOf', { field: nameOf(field) })}
                      onClick={() => form.settle(field, 'mine')}
                    >
                      {t('keepMine')}
                    </Button>
                    <Button
                      size="small"
                      variant="secondary"
                      aria-label={t('takeTheirsOf', { field: nameOf(field) })}
                      onClick={() => form.settle(field, 'theirs')}
                    >
                      {t('takeTheirs')}
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
          </Alert>
        </div>
      )}
      {conflicts.length === 0 && taken.length + lostFields.length > 0 && (
        <Alert
          actions={
            <Button size="small" variant="secondary" onClick={form.closeDiffering}>
              {common('close')}
            </Button>
          }
        >
          {taken.length > 0 && <p>{t('taken', { fields: taken.map(nameOf).join(', ') })}</p>}
          {lostFields.length > 0 && (
            <>
              <p>{t('lost')}</p>
              <dl className="mt-2 grid gap-2">
                {lostFields.map((field) => (
                  <div key={field}>
                    <dt className="text-muted">{nameOf(field)}</dt>
                    <dd className="whitespace-pre-line wrap-anywhere">
                      {text(valueText(lost, field, language))}
                    </dd>
                  </div>
                ))}
              </dl>
            </>
          )}
        </Alert>
      )}
    </>
  )
}

/** Asks before changes that are not stored are left. */
function LeaveDialog({ isDirty, isGone }: { isDirty: boolean; isGone: { current: boolean } }): ReactNode {
  const t = useTranslations('consoleContests.leave')
  const common = useTranslations('console.common')
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && !isGone.current && currentLocation.pathname !== nextLocation.pathname,
  )
  return (
    <Dialog
      open={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={t('title')}
      closeText={common('close')}
      actions={
        <>
          <Button variant="ghost" onClick={() => blocker.proceed?.()}>
            {t('leave')}
          </Button>
          <Button onClick={() => blocker.reset?.()}>{t('stay')}</Button>
        </>
      }
    >
      <p>{t('text')}</p>
    </Dialog>
  )
}
