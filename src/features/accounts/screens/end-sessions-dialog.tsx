import { type ReactNode, useEffect, useRef } from 'react'
import { failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import { sessionApi } from '#client/account-endpoints.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { PasswordForm } from './password-form.tsx'

/** What is to be logged out: one device, by the name of its button, or all. */
export type Ending = { id: string; device: string; title: string } | 'everywhere'

interface EndSessionsDialogProps {
  /** Opens the dialog. */
  ending: Ending | undefined
  onClose: () => void
  /** Also when the session had ended meanwhile. */
  onDone: (ending: Ending) => void
}

/** Asks for the current password, then logs out one device or all. */
export function EndSessionsDialog({ ending, onClose, onDone }: EndSessionsDialogProps): ReactNode {
  const t = useTranslations('sessions')
  const tAccounts = useTranslations('accounts')
  const place = useRef<HTMLDivElement>(null)
  // This effect comes after the dialog's own, which opens it and focuses its close button.
  useEffect(() => {
    if (ending) place.current?.querySelector('input')?.focus()
  }, [ending])

  return (
    <Dialog
      open={ending !== undefined}
      onClose={onClose}
      title={typeof ending === 'object' ? ending.title : t('everywhere')}
      closeText={tAccounts('profile.cancel')}
    >
      <div ref={place}>
        {ending && (
          <PasswordForm
            submitText={t(ending === 'everywhere' ? 'everywhere' : 'end')}
            act={(password) => end(ending, password).then(() => onDone(ending))}
            onClose={onClose}
          />
        )}
      </div>
    </Dialog>
  )
}

async function end(ending: Ending, password: string): Promise<void> {
  const body = { current_password: password }
  try {
    if (ending === 'everywhere') await sessionApi().endAllSessions(body)
    else await sessionApi().endSession(ending.id, body)
  } catch (error) {
    if (failureOf(error, failureTexts()).status !== 404) throw error
  }
}
