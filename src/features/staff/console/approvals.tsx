import { type ReactNode, useState } from 'react'
import { useLoaderData } from 'react-router'
import { formatEur, formatSum } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { Facts, ReasonDialog, Screen, Section, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import type { Approval } from '../staff.contract.ts'
import { usePermissionWords } from './staff-words.ts'

const APPROVALS = '/api/staff/approvals/'

export const loader = (): Promise<Approval[]> => consoleCall('GET', APPROVALS)

/** What waits for a second person, and what was decided. */
export function Component(): ReactNode {
  const t = useTranslations('console.approvals')
  const all = useLoaderData<Approval[]>()
  const waiting = all.filter(({ decision }) => decision === null)
  const decided = all.filter(({ decision }) => decision !== null)
  return (
    <Screen title={t('title')} lead={t('intro')}>
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
  return (approval) => {
    const { permission, preview, subject } = approval
    const text = textIn(approval)
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
        return t('approvals.what.cancel', { title: text('title') })
      default:
        return t('approvals.what.other', { permission: permissionOf(permission), subject })
    }
  }
}

/** What a cancellation would have done when it was asked for. */
function useEffects(): (approval: Approval) => (readonly [string, string])[] {
  const t = useTranslations('console.approvals.effects')
  const language = useLanguage()
  return (approval) => {
    if (approval.permission !== 'offers.cancel') return []
    const text = textIn(approval)
    return [
      [t('orders'), Number(text('orders')).toLocaleString(language)],
      [t('amount'), formatSum(text('amount'), language)],
      [t('emails'), Number(text('emails')).toLocaleString(language)],
    ]
  }
}

function Head({ approval }: { approval: Approval }): ReactNode {
  const t = useTranslations('console')
  const time = useTime()
  const what = useWhat()
  const effectsOf = useEffects()
  return (
    <div className="grid gap-1">
      <h3 className="font-semibold">{what(approval)}</h3>
      <p className="text-sm text-muted">
        {t('approvals.askedBy', { name: approval.requested_by.name, when: time(approval.requested_at) })}
      </p>
      <Facts facts={[...effectsOf(approval), [t('common.reason'), approval.reason]]} />
    </div>
  )
}

function Waiting({ approval }: { approval: Approval }): ReactNode {
  const t = useTranslations('console')
  const time = useTime()
  const action = useAction()
  const [isRefusing, setRefusing] = useState(false)
  const { id, can, alone_from: aloneFrom } = approval
  const isOwn = can.includes('withdraw')
  const refuse = isOwn ? t('approvals.withdraw') : t('approvals.refuse')
  return (
    <li className="grid gap-3 rounded-md border border-line p-4">
      <Head approval={approval} />
      {aloneFrom !== null && isOwn && (
        <p className="text-sm">{t('approvals.aloneFrom', { when: time(aloneFrom) })}</p>
      )}
      <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
      <div className="flex flex-wrap gap-3 max-sm:*:grow">
        {can.includes('approve') && (
          <Button
            size="small"
            busy={action.isBusy}
            onClick={() =>
              void action.run(() => consoleCall('POST', `${APPROVALS}${id}/approve/`), t('common.done'))
            }
          >
            {isOwn ? t('approvals.actAlone') : t('approvals.approve')}
          </Button>
        )}
        {can.length > 0 && (
          <Button size="small" variant="secondary" onClick={() => setRefusing(true)}>
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
  const t = useTranslations('console.approvals')
  const { decision, decided_by: by, done_at: done, failure } = approval
  if (decision === null) return null
  const isAccepted = decision === 'approved' || decision === 'alone'
  return (
    <li className="grid gap-2 border-b border-line pb-4 last:border-0">
      <Head approval={approval} />
      <p className="flex flex-wrap gap-2">
        <Badge tone={isAccepted ? 'success' : 'neutral'}>
          {t(`state.${decision}`, { name: by?.name ?? '' })}
        </Badge>
        {isAccepted && failure !== null && <Badge tone="error">{t('notDone')}</Badge>}
        {isAccepted && failure === null && done === null && <Badge tone="warning">{t('inProgress')}</Badge>}
      </p>
    </li>
  )
}
