import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { translatorOf } from '#i18n/active-messages.ts'
import { pageMeta, shellOf } from '../head.ts'

export const meta: MetaFunction = ({ matches }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  return pageMeta(shell, {
    title: t('pages.home.title'),
    description: t('pages.home.description'),
    path: paths.home(),
    isHome: true,
  })
}

export default function Home(): ReactNode {
  const t = useTranslations('pages.home')
  return (
    <main>
      <h1>{t('title')}</h1>
      <AppLink to={paths.offers()}>{t('description')}</AppLink>
    </main>
  )
}
