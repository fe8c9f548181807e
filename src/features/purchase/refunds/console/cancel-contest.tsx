import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Progress } from '#ui/progress.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ReasonField } from '#console-kit/fields.tsx'
import { Facts, Fault, PreviewThenAsk, Section, usePreview, useTime } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useFields } from '#console-kit/use-fields.ts'
import { useRead } from '#console-kit/use-read.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import type { Cancellation, CancellationPreview } from '../refunds.contract.ts'
import { PreviewFacts, pathOf, previewPath } from './cancellation-preview.tsx'

/**
 * The button that cancels a contest, with what it would do, and the progress of the refunds of a cancelled one. A route
 * that shows it loads the messages `consoleContests`.
 */
export function CancelContest({
  slug,
  title,
  isCancelled,
  isCancellable,
  until,
}: {
  slug: string
  title: string
  isCancelled: boolean
  isCancellable: boolean
  /** Of a sealed contest. */
  until: string | null
}): ReactNode {
  const t = useTranslations('consoleContests.cancel')
  const time = useTime()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const [asked, setAsked] = useState<Approval>()
  const isOffered = isCancellable && may('offers.cancel')
  useScreenActions(isOffered ? [{ label: t('button'), run: () => setOpen(true) }] : [])
  if (isCancelled) return <CancellationProgress slug={slug} />
  if (!isOffered) return until && <p className="text-sm text-muted">{t('tooLate', { when: time(until) })}</p>
  return (
    <>
      {may('approvals.read') && <WaitingApproval key={asked?.id} slug={slug} />}
      <Button variant="danger" onClick={() => setOpen(true)}>
        {t('button')}
      </Button>
      {until && <p className="text-sm text-muted">{t('until', { when: time(until) })}</p>}
      {isOpen && <CancelDialog slug={slug} title={title} onClose={() => setOpen(false)} onAsked={setAsked} />}
    </>
  )
}

/** Says that somebody has asked to cancel the contest already. */
function WaitingApproval({ slug }: { slug: string }): ReactNode {
  const t = useTranslations('consoleContests.cancel')
  const time = useTime()
  const { response } = useRead<Approval[]>('/api/staff/approvals/')
  const waiting = response?.find(
    ({ permission, decision, preview }) =>
      permission === 'offers.cancel' && decision === null && preview['slug'] === slug,
  )
  if (!waiting) return null
  return (
    <Alert tone="warning">
      {t('waits', { name: waiting.requested_by.name, when: time(waiting.requested_at) })}{' '}
      <Link to="/approvals" className="prose-link">
        {t('openApproval')}
      </Link>
    </Alert>
  )
}

function CancelDialog({
  slug,
  title,
  onClose,
  onAsked,
}: {
  slug: string
  title: string
  onClose: () => void
  onAsked: (approval: Approval) => void
}): ReactNode {
  const t = useTranslations('consoleContests.cancel')
  const preview = usePreview<CancellationPreview>(previewPath(slug))
  const form = useFields({ reason: '' })
  const needsApproval = preview.response?.needs_approval
  const cancel = async (): Promise<void> => {
    const path = `${pathOf(slug)}/cancel/`
    const response = await consoleCall<object | { approval: Approval }>('POST', path, { body: form.values })
    toast.success('approval' in response ? t('asked') : t('done'))
    if ('approval' in response) onAsked(response.approval)
  }
  return (
    <PreviewThenAsk
      title={t('title', { title })}
      confirm={t(needsApproval ? 'ask' : 'confirm')}
      isDanger
      isDisabled={form.values.reason.trim() === ''}
      action={form}
      preview={preview}
      text={<p>{t('text')}</p>}
      shows={(found) => <PreviewFacts preview={found} />}
      act={cancel}
      onClose={onClose}
    >
      {needsApproval && <Alert tone="warning">{t('needsApproval')}</Alert>}
      <ReasonField label={t('reason')} hint={t('reasonHint')} {...form.field('reason')} />
    </PreviewThenAsk>
  )
}

const REFRESH_MS = 5_000

/** How far the refunds of a cancelled contest are; while somebody looks it asks again, until all money is back. */
function CancellationProgress({ slug }: { slug: string }): ReactNode {
  const t = useTranslations('consoleContests.cancel')
  const time = useTime()
  const [version, setVersion] = useState(0)
  const read = useRead<Cancellation>(`${pathOf(slug)}/cancellation/`, version)
  const { response, error } = read
  const [state, setState] = useState<Cancellation>()
  if (response && response !== state) setState(response)
  const isOver = state?.returned_at != null
  useEffect(() => {
    if (isOver || (!read.response && read.error === undefined)) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return
      clearInterval(timer)
      setVersion((present) => present + 1)
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [isOver, read])
  const fault = <Fault error={error} />
  if (!state) return fault
  const { waiting, returning, in_review, returned, payments_in_progress: paying, returned_at: at } = state
  const all = waiting + returning + in_review + returned + paying
  const text = t('progressText', { done: returned, all })
  return (
    <Section title={t('progress')}>
      {fault}
      <p className="text-sm text-muted">{t('why', { reason: state.reason })}</p>
      {isOver && at !== null ? (
        <Alert tone="success">{t('complete', { when: time(at) })}</Alert>
      ) : (
        <div className="grid gap-2">
          <p aria-live="polite">{text}</p>
          <Progress value={returned} total={all} label={text} />
        </div>
      )}
      <Facts
        facts={[
          [t('returned'), returned],
          [t('returning'), returning],
          [t('waiting'), waiting],
          [t('paying'), paying],
          [t('inReview'), in_review],
        ]}
      />
    </Section>
  )
}
