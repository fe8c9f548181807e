import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Plate } from '#ui/plate.tsx'

/** Spec section 2, "any other path". @param children shown below the way back */
export function NotFoundPage({ children }: { children?: ReactNode }): ReactNode {
  const t = useTranslations('pages')
  return (
    <div className="page-width grid grow grid-cols-1 content-center gap-12 py-12">
      <EmptyState
        as="h1"
        illustration={
          <Plate size="hero" label={t('notFound.title')}>
            404
          </Plate>
        }
        title={t('notFound.title')}
        text={t('notFound.description')}
        action={
          <AppLink to={paths.home()} className={buttonClasses()}>
            {t('error.home')}
          </AppLink>
        }
      />
      {children}
    </div>
  )
}
