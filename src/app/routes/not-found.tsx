import type { ReactNode } from 'react'
import { type MetaFunction, data } from 'react-router'
import { translatorOf } from '#i18n/active-messages.ts'
import { pageMeta, shellOf } from '../head.ts'
import { NotFoundPage } from '../not-found-page.tsx'

/** Any other path (spec section 2): the status is 404 and the page is ours. */
export const loader = () => data(null, { status: 404 })
export const clientLoader = () => null

export const meta: MetaFunction = ({ matches, location }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  return pageMeta(shell, {
    title: t('pages.notFound.title'),
    description: t('pages.notFound.description'),
    path: location.pathname,
    noindex: true,
  })
}

export default function NotFound(): ReactNode {
  return <NotFoundPage />
}
