import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { ApiError } from '#client/api-error.ts'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'

/** What a person sees when a page cannot be shown: what happened, what to do, and nothing of the fault's insides. */
export function ErrorPage({ error }: { error: unknown }): ReactNode {
  const t = useTranslations('pages.error')
  const { contactEmail } = useSettings()
  return (
    <div className="page-width grid grow content-center py-12">
      <EmptyState
        as="h1"
        title={t('title')}
        text={error instanceof ApiError ? error.message : t('text', { email: contactEmail })}
        action={
          <div className="flex flex-wrap justify-center gap-3">
            <Button onClick={() => window.location.reload()}>{t('retry')}</Button>
            <AppLink to={paths.home()} className={buttonClasses('secondary')}>
              {t('home')}
            </AppLink>
          </div>
        }
      />
      {import.meta.env.DEV && error instanceof Error ? (
        <pre className="overflow-x-auto text-sm">{error.stack}</pre>
      ) : null}
    </div>
  )
}
