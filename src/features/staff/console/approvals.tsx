import { type ReactNode, useState } from 'react'
import { useLoaderData } from 'react-router'
import { PreviewFacts, previewPath } from '#features/purchase/refunds/console/cancellation-preview.tsx'
import type { ForfeitBody } from '#features/draws/claims.contract.ts'
import { DescribedChange } from '#features/offers/console/described.tsx'
import type { DescriptionChange } from '#features/offers/descriptions.contract.ts'
import type { VoidGround } from '#features/postal/postal.rules.ts'
import type { CancellationPreview } from '#features/purchase/refunds/refunds.contract.ts'
import { formatDay, formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { type Page, useRows, wholeList } from '#console-kit/data-table.tsx'
import { Facts, Fault, ReasonDialog, Screen, Section, useTime } from '#console-kit/parts.tsx'
import { rowLink } from '#console-kit/row-keys.ts'
import { useAction } from '#console-kit/use-action.ts'
import { useRead } from '#console-kit/use-read.ts'
import type { Approval } from '../staff.contract.ts'
import { usePermissionWords } from './staff-words.ts'

const APPROVALS = '/api/staff/approvals/'

export const loader = async (): Promise<Page<Approval>> =>
  wholeList(await consoleCall<Approval[]>('GET', APPROVALS))

/** What waits for a second person, and what was decided. */
export function Component(): ReactNode {
  const t = useTranslations('console.approvals')
  const { rows: all, news, asked } = useRows(useLoaderData<Page<Approval>>(), ({ id }) => id)
  // One that was decided meanwhile stays where it stands.
  const wasDecided = new Set(asked.filter(({ decision }) => decision !== null).map(({ id }) => id))
  const waiting = all.filter(({ id }) => !wasDecided.has(id))
  const decided = all.filter(({ id }) => wasDecided.has(id))
  return (
    <Screen title={t('title')} lead={t('intro')}>
      {news}
      <Section title={t('waiting')}>
        {waiting.length === 0 && <p className="text-muted">{t('empty')}</p>}
        <ul className="grid gap-4">
          {waiting.map((approval) => (
            <Waiting key={approval.id} approval={approval} />
          ))}
        </ul>
      </Section>
      {decided.length > 0 && (
        <Section title={t('decided')}>
          <ul className="grid gap-4">
            {decided.map((approval) => (
              <Decided key={approval.id} approval={approval} />
            ))}
          </ul>
        </Section>
      )}
    </Screen>
  )
}

const textIn =
  ({ preview }: Approval) =>
  (name: string): string => {
    const value = preview[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }

/** What is asked for, in words. */
function useWhat(): (approval: Approval) => string {
  const t = useTranslations('console')
  const language = useLanguage()
  const permissionOf = usePermissionWords()
  const draws = useTranslations('consoleDraws')
  return (approval) => {
    const { permission, preview, subject } = approval
    const text = textIn(approval)
    const title = text(language === 'fr' ? 'title' : `title_${language}`) || text('title')
    switch (permission) {
      case 'staff.change':
        return t('approvals.what.staff', {
          name: text('name'),
          role: t(`roles.${preview['to'] as StaffRole}`),
        })
      case 'orders.refund':
        return t('approvals.what.refund', {
          amount: formatEur(text('amount'), language),
          number: text('number'),
        })
      case 'offers.cancel':
        return t('approvals.what.cancel', { title })
      case 'offers.describe':
        return t('approvals.what.describe', { title })
      case 'draws.decide':
        return t('approvals.what.forfeit', {
          title,
          number: text('number'),
          reason: draws(`reasons.${preview['reason'] as ForfeitBody['reason']}`),
        })
      case 'draws.award':
        return t('approvals.what.award', {
          title,
          number: text('number'),
          day: formatDay(text('delivered_on')),
        })
      case 'draws.beacon':
        return t('approvals.what.beacon', {
          slug: text('slug'),
          from: text('from'),
          to: text('to'),
          round: text('round'),
        })
      case 'draws.void':
        return t('approvals.what.void', {
          title,
          numbers: text('numbers'),
          count: Number(text('count')),
          reason: draws(`reasons.${preview['reason'] as ForfeitBody['reason']}`),
          refund: formatEur(text('refund') || '0', language),
        })
      case 'post.void':
        return t('approvals.what.voidCard', {
          entry: text('number'),
          number: text('ticket_number'),
          title,
          ground: t(`approvals.grounds.${preview['ground'] as VoidGround}`),
        })
      default:
        return t('approvals.what.other', { permission: permissionOf(permission), subject })
    }
  }
}

function Head({ approval }: { approval: Approval }): ReactNode {
  const t = useTranslations('console')
  const time = useTime()
  const what = useWhat()
  // What an approval publishes is read before it.
  const statement = textIn(approval)('statement')
  return (
    <div className="grid gap-1">
      <h3 className="font-semibold">{what(approval)}</h3>
      <p className="text-sm text-muted">
        {t('approvals.askedBy', { name: approval.requested_by.name, when: time(approval.requested_at) })}
      </p>
      <Facts
        facts={[
          [t('common.reason'), approval.reason],
          statement !== '' && [
            t('approvals.statement'),
            <span key="statement" className="whitespace-pre-line">
              {statement}
            </span>,
          ],
        ]}
      />
      {approval.permission === 'offers.describe' && (
        <DescribedChange change={approval.preview as DescriptionChange} />
      )}
    </div>
  )
}

function Waiting({ approval }: { approval: Approval }): ReactNode {
  const t = useTranslations('console')
  const time = useTime()
  const action = useAction()
  const [isRefusing, setRefusing] = useState(false)
  const [tries, setTries] = useState(0)
  const { id, can, permission, alone_from: aloneFrom } = approval
  const isCancelling = permission === 'offers.cancel'
  // A contest sells on until its cancellation is approved: the consent is to what it would do now.
  const now = useRead<CancellationPreview>(
    isCancelling ? previewPath(textIn(approval)('slug')) : undefined,
    tries,
  )
  const approve = async (): Promise<void> => {
    const seen = now.answer ? `?seen=${now.answer.amount}` : ''
    const isDone = await action.run(
      () => consoleCall('POST', `${APPROVALS}${id}/approve/${seen}`),
      t('common.done'),
    )
    if (!isDone) setTries(tries + 1)
  }
  const fault = action.error ?? now.error
  const isOwn = can.includes('withdraw')
  const refuse = isOwn ? t('approvals.withdraw') : t('approvals.refuse')
  return (
    <li className="grid gap-3 rounded-md border border-line p-4">
      <Head approval={approval} />
      {now.answer && <PreviewFacts preview={now.answer} />}
      {aloneFrom !== null && isOwn && (
        <p className="text-sm">{t('approvals.aloneFrom', { when: time(aloneFrom) })}</p>
      )}
      <Fault error={fault} />
      {/* A decision of somebody else stands where the buttons stood. */}
      <div className="flex min-h-11 flex-wrap items-center gap-3 max-sm:[&>button]:grow">
        <Decision approval={approval} />
        {can.includes('approve') && (
          <Button
            {...rowLink}
            size="small"
            busy={action.isBusy}
            disabled={isCancelling && !now.answer}
            onClick={() => void approve()}
          >
            {isOwn ? t('approvals.actAlone') : t('approvals.approve')}
          </Button>
        )}
        {can.length > 0 && (
          <Button
            {...(!can.includes('approve') && rowLink)}
            size="small"
            variant="secondary"
            onClick={() => setRefusing(true)}
          >
            {refuse}
          </Button>
        )}
      </div>
      <ReasonDialog
        open={isRefusing}
        onClose={() => setRefusing(false)}
        title={refuse}
        text={approval.reason}
        confirm={refuse}
        act={(reason) => consoleCall('POST', `${APPROVALS}${id}/refuse/`, { body: { reason } })}
      />
    </li>
  )
}

function Decided({ approval }: { approval: Approval }): ReactNode {
  return (
    <li className="grid gap-2 border-b border-line pb-4 last:border-0">
      <Head approval={approval} />
      {approval.permission === 'offers.cancel' && (
        <PreviewFacts preview={approval.preview as CancellationPreview} />
      )}
      <Decision approval={approval} />
    </li>
  )
}

function Decision({ approval }: { approval: Approval }): ReactNode {
  const t = useTranslations('console.approvals')
  const { decision, decided_by: by, done_at: done, failure } = approval
  if (decision === null) return null
  const isAccepted = decision === 'approved' || decision === 'alone'
  return (
    <p className="flex flex-wrap gap-2">
      <Badge tone={isAccepted ? 'success' : 'neutral'}>
        {t(`state.${decision}`, { name: by?.name ?? '' })}
      </Badge>
      {isAccepted && failure !== null && <Badge tone="error">{t('notDone')}</Badge>}
      {isAccepted && failure === null && done === null && <Badge tone="warning">{t('inProgress')}</Badge>}
    </p>
  )
}
