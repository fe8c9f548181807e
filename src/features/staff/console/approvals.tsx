import { type ReactNode, useState } from 'react'
import { type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import {
  type ApprovalView,
  type ApprovalViews,
  type AskedPreview,
  approvalViews,
  textOf,
} from '#console-kit/approval-kinds.ts'
import { consoleCall } from '#console-kit/console-call.ts'
import { type Page, useRows, wholeList } from '#console-kit/data-table.tsx'
import { Facts, Fault, ReasonDialog, Screen, Section, useTime } from '#console-kit/parts.tsx'
import { rowLink } from '#console-kit/row-keys.ts'
import { useAction } from '#console-kit/use-action.ts'
import { useRead } from '#console-kit/use-read.ts'
import type { Approval } from '../staff.contract.ts'
import { usePermissionWords } from './staff-words.ts'

const APPROVALS = '/api/staff/approvals/'

interface Approvals {
  page: Page<Approval>
  views: ApprovalViews
}

export const loader = async ({ context }: LoaderFunctionArgs): Promise<Approvals> => {
  const [approvals, views] = await Promise.all([
    consoleCall<Approval[]>('GET', APPROVALS),
    context.get(approvalViews)(),
  ])
  return { page: wholeList(approvals), views }
}

/** What waits for a second person, and what was decided. */
export function Component(): ReactNode {
  const t = useTranslations('console.approvals')
  const { page, views } = useLoaderData<Approvals>()
  const { rows: all, news, asked } = useRows(page, ({ id }) => id)
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
            <Waiting key={approval.id} approval={approval} view={views[approval.permission]} />
          ))}
        </ul>
      </Section>
      {decided.length > 0 && (
        <Section title={t('decided')}>
          <ul className="grid gap-4">
            {decided.map((approval) => (
              <Decided key={approval.id} approval={approval} view={views[approval.permission]} />
            ))}
          </ul>
        </Section>
      )}
    </Screen>
  )
}

interface ShownProps {
  approval: Approval
  /** None for a kind that only a newer release knows. */
  view: ApprovalView | undefined
}

/** What is asked for by whom, and what consent is given to. @param known what the details show; undefined until it is known */
function Head({ approval, view, known }: ShownProps & { known: AskedPreview | undefined }): ReactNode {
  const t = useTranslations('console')
  const permissionOf = usePermissionWords()
  const time = useTime()
  const { permission, preview, subject } = approval
  // What an approval publishes is read before it.
  const statement = textOf(preview, 'statement')
  return (
    <div className="grid gap-1">
      <h3 className="font-semibold">
        {view ? (
          <view.What preview={preview} />
        ) : (
          t('approvals.what.other', { permission: permissionOf(permission), subject })
        )}
      </h3>
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
      {view?.Details && known && (
        <div className="mt-2 grid grid-cols-1 gap-3">
          <view.Details preview={known} />
        </div>
      )}
    </div>
  )
}

function Waiting({ approval, view }: ShownProps): ReactNode {
  const t = useTranslations('console')
  const time = useTime()
  const action = useAction()
  const [isRefusing, setRefusing] = useState(false)
  const [tries, setTries] = useState(0)
  const { id, can, preview, alone_from: aloneFrom } = approval
  // Where the effect moves, the consent is to what the action would do now.
  const now = useRead<Record<string, unknown>>(view?.now?.path(preview), tries)
  const known = view?.now ? now.response : preview
  const approve = async (): Promise<void> => {
    const seen = view?.now && now.response ? `?seen=${view.now.sumOf(now.response)}` : ''
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
      <Head approval={approval} view={view} known={known} />
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
            disabled={!known}
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

function Decided({ approval, view }: ShownProps): ReactNode {
  return (
    <li className="grid gap-2 border-b border-line pb-4 last:border-0">
      <Head approval={approval} view={view} known={approval.preview} />
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
