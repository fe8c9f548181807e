import type { MetaFunction } from 'react-router'
import { translatorOf } from '#i18n/active-messages.ts'
import { pageMeta, shellOf } from './head.ts'

/** Head of the error page; every other page has its own. */
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
