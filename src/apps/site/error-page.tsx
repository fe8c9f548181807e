import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { ApiError } from '#client/api-error.ts'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { translatorOf } from '#i18n/active-messages.ts'
import { pageMeta, shellOf } from './head.ts'

/** Shown for a page that failed, without details of the fault. */
export function ErrorPage({ error }: { error: unknown }): ReactNode {
  const t = useTranslations('pages.error')
  const { contactEmail } = useSettings()
  const reference = requestIdOf(error)
  return (
    <div className="page-width grid grow content-center py-12">
      <EmptyState
        as="h1"
        illustration={<BlankPlate />}
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
      {reference === undefined ? null : (
        <p className="text-center text-sm">{t('reference', { id: reference })}</p>
      )}
      {import.meta.env.DEV && error instanceof Error ? (
        <pre className="overflow-x-auto text-sm">{error.stack}</pre>
      ) : null}
    </div>
  )
}

function requestIdOf(error: unknown): string | undefined {
  const body = error instanceof ApiError ? error.body : undefined
  const id = (body as { request_id?: unknown } | undefined)?.request_id
  return typeof id === 'string' ? id : undefined
}

export const errorHead: MetaFunction = ({ matches, location }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  const text = t('pages.error.text', { email: shell.settings.contactEmail })
  return pageMeta(shell, {
    title: t('pages.error.title'),
    description: text,
    path: location.pathname,
    noindex: true,
  })
}
