import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { crumbsOf } from './crumbs.ts'

/** Where the visitor is: one part for each segment of the path (spec section 2, "Top bar"). */
export function Breadcrumb(): ReactNode {
  const t = useTranslations()
  const { pathname } = useLocation()
  const crumbs = crumbsOf(pathname)
  if (crumbs.length === 0) return null
  return (
    <nav aria-label={t('frame.breadcrumb')} className="min-w-0 text-sm">
      <ol className="flex min-w-0 items-center gap-1.5">
        <li className="shrink-0 @max-lg:hidden">
          <AppLink
            to={paths.home()}
            className="inline-flex min-h-11 items-center text-muted no-underline hover:text-ink"
          >
            {t('frame.menu.home')}
          </AppLink>
        </li>
        {crumbs.map((crumb, index) => (
          <li
            key={crumb.path}
            className="flex min-w-0 items-center gap-1.5 not-last:shrink-0 @max-lg:not-last:hidden"
          >
            <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted @max-lg:hidden" />
            {index === crumbs.length - 1 ? (
              <span aria-current="page" className="truncate font-semibold">
                {crumb.label ? t(crumb.label) : crumb.text}
              </span>
            ) : crumb.isPage ? (
              <AppLink
                to={crumb.path}
                className="inline-flex min-h-11 items-center truncate text-muted no-underline hover:text-ink"
              >
                {crumb.label ? t(crumb.label) : crumb.text}
              </AppLink>
            ) : (
              <span className="truncate text-muted">{crumb.label ? t(crumb.label) : crumb.text}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
