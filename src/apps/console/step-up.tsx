import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError } from '#client/api-error.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { PasswordField, TextField } from '#console-kit/fields.tsx'
import { type StepUp, connectConsole, plainCall } from '#console-kit/console-call.ts'
import { respondWithPasskey, hasPasskeys } from '#console-kit/passkeys.ts'

const STEP_UP = '/api/staff/session/step-up/'

/** Asks again for a second factor, or for the password of somebody without one, when a call needs it. */
export function StepUpDialog(): ReactNode {
  const t = useTranslations('console')
  const [asked, setAsked] = useState<StepUp>()
  const answer = useRef<(confirmed: boolean) => void>(() => undefined)
  const [value, setValue] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  useEffect(
    () =>
      connectConsole({
        askStepUp: (needed) =>
          new Promise((resolve) => {
            answer.current = resolve
            setAsked(needed)
          }),
      }),
    [],
  )

  function close(confirmed: boolean): void {
    answer.current(confirmed)
    setAsked(undefined)
    setValue('')
    setError(undefined)
  }

  async function attempt(act: (permission: StepUp['permission']) => Promise<unknown>): Promise<void> {
    if (!asked) return
    setBusy(true)
    setError(undefined)
    try {
      await act(asked.permission)
      close(true)
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.message : t('signIn.passkeyFailed'))
    } finally {
      setBusy(false)
    }
  }

  const hasCode = asked?.methods.some((method) => method === 'code' || method === 'recovery') ?? false
  const hasNone = asked?.methods.length === 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void attempt((permission) =>
      plainCall('POST', STEP_UP, {
        body: { permission, ...(hasNone ? { password: value } : { code: value }) },
      }),
    )
  }
  const withPasskey = (): Promise<void> =>
    attempt(async (permission) => {
      const options = await plainCall<never>('POST', `${STEP_UP}passkey/options/`)
      const response = await respondWithPasskey(options)
      await plainCall('POST', `${STEP_UP}passkey/`, { body: { permission, response } })
    })

  return (
    <Dialog
      open={asked !== undefined}
      onClose={() => close(false)}
      title={t('stepUp.title')}
      closeText={t('common.close')}
    >
      <p>{t('stepUp.text')}</p>
      <form className="grid gap-5" onSubmit={submit}>
        {asked?.methods.includes('passkey') && hasPasskeys() && (
          <Button variant="primary" busy={isBusy} onClick={() => void withPasskey()}>
            {t('stepUp.passkey')}
          </Button>
        )}
        {hasNone && (
          <PasswordField
            label={t('stepUp.password')}
            error={error}
            value={value}
            autoComplete="current-password"
            onChange={(event) => setValue(event.target.value)}
          />
        )}
        {hasCode && (
          <TextField
            label={t('signIn.code')}
            hint={t('signIn.codeHint')}
            error={error}
            value={value}
            autoComplete="one-time-code"
            onChange={(event) => setValue(event.target.value)}
          />
        )}
        <div role="alert">
          {error !== undefined && !hasNone && !hasCode && <Alert tone="error">{error}</Alert>}
        </div>
        {(hasNone || hasCode) && (
          <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
            <Button variant="ghost" onClick={() => close(false)}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" busy={isBusy} disabled={value === ''}>
              {t('common.confirm')}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  )
}
