import { useEffect } from 'react'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserSession } from '#client/browser.ts'
import { crossesDocuments, paths } from '#client/paths.ts'
import { SESSION_EXPIRED, leaveNotice, takeNotice, toast } from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'

/**
 * Takes the visitor to the login when the session ends under a page: refused for good, or ended in another tab. The
 * first calls leave before the page has started, so an end may have come before anybody listened.
 */
export function SessionWatcher(): null {
  const t = useTranslations('errors')
  const navigate = useAppNavigate()

  useEffect(() => {
    const tell = (): void => toast.warning(t('sessionExpired'), { description: t('logInAgain') })
    const session = browserSession()
    function leave(): void {
      if (!session.takeExpired()) return
      const { pathname, search } = window.location
      if (pathname === paths.login()) return tell()
      const login = paths.login({ next: `${pathname}${search}` })
      if (crossesDocuments(pathname, login)) leaveNotice(SESSION_EXPIRED)
      else tell()
      navigate(login)
    }

    // The notice is for the login: the page that left it may start to listen while it is still being replaced.
    if (window.location.pathname === paths.login() && takeNotice() === SESSION_EXPIRED) tell()
    leave()
    return session.subscribe((event) => {
      if (event === 'ended-elsewhere') {
        toast.warning(t('reconnect'))
        navigate(paths.login())
      }
      if (event === 'expired') leave()
      // What the page shows is another person's, so nothing of it may stay.
      if (event === 'replaced-elsewhere') window.location.reload()
    })
  }, [navigate, t])

  return null
}
