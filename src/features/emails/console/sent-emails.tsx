import { type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DataTable } from '#console-kit/data-table.tsx'
import { Facts, Fault, Time } from '#console-kit/parts.tsx'
import { useRead } from '#console-kit/use-read.ts'
import { isEmailKind } from '../email-kinds.rules.ts'
import type { ListedEmail, SentEmail } from '../emails.contract.ts'

/** The words for a kind of email. */
export function useEmailKind(): (kind: string) => string {
  const t = useTranslations('console')
  return (kind) => (isEmailKind(kind) ? t(`emailKinds.${kind}`) : kind)
}

interface SentEmailsProps {
  emails: readonly ListedEmail[]
  /** The call that shows one of them. */
  pathOf: (email: ListedEmail) => string
}

/** Emails to one person; each can be opened as it was sent. */
export function SentEmails({ emails, pathOf }: SentEmailsProps): ReactNode {
  const t = useTranslations('console.sentEmail')
  const kindOf = useEmailKind()
  const [opened, setOpened] = useState<ListedEmail>()
  return (
    <>
      <DataTable
        caption={t('title')}
        rows={emails}
        idOf={({ id }) => id}
        empty={t('empty')}
        columns={[
          {
            id: 'what',
            title: t('what'),
            cell: ({ kind, subject, language }) => (
              <span className="grid">
                <span className="font-semibold">{kindOf(kind)}</span>
                {subject === null ? (
                  <span className="text-muted">{t('erased')}</span>
                ) : (
                  <span lang={language} className="text-muted">
                    {subject}
                  </span>
                )}
              </span>
            ),
          },
          { id: 'state', title: t('state'), cell: (email) => <EmailState email={email} /> },
          { id: 'queued', title: t('queued'), cell: (row) => <Time at={row.queued_at} /> },
          {
            id: 'open',
            title: t('text'),
            cell: (email) =>
              email.subject === null ? (
                '–'
              ) : (
                <Button
                  size="small"
                  variant="secondary"
                  aria-label={t('openNamed', { name: email.subject })}
                  onClick={() => setOpened(email)}
                >
                  {t('open')}
                </Button>
              ),
          },
        ]}
      />
      {opened && (
        <EmailDialog title={kindOf(opened.kind)} path={pathOf(opened)} onClose={() => setOpened(undefined)} />
      )}
    </>
  )
}

function EmailState({ email: { state } }: { email: ListedEmail }): ReactNode {
  const t = useTranslations('console')
  return (
    <span className="whitespace-nowrap">
      <Badge tone={state === 'failed' ? 'error' : 'neutral'}>{t(`sentEmail.states.${state}`)}</Badge>
    </span>
  )
}

function EmailDialog({
  title,
  path,
  onClose,
}: {
  title: string
  path: string
  onClose: () => void
}): ReactNode {
  const t = useTranslations('console.sentEmail')
  const tCommon = useTranslations('console.common')
  const { response: email, error } = useRead<SentEmail>(path)
  return (
    <Dialog open onClose={onClose} title={title} closeText={tCommon('close')}>
      <Fault error={error} />
      <div aria-live="polite" className="grid grid-cols-1 gap-4">
        {email && (
          <>
            <Facts
              facts={[
                [t('to'), email.to ?? t('erased')],
                [
                  t('subject'),
                  <span key="subject" lang={email.language}>
                    {email.subject ?? t('erased')}
                  </span>,
                ],
                [t('state'), <EmailState key="state" email={email} />],
                [t('queued'), <Time key="queued" at={email.queued_at} />],
                email.closed_at !== null && [t('closed'), <Time key="closed" at={email.closed_at} />],
                email.error !== null && [t('error'), email.error],
              ]}
            />
            {email.text !== null && (
              <pre
                lang={email.language}
                aria-label={t('text')}
                className="rounded-lg border border-line bg-sunken p-4 font-[inherit] text-sm wrap-anywhere whitespace-pre-wrap"
              >
                {email.text}
              </pre>
            )}
            <p className="text-sm text-muted">{t('logged')}</p>
          </>
        )}
      </div>
    </Dialog>
  )
}
