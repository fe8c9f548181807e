import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** What stands at an address that does not exist. */
export function NotFoundPage(): ReactNode {
  const t = useTranslations('pages')
  return (
    <div className="page-width py-12">
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.description')}</p>
      <AppLink to={paths.home()}>{t('error.home')}</AppLink>
    </div>
  )
}
