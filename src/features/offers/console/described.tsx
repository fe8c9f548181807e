import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { ChangeView } from '#ui/change-view.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useSession } from '#console-kit/console-context.tsx'
import { ReasonDialog, Section, Time, useTime } from '#console-kit/parts.tsx'
import type { DescriptionChange } from '../descriptions.contract.ts'
import type { StaffOffer } from '../staff-offers.contract.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

/** What changes of a contest's description, for staff. */
export function DescribedChange({ change }: { change: DescriptionChange }): ReactNode {
  const t = useTranslations('console.change')
  const languageOf = useLanguageName()
  return (
    <ChangeView
      change={change}
      language={useLanguage()}
      t={t}
      nameOf={(field, of) => t('named', { field: t(`fields.${field}`), language: languageOf(of) })}
      factOf={(fact) => t(`facts.${fact}`)}
      noFigure={t('noFigure')}
    />
  )
}

/** The change that waits for a second person. Whoever asked may withdraw it. */
export function WaitingChange({ offer: { waiting } }: { offer: StaffOffer }): ReactNode {
  const t = useTranslations('console.change')
  const { user_id: own } = useSession()
  const time = useTime()
  const [isWithdrawing, setWithdrawing] = useState(false)
  if (!waiting) return null
  const { approval, asked_by: by, asked_at: at, reason, alone_from: aloneFrom } = waiting
  return (
    <Alert
      tone="warning"
      title={t('waits', { name: by.name, when: time(at) })}
      actions={
        <>
          <Link to="/approvals" className={buttonClasses('secondary', 'small')}>
            {t('open')}
          </Link>
          {by.id === own && (
            <Button size="small" variant="secondary" onClick={() => setWithdrawing(true)}>
              {t('withdraw')}
            </Button>
          )}
        </>
      }
    >
      <p className="mb-3 wrap-anywhere">{t('why', { reason })}</p>
      {aloneFrom !== null && by.id === own && (
        <p className="mb-3">{t('aloneFrom', { when: time(aloneFrom) })}</p>
      )}
      <DescribedChange change={waiting} />
      <ReasonDialog
        open={isWithdrawing}
        onClose={() => setWithdrawing(false)}
        title={t('withdraw')}
        text={t('withdrawText')}
        confirm={t('withdraw')}
        act={(why) =>
          consoleCall('POST', `/api/staff/approvals/${approval}/refuse/`, { body: { reason: why } })
        }
        done={t('withdrawn')}
      />
    </Alert>
  )
}

/** What changed after the first entry, with who asked for it and who consented. */
export function MadeChanges({ offer: { changes } }: { offer: StaffOffer }): ReactNode {
  const t = useTranslations('console.change')
  if (changes.length === 0) return null
  return (
    <Section title={t('title')}>
      <ol className="grid gap-3 text-sm">
        {changes.map((change) => (
          <li key={change.at} className="grid gap-1">
            <details>
              <summary className="min-h-11 cursor-pointer py-2 wrap-anywhere">
                {change.approved_by === null
                  ? t('madeAlone', { maker: change.asked_by })
                  : t('made', { maker: change.asked_by, approver: change.approved_by })}{' '}
                <span className="text-muted">
                  <Time at={change.at} />
                </span>
              </summary>
              <DescribedChange change={change} />
            </details>
          </li>
        ))}
      </ol>
    </Section>
  )
}

interface AskDialogProps {
  onClose: () => void
  change: DescriptionChange
  act: (reason: string) => Promise<unknown>
}

/** Asks a second person for a change, with a reason. */
export function AskDialog({ onClose, change, act }: AskDialogProps): ReactNode {
  const t = useTranslations('console.change')
  return (
    <ReasonDialog
      open
      onClose={onClose}
      title={t('ask')}
      text={
        <div className="grid gap-4">
          <p>{t('askText')}</p>
          <DescribedChange change={change} />
        </div>
      }
      confirm={t('ask')}
      act={act}
      done={t('asked')}
    />
  )
}
