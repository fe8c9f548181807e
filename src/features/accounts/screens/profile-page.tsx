import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { useAppDispatch, useAppSelector } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import { ProfileContact } from './profile-contact.tsx'
import { ProfilePassword } from './profile-password.tsx'
import { fetchUser } from './user-slice.ts'

/**
 * The user's contact details and password (spec section 2, "Profile information").
 * @param loadOwnData the part about everything that is kept of the user, below the page's own
 */
export function ProfilePage({
  loadOwnData,
}: {
  loadOwnData: () => Promise<{ OwnData: ComponentType }>
}): ReactNode {
  const t = useTranslations('accounts')
  const dispatch = useAppDispatch()
  const user = useAppSelector((state) => state.user.user)
  const [failure, setFailure] = useState<{ message: string | undefined }>()

  async function read(): Promise<void> {
    setFailure(undefined)
    const action = await dispatch(fetchUser())
    if (fetchUser.rejected.match(action)) setFailure({ message: action.payload?.message })
  }
  useEffect(() => {
    void read()
    // oxlint-disable-next-line react/exhaustive-deps -- once for each visit of the page
  }, [])

  const [OwnData, setOwnData] = useState<ComponentType>()
  // Below everything else, and few need it: it comes after the page.
  useEffect(() => {
    loadOwnData().then(
      (module) => setOwnData(() => module.OwnData),
      () => undefined,
    )
  }, [loadOwnData])

  if (!user && !failure) return <ProfileSkeleton />
  return (
    <div className="page-width @container grid grid-cols-1 gap-8 py-8 sm:py-12">
      <PageHeader title={t('profile.title')} lead={t('profile.lead')} />
      {user ? (
        <div className="grid grid-cols-1 items-start gap-6 @4xl:grid-cols-2">
          <ProfileContact user={user} />
          <ProfilePassword email={user.email} />
          <Card className="grid grid-cols-1 gap-3 p-5 sm:p-6">
            <h2 className="text-title">{t('profile.orders')}</h2>
            <p className="text-muted">{t('profile.ordersText')}</p>
            <AppLink
              to={paths.orders()}
              className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}
            >
              {t('profile.ordersLink')}
            </AppLink>
          </Card>
          <Card className="grid grid-cols-1 gap-3 p-5 sm:p-6">
            <h2 className="text-title">{t('profile.sessions')}</h2>
            <p className="text-muted">{t('profile.sessionsText')}</p>
            <AppLink
              to={paths.sessions()}
              className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}
            >
              {t('profile.sessionsLink')}
            </AppLink>
          </Card>
          {OwnData ? <OwnData /> : <Skeleton className="h-44" />}
        </div>
      ) : (
        <div role="alert">
          <EmptyState
            illustration={<EmptyBay />}
            title={t('profile.loadFailed')}
            text={failure?.message}
            action={<Button onClick={() => void read()}>{t('profile.retry')}</Button>}
          />
        </div>
      )}
    </div>
  )
}

export function ProfileSkeleton(): ReactNode {
  const t = useTranslations('accounts')
  return (
    <LoadingRegion text={t('loading')} className="page-width @container grid grid-cols-1 gap-8 py-8 sm:py-12">
      <Skeleton className="h-12 w-72 max-w-full" />
      <div className="grid grid-cols-1 items-start gap-6 @4xl:grid-cols-2">
        <Skeleton className="h-72" />
        <Skeleton className="h-144" />
      </div>
    </LoadingRegion>
  )
}
