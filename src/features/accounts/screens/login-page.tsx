import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import type { ApiFailure } from '#client/api-error.ts'
import { AppLink, useAppNavigate } from '#client/app-link.tsx'
import { keepsBetweenPages } from '#client/browser-parts.ts'
import { paths, paymentReturn, safeNext } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import type { MessageKey } from '#i18n/keys.ts'
import { looksLikeAddress, readAddress } from '#shared/email-address.ts'
import { LoginBody } from '../accounts.contract.ts'
import { AuthLayout } from './auth-layout.tsx'
import { login } from './auth-slice.ts'
import { forgetKept, keptFor } from './first-login.ts'
import { OtherPage } from './other-page.tsx'
import { CorrectFirst, EmailField, FormBanner, PasswordField, SubmitButton } from './account-fields.tsx'
import { useAccountForm } from './use-account-form.ts'

interface LoginForm {
  email: string
  password: string
}

const never = (): (() => void) => () => undefined

/** Login (spec section 2). Leads to `next`, or home. @param wanted the contest that led here */
export function LoginPage({ wanted }: { wanted?: ReactNode }): ReactNode {
  const t = useTranslations('accounts')
  const dispatch = useAppDispatch()
  const navigate = useAppNavigate()
  const [search] = useSearchParams()
  const arrived = useLocation().state as {
    email?: string
    registered?: boolean
    reset?: boolean
  } | null
  const next = search.get('next') ?? undefined
  const payment = next === undefined ? undefined : paymentReturn(next)
  const [banner, setBanner] = useState<string>()
  const [password] = useState(() => keptFor(arrived?.email))
  const isReady = password !== ''
  const lastStep = useRef<HTMLDivElement>(null)
  useEffect(() => {
    forgetKept()
    if (isReady) lastStep.current?.scrollIntoView({ block: 'nearest' })
  }, [isReady])
  const form = useAccountForm<LoginForm>({ email: arrived?.email ?? '', password }, loginFaults)

  const submit = form.handleSubmit(async ({ email, password }) => {
    setBanner(undefined)
    try {
      await dispatch(login({ username: email.trim(), password })).unwrap()
      navigate(safeNext(next), { replace: true })
    } catch (error) {
      setBanner(form.showRefusal(error as ApiFailure, { username: 'email' }))
    }
  })
  const { isSubmitting } = form.formState
  const keepsNothing = useSyncExternalStore(
    never,
    () => !keepsBetweenPages(),
    () => false,
  )

  return (
    <AuthLayout title={t('login.title')} lead={next ? t('login.leadNext') : t('login.lead')} wanted={wanted}>
      {!arrived?.registered && (
        <OtherPage question={t('login.noAccount')} to={paths.register(next === undefined ? {} : { next })}>
          {t('login.toRegister')}
        </OtherPage>
      )}
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="grid gap-5">
        {keepsNothing && (
          <Alert tone="warning" title={t('login.keepsNothing')}>
            {t('login.keepsNothingText')}
          </Alert>
        )}
        {payment && (
          <Alert tone={payment === 'success' ? 'success' : 'info'}>{t(`login.payment.${payment}`)}</Alert>
        )}
        {arrived?.registered && !isReady && <Alert tone="success">{t('login.registered')}</Alert>}
        {arrived?.reset && <Alert tone="success">{t('reset.done')}</Alert>}
        <FormBanner text={banner} />
        <EmailField form={form} autoComplete="username" />
        <PasswordField form={form} name="password" label={t('password')} autoComplete="current-password" />
        <p className="-mt-2 text-sm">
          <AppLink
            to={paths.forgotPassword()}
            state={{ email: form.watch('email') }}
            className="prose-link inline-block py-1"
          >
            {t('login.forgot')}
          </AppLink>
        </p>
        <CorrectFirst formState={form.formState} labels={{ email: t('email'), password: t('password') }} />
        <div ref={lastStep} className="grid gap-5">
          {isReady && (
            <Alert tone="success" title={t('login.registered')}>
              {t('login.ready')}
            </Alert>
          )}
          <SubmitButton busy={isSubmitting} busyText={t('loading')}>
            {t('login.submit')}
          </SubmitButton>
          <Button variant="secondary" size="small" wide disabled>
            {t('login.google')}
          </Button>
        </div>
      </form>
    </AuthLayout>
  )
}

function loginFaults({ email, password }: LoginForm): Partial<Record<keyof LoginForm, MessageKey>> {
  const faults: Partial<Record<keyof LoginForm, MessageKey>> = {}
  const name = LoginBody.shape.username.safeParse(email)
  if (!name.success) faults.email = name.error.issues[0]?.message as MessageKey
  // An account may have an address from before the present grammar.
  else if (readAddress(email) === undefined && !looksLikeAddress(name.data))
    faults.email = 'errors.email.invalid'
  const secret = LoginBody.shape.password.safeParse(password)
  if (!secret.success) faults.password = secret.error.issues[0]?.message as MessageKey
  return faults
}
