import { useEffect } from 'react'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserSession } from '#client/browser.ts'
import { crossesDocuments, paths } from '#client/paths.ts'
import { leaveNotice, takeNotice, toast } from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'

const EXPIRED = 'session-expired'

/** Takes the visitor to the login when the session ends under a page: refused for good, or ended in another tab. */
export function SessionWatcher(): null {
  const t = useTranslations('errors')
  const navigate = useAppNavigate()

  useEffect(() => {
    const tell = (): void => toast.warning(t('sessionExpired'), { description: t('logInAgain') })
    if (takeNotice() === EXPIRED) tell()

    return browserSession().subscribe((event) => {
      if (event === 'ended-elsewhere') {
        toast.warning(t('reconnect'))
        navigate(paths.login())
      }
      if (event !== 'expired') return
      const { pathname, search } = window.location
      const login = paths.login({ next: `${pathname}${search}` })
      if (crossesDocuments(pathname, login)) leaveNotice(EXPIRED)
      else tell()
      navigate(login)
    })
  }, [navigate, t])

  return null
}
