import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { ApiError } from '#client/api-error.ts'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** What a person sees when a page cannot be shown: what happened, what to do, and nothing of the fault's insides. */
export function ErrorPage({ error }: { error: unknown }): ReactNode {
  const t = useTranslations('pages.error')
  const { contactEmail } = useSettings()
  return (
    <div className="page-width py-12">
      <h1>{t('title')}</h1>
      <p>{error instanceof ApiError ? error.message : t('text', { email: contactEmail })}</p>
      <p>
        <button type="button" onClick={() => window.location.reload()}>
          {t('retry')}
        </button>{' '}
        <AppLink to={paths.home()}>{t('home')}</AppLink>
      </p>
      {import.meta.env.DEV && error instanceof Error ? <pre>{error.stack}</pre> : null}
    </div>
  )
}
