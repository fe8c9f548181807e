import ownDataMessages from 'virtual:messages/ownData'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { FormBanner, PasswordField, stayInField } from '#features/accounts/screens/account-fields.tsx'
import { logout } from '#features/accounts/screens/auth-slice.ts'
import { useAccountForm } from '#features/accounts/screens/use-account-form.ts'
import { failureOf } from '#client/api-error.ts'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserCall, failureTexts, needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { saveFile } from '#client/save-file.ts'
import { useSettings } from '#client/shell.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { formatDateTime } from '#i18n/format.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { serverNow } from '#client/server-clock.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Dialog } from '#ui/dialog.tsx'
import type { CloseBody, ClosingPreview } from '../customers.contract.ts'
import type { Blocker } from '../customers.rules.ts'

await needMessages(ownDataMessages)

const ownDataApi = () => {
  const call = browserCall()
  return {
    /** A ZIP. */
    download: (password: string) =>
      call<Blob>('POST', '/api/user/export/', { body: { current_password: password } }),
    /** What closing the account would do, and what keeps it from being closed. */
    closing: () => call<ClosingPreview>('GET', '/api/user/close/'),
    close: (body: CloseBody) => call<void>('POST', '/api/user/close/', { body }),
  }
}

/** A copy of all that is kept about the customer, and the end of the account. Loaded after the page. */
export function OwnData(): ReactNode {
  const t = useTranslations('ownData')
  const tAccounts = useTranslations('accounts')
  const [opened, setOpened] = useState<'download' | 'close'>()
  const place = useRef<HTMLDivElement>(null)
  const close = (): void => setOpened(undefined)
  // This effect comes after the dialog's own, which focuses its close button.
  useEffect(() => {
    if (opened === 'download') place.current?.querySelector('input')?.focus()
  }, [opened])
  return (
    <Card className="grid grid-cols-1 gap-3 p-5 sm:p-6">
      <h2 className="text-title">{t('title')}</h2>
      <p className="text-muted">{t('text')}</p>
      <div className="flex flex-wrap gap-3">
        <Button variant="secondary" onClick={() => setOpened('download')}>
          {t('download')}
        </Button>
        <Button variant="ghost" onClick={() => setOpened('close')}>
          {t('close')}
        </Button>
      </div>
      <Dialog
        open={opened !== undefined}
        onClose={close}
        title={t(opened ?? 'download')}
        closeText={tAccounts('profile.cancel')}
      >
        <div ref={place}>
          {opened === 'download' && <DownloadForm onClose={close} />}
          {opened === 'close' && <CloseForm onClose={close} />}
        </div>
      </Dialog>
    </Card>
  )
}

const passwordFaults = ({ current }: { current: string }): { current?: MessageKey } =>
  current === '' ? { current: 'formErrors.password.currentRequired' } : {}

interface PasswordFormProps {
  submitText: string
  isDanger?: boolean
  /** Beside the password: undefined when the form may be sent. */
  fault?: () => string | undefined
  act: (password: string) => Promise<void>
  onClose: () => void
  children: ReactNode
}

/** Asks for the current password before something is done with the account. */
function PasswordForm(props: PasswordFormProps): ReactNode {
  const { submitText, isDanger = false, fault, act, onClose, children } = props
  const t = useTranslations('accounts')
  const [banner, setBanner] = useState<string>()
  const form = useAccountForm({ current: '' }, passwordFaults, 'onSubmit')
  const { isSubmitting } = form.formState
  const submit = form.handleSubmit(async ({ current }) => {
    const wrong = fault?.()
    setBanner(wrong)
    if (wrong !== undefined) return
    try {
      await act(current)
    } catch (error) {
      setBanner(form.showRefusal(failureOf(error, failureTexts()), { current_password: 'current' }))
    }
  })
  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-1 gap-5"
    >
      {children}
      <FormBanner text={banner} />
      <PasswordField
        form={form}
        name="current"
        label={t('profile.currentPassword')}
        autoComplete="current-password"
      />
      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        <Button variant="secondary" disabled={isSubmitting} onMouseDown={stayInField} onClick={onClose}>
          {t('profile.cancel')}
        </Button>
        <Button
          type="submit"
          variant={isDanger ? 'danger' : 'primary'}
          onMouseDown={stayInField}
          busy={isSubmitting}
          busyText={t('loading')}
        >
          {submitText}
        </Button>
      </div>
    </form>
  )
}

function DownloadForm({ onClose }: { onClose: () => void }): ReactNode {
  const t = useTranslations('ownData')
  const act = async (password: string): Promise<void> => {
    const archive = await ownDataApi().download(password)
    saveFile(archive, `${t('fileName')}-${new Date(serverNow()).toISOString().slice(0, 10)}.zip`)
    onClose()
    toast.success(t('downloaded'))
  }
  return (
    <PasswordForm submitText={t('start')} act={act} onClose={onClose}>
      <p>{t('downloadText')}</p>
    </PasswordForm>
  )
}

function CloseForm({ onClose }: { onClose: () => void }): ReactNode {
  const t = useTranslations('ownData')
  const dispatch = useAppDispatch()
  const navigate = useAppNavigate()
  const [preview, setPreview] = useState<ClosingPreview>()
  const [failure, setFailure] = useState<string>()
  const [givesUp, setGivesUp] = useState(false)
  useEffect(() => {
    ownDataApi()
      .closing()
      .then(setPreview, (error: unknown) => setFailure(failureOf(error, failureTexts()).message))
  }, [])

  const act = async (password: string): Promise<void> => {
    await ownDataApi().close({ current_password: password, give_up_tickets: givesUp })
    // The server has ended the session; this clears what the browser stored.
    await dispatch(logout())
    navigate(paths.login(), { replace: true })
    toast.success(t('closed'))
  }

  if (!preview)
    return (
      <div aria-live="polite">
        {failure === undefined ? (
          <p>{t('checking')}</p>
        ) : (
          <Alert tone="error" title={t('failed')}>
            {failure}
          </Alert>
        )}
      </div>
    )
  const { blockers, effects } = preview
  const tickets = blockers.filter(({ kind }) => kind === 'tickets')
  if (blockers.length > tickets.length)
    return (
      <div className="grid gap-4">
        <Alert tone="warning" title={t('runs')}>
          {t('runsText')}
        </Alert>
        <BlockerList blockers={blockers} />
      </div>
    )
  return (
    <PasswordForm
      submitText={t('confirm')}
      isDanger
      act={act}
      onClose={onClose}
      fault={() => (tickets.length > 0 && !givesUp ? t('giveUpFirst') : undefined)}
    >
      <div className="grid gap-1">
        <h3 className="font-semibold">{t('goes')}</h3>
        <p className="text-sm">{t('goesText')}</p>
      </div>
      <div className="grid gap-1">
        <h3 className="font-semibold">{t('stays')}</h3>
        <ul className="list-disc pl-5 text-sm">
          {effects.orders_kept > 0 && <li>{t('staysOrders', { count: effects.orders_kept })}</li>}
          {effects.tickets_kept > 0 && <li>{t('staysTickets', { count: effects.tickets_kept })}</li>}
          {effects.orders_kept + effects.tickets_kept === 0 && <li>{t('staysNothing')}</li>}
        </ul>
      </div>
      {tickets.length > 0 && (
        <div className="grid gap-3">
          <BlockerList blockers={tickets} />
          <Checkbox
            isStrong
            label={t('giveUp')}
            hint={t('giveUpText')}
            checked={givesUp}
            onChange={setGivesUp}
          />
        </div>
      )}
    </PasswordForm>
  )
}

function BlockerList({ blockers }: { blockers: readonly Blocker[] }): ReactNode {
  const t = useTranslations('ownData')
  const { timeZone } = useSettings()
  return (
    <ul className="grid list-disc gap-1 pl-5 text-sm">
      {blockers.map((blocker) => {
        switch (blocker.kind) {
          case 'order':
          case 'refund':
            return <li key={blocker.number}>{t(`blocker.${blocker.kind}`, { number: blocker.number })}</li>
          case 'tickets':
            return (
              <li key={blocker.slug}>
                {t(blocker.is_running ? 'blocker.running' : 'blocker.ended', {
                  title: blocker.title,
                  count: blocker.tickets,
                  date: formatDateTime(blocker.ends_at, timeZone),
                })}
              </li>
            )
        }
      })}
    </ul>
  )
}
