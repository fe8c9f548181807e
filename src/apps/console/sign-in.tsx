import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { allowsCookies } from '#client/browser-parts.ts'
import { useTranslations } from '#i18n/translations.tsx'
import type { SecondFactor } from '#shared/staff-session.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { LanguageSelector, Mark } from './frame-parts.tsx'
import { useSettings } from '#console-kit/console-context.tsx'
import { PasswordField, TextField } from '#console-kit/fields.tsx'
import { plainCall } from '#console-kit/console-call.ts'
import { Fault } from '#console-kit/parts.tsx'
import { respondWithPasskey, hasPasskeys } from '#console-kit/passkeys.ts'

const SESSION = '/api/staff/session/'

/** Whether the browser has kept the session's cookie; without it the console would lead here again. */
const isSignedIn = (): Promise<boolean> =>
  plainCall('GET', SESSION).then(
    () => true,
    (error: unknown) => !(error instanceof ApiError && error.status === 401),
  )

/** Only paths of the console: a path with two slashes would name another host. */
const safeNext = (next: string | null): string => (next && /^\/(?![/\\])/.test(next) ? next : '/')

export function Component(): ReactNode {
  const t = useTranslations('console')
  const { brand, demo } = useSettings()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  /** Known once the password was right and a second factor is wanted. */
  const [methods, setMethods] = useState<SecondFactor[]>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const codeField = useRef<HTMLInputElement>(null)

  useEffect(() => {
    document.title = `${t('signIn.title')} | ${brand}`
  }, [t, brand])
  useEffect(() => {
    if (methods) codeField.current?.focus()
  }, [methods])

  async function attempt(act: () => Promise<unknown>): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      await act()
      if (!(await isSignedIn())) return setError(t('signIn.cookiesBlocked'))
      await navigate(safeNext(query.get('next')), { replace: true })
    } catch (failure) {
      const known = failure instanceof ApiError ? failure : undefined
      const wanted = (known?.body as { methods?: SecondFactor[] } | undefined)?.methods
      if (known?.code === 'staff.secondFactorRequired' && wanted) setMethods(wanted)
      else setError(known?.message ?? t('signIn.passkeyFailed'))
    } finally {
      setBusy(false)
    }
  }

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const body = { email, password, ...(methods && { code }) }
    void attempt(() => plainCall('POST', SESSION, { body }))
  }
  const withPasskey = (): Promise<void> =>
    attempt(async () => {
      const options = await plainCall<never>('POST', `${SESSION}passkey/options/`)
      await plainCall('POST', `${SESSION}passkey/`, { body: { response: await respondWithPasskey(options) } })
    })

  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-md content-center gap-6 px-4 py-8">
      <div className="flex items-center justify-between gap-4">
        <span className="inline-flex items-center gap-3 font-wide text-lg">
          <Mark />
          {brand}
        </span>
        <LanguageSelector />
      </div>
      <div className="grid gap-5 rounded-lg border border-line bg-surface p-6">
        <div className="grid gap-1">
          <h1 className="text-title" tabIndex={-1}>
            {methods ? t('signIn.codeTitle') : t('signIn.title')}
          </h1>
          <p className="text-muted">{methods ? t('stepUp.title') : t('signIn.intro')}</p>
        </div>
        {!allowsCookies() && <Alert tone="warning">{t('signIn.cookiesBlocked')}</Alert>}
        {query.get('ended') !== null && !methods && <Alert tone="info">{t('signIn.ended')}</Alert>}
        <form className="grid gap-5" onSubmit={submit}>
          {!methods && (
            <>
              <TextField
                label={t('signIn.email')}
                value={email}
                autoComplete="username"
                inputMode="email"
                autoCapitalize="none"
                required
                onChange={(event) => setEmail(event.target.value)}
              />
              <PasswordField
                label={t('signIn.password')}
                value={password}
                autoComplete="current-password"
                required
                onChange={(event) => setPassword(event.target.value)}
              />
            </>
          )}
          {methods && (
            <TextField
              label={t('signIn.code')}
              hint={t('signIn.codeHint')}
              ref={codeField}
              value={code}
              autoComplete="one-time-code"
              required
              onChange={(event) => setCode(event.target.value)}
            />
          )}
          <Fault error={error} />
          <Button type="submit" wide busy={isBusy}>
            {methods ? t('common.confirm') : t('signIn.submit')}
          </Button>
          {methods && (
            <Button variant="ghost" wide onClick={() => setMethods(undefined)}>
              {t('signIn.restart')}
            </Button>
          )}
        </form>
        {hasPasskeys() && (
          <div className="grid gap-4">
            <p className="text-center text-sm text-muted">{t('signIn.or')}</p>
            <Button variant="secondary" wide busy={isBusy} onClick={() => void withPasskey()}>
              {t('signIn.passkey')}
            </Button>
          </div>
        )}
      </div>
      {demo && <p className="text-center text-sm text-muted">{t('signIn.demoAccount')}</p>}
    </main>
  )
}
