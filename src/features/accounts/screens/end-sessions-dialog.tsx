import { type ReactNode, useEffect, useRef, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import { sessionApi } from '#features/accounts/sessions.api.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { FormBanner, PasswordField, stayInField } from './account-fields.tsx'
import { useAccountForm } from './use-account-form.ts'

/** What is to be logged out: one device, by the name of its button, or all. */
export type Ending = { id: string; device: string; title: string } | 'everywhere'

interface PasswordFormProps {
  ending: Ending
  onClose: () => void
  /** Also when the session had ended meanwhile. */
  onDone: (ending: Ending) => void
}

interface EndSessionsDialogProps extends Omit<PasswordFormProps, 'ending'> {
  /** Opens the dialog. */
  ending: Ending | undefined
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
      <div ref={place}>{ending && <PasswordForm ending={ending} onClose={onClose} onDone={onDone} />}</div>
    </Dialog>
  )
}

function PasswordForm({ ending, onClose, onDone }: PasswordFormProps): ReactNode {
  const t = useTranslations('sessions')
  const tAccounts = useTranslations('accounts')
  const [banner, setBanner] = useState<string>()
  const form = useAccountForm({ current: '' }, passwordFaults, 'onSubmit')
  const { isSubmitting } = form.formState

  const submit = form.handleSubmit(async ({ current }) => {
    setBanner(undefined)
    try {
      await end(ending, current)
    } catch (error) {
      const failure = failureOf(error, failureTexts())
      if (failure.status !== 404) return setBanner(form.showRefusal(failure, { current_password: 'current' }))
    }
    onDone(ending)
  })

  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-1 gap-5"
    >
      <FormBanner text={banner} />
      <PasswordField
        form={form}
        name="current"
        label={tAccounts('profile.currentPassword')}
        autoComplete="current-password"
      />
      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        <Button variant="secondary" disabled={isSubmitting} onMouseDown={stayInField} onClick={onClose}>
          {tAccounts('profile.cancel')}
        </Button>
        <Button type="submit" onMouseDown={stayInField} busy={isSubmitting} busyText={tAccounts('loading')}>
          {t(ending === 'everywhere' ? 'everywhere' : 'end')}
        </Button>
      </div>
    </form>
  )
}

const passwordFaults = ({ current }: { current: string }): { current?: MessageKey } =>
  current === '' ? { current: 'formErrors.password.currentRequired' } : {}

const end = (ending: Ending, password: string): Promise<void> =>
  ending === 'everywhere'
    ? sessionApi().endAllSessions({ current_password: password })
    : sessionApi().endSession(ending.id, { current_password: password })
