import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { pageHead, shellOf } from '../head.ts'

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'home', { path: paths.home(), isHome: true })

export default function Home(): ReactNode {
  const t = useTranslations('pages.home')
  return (
    <div className="page-width py-12">
      <h1>{t('title')}</h1>
      <AppLink to={paths.offers()}>{t('description')}</AppLink>
    </div>
  )
}
