import { type ReactNode, useEffect } from 'react'
import { useAppNavigate } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { logout } from './auth-slice.ts'

/** Clears all local storage, signals the logout and goes to the login (spec section 2, "/logout"). */
export function LogoutPage(): ReactNode {
  const t = useTranslations('accounts')
  const dispatch = useAppDispatch()
  const navigate = useAppNavigate()
  useEffect(() => {
    void dispatch(logout()).finally(() => navigate(paths.login(), { replace: true }))
  }, [dispatch, navigate])
  return (
    <div className="page-width flex grow items-center justify-center gap-3 py-20">
      <Spinner />
      <h1 tabIndex={-1} className="text-title">
        {t('loggingOut')}
      </h1>
    </div>
  )
}
