import { type ReactNode, useState } from 'react'
import { useLoaderData } from 'react-router'
import { toast } from 'sonner'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useSession } from '#console-kit/console-context.tsx'
import { ActionForm, TextField } from '#console-kit/fields.tsx'
import { Fault, Screen, Section, useTime } from '#console-kit/parts.tsx'
import { hasPasskeys, isKnownPasskey, makePasskey } from '#console-kit/passkeys.ts'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
import type { NewAuthenticator, OwnSecurity, RecoveryCodes } from '../staff.contract.ts'

const SELF = '/api/staff/self/'

export const loader = (): Promise<OwnSecurity> => consoleCall('GET', SELF)

/** One's own second factors and sessions. */
export function Component(): ReactNode {
  const t = useTranslations('console.account')
  const own = useLoaderData<OwnSecurity>()
  const { must_enrol: mustEnrol } = useSession()
  const [codes, setCodes] = useState<string[]>([])
  const hasNone = own.passkeys.length === 0 && !own.has_authenticator
  return (
    <Screen title={t('title')}>
      {hasNone && <Alert tone={mustEnrol ? 'warning' : 'info'}>{mustEnrol ? t('enrol') : t('offer')}</Alert>}
      <Passkeys own={own} onCodes={setCodes} />
      <Authenticator own={own} onCodes={setCodes} />
      {!hasNone && <Recovery left={own.recovery_codes_left} onCodes={setCodes} />}
      <Sessions own={own} />
      <NewCodes codes={codes} onClose={() => setCodes([])} />
    </Screen>
  )
}

interface PartProps {
  own: OwnSecurity
  /** New recovery codes, which are shown once. */
  onCodes: (codes: string[]) => void
}

function Passkeys({ own, onCodes }: PartProps): ReactNode {
  const t = useTranslations('console.account')
  const failures = useTranslations('console.signIn')
  const time = useTime()
  const form = useFields({ name: '' })
  const add = (): Promise<boolean> =>
    form.run(async () => {
      const options = await consoleCall<never>('POST', `${SELF}passkeys/options/`)
      const response = await makePasskey(options).catch((error: unknown) => {
        toast.error(failures(isKnownPasskey(error) ? 'passkeyKnown' : 'passkeyFailed'))
      })
      if (response === undefined) return
      const { recovery_codes: codes } = await consoleCall<RecoveryCodes>('POST', `${SELF}passkeys/`, {
        body: { ...form.values, response },
      })
      form.clear()
      onCodes(codes)
    })
  return (
    <Section title={t('passkeys')}>
      <p className="text-muted">{t('passkeysText')}</p>
      {own.passkeys.length === 0 && <p>{t('noPasskeys')}</p>}
      <ul className="grid gap-3">
        {own.passkeys.map((key) => (
          <li
            key={key.id}
            className="flex flex-wrap items-center justify-between gap-3 border-b border-line pb-3"
          >
            <span className="grid">
              <span className="font-semibold">{key.name}</span>
              <span className="text-sm text-muted">
                {key.last_used_at === null ? t('neverUsed') : t('lastUsed', { when: time(key.last_used_at) })}
              </span>
            </span>
            <Button
              size="small"
              variant="danger"
              aria-label={t('removeNamed', { name: key.name })}
              onClick={() =>
                void form.run(() =>
                  consoleCall('POST', `${SELF}passkeys/${encodeURIComponent(key.id)}/remove/`),
                )
              }
            >
              {t('remove')}
            </Button>
          </li>
        ))}
      </ul>
      {hasPasskeys() ? (
        <ActionForm action={form} isChecked className="grid max-w-lg gap-4" onSend={add}>
          <TextField
            label={t('passkeyName')}
            hint={t('passkeyNameHint')}
            maxLength={60}
            required
            {...form.field('name')}
          />
          <div>
            <Button type="submit" variant="secondary" busy={form.isBusy}>
              {t('addPasskey')}
            </Button>
          </div>
        </ActionForm>
      ) : (
        <p className="text-sm text-muted">{t('passkeysUnavailable')}</p>
      )}
      <Fault error={form.fault} />
    </Section>
  )
}

function Authenticator({ own, onCodes }: PartProps): ReactNode {
  const t = useTranslations('console.account')
  const form = useFields({ code: '' })
  const [fresh, setFresh] = useState<NewAuthenticator>()
  const start = (): Promise<boolean> =>
    form.run(async () => setFresh(await consoleCall<NewAuthenticator>('POST', `${SELF}authenticator/`)))
  const confirm = (): Promise<boolean> =>
    form.run(async () => {
      const body = form.values
      const made = await consoleCall<RecoveryCodes>('POST', `${SELF}authenticator/confirm/`, { body })
      setFresh(undefined)
      form.clear()
      onCodes(made.recovery_codes)
    })
  return (
    <Section title={t('authenticator')}>
      <p>{own.has_authenticator ? t('authenticatorOn') : t('authenticatorOff')}</p>
      {fresh && !own.has_authenticator && (
        <ActionForm action={form} isChecked className="grid max-w-lg gap-4" onSend={confirm}>
          <p>{t('scan')}</p>
          <QrCode rows={fresh.qr} label={t('qr')} />
          <p className="text-sm">
            <span className="text-muted">{t('key')}</span>{' '}
            <code className="wrap-anywhere">{fresh.secret.match(/.{1,4}/g)?.join(' ')}</code>
          </p>
          <TextField
            label={t('firstCode')}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            {...form.field('code')}
            error={form.fields['code'] ?? form.error}
          />
          <div>
            <Button type="submit" busy={form.isBusy}>
              {t('activate')}
            </Button>
          </div>
        </ActionForm>
      )}
      <div>
        {own.has_authenticator ? (
          <Button
            variant="danger"
            size="small"
            busy={form.isBusy}
            onClick={() => void form.run(() => consoleCall('POST', `${SELF}authenticator/remove/`))}
          >
            {t('remove')}
          </Button>
        ) : (
          // Also beside a code that was refused: what was begun may have expired.
          (!fresh || form.error !== undefined) && (
            <Button variant="secondary" busy={form.isBusy} onClick={() => void start()}>
              {t('setUp')}
            </Button>
          )
        )}
      </div>
      {!fresh && <Fault error={form.error} />}
    </Section>
  )
}

/** A QR code, dark on light in both schemes, so that every camera reads it. */
function QrCode({ rows, label }: { rows: readonly string[]; label: string }): ReactNode {
  const size = rows.length + 8
  const path = rows
    .flatMap((row, y) =>
      row.split('').flatMap((bit, x) => (bit === '1' ? [`M${x + 4} ${y + 4}h1v1h-1z`] : [])),
    )
    .join('')
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      className="w-56 max-w-full rounded-md bg-white"
    >
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}

function Recovery({ left, onCodes }: { left: number; onCodes: PartProps['onCodes'] }): ReactNode {
  const t = useTranslations('console.account')
  const action = useAction()
  const renew = (): Promise<boolean> =>
    action.run(async () =>
      onCodes((await consoleCall<RecoveryCodes>('POST', `${SELF}recovery-codes/`)).recovery_codes),
    )
  return (
    <Section title={t('recovery')}>
      <p>{t('recoveryLeft', { count: left })}</p>
      <div>
        <Button variant="secondary" size="small" busy={action.isBusy} onClick={() => void renew()}>
          {t('renew')}
        </Button>
      </div>
      <Fault error={action.error} />
    </Section>
  )
}

function NewCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }): ReactNode {
  const t = useTranslations('console.account')
  const common = useTranslations('console.common')
  return (
    <Dialog
      open={codes.length > 0}
      onClose={onClose}
      title={t('recovery')}
      closeText={common('close')}
      actions={<Button onClick={onClose}>{t('kept')}</Button>}
    >
      <p>{t('recoveryText')}</p>
      <ul className="grid grid-cols-2 gap-2 rounded-md bg-sunken p-4 text-center max-[22rem]:grid-cols-1">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function Sessions({ own }: { own: OwnSecurity }): ReactNode {
  const t = useTranslations('console.account')
  const time = useTime()
  const action = useAction()
  return (
    <Section title={t('sessions')}>
      <ul className="grid gap-3">
        {own.sessions.map(({ id, browser, system, created_at, is_current }) => (
          <li
            key={id}
            className="flex flex-wrap items-center justify-between gap-3 border-b border-line pb-3"
          >
            <span className="grid">
              <span className="font-semibold">
                {browser && system
                  ? t('device', { browser, system })
                  : (browser ?? system ?? t('unknownDevice'))}
              </span>
              <span className="text-sm text-muted">{t('since', { when: time(created_at) })}</span>
            </span>
            {is_current ? (
              <span className="text-sm text-muted">{t('thisSession')}</span>
            ) : (
              <Button
                size="small"
                variant="secondary"
                onClick={() => void action.run(() => consoleCall('POST', `${SELF}sessions/${id}/end/`))}
              >
                {t('endSession')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Fault error={action.error} />
    </Section>
  )
}
