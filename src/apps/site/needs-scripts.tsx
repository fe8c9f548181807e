import type { ComponentType, ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'

/** A page that needs scripts, with a message for browsers without them. */
export function NeedsScripts({ children }: { children: ReactNode }): ReactNode {
  const t = useTranslations('pages.needsScripts')
  const { contactEmail } = useSettings()
  return (
    <>
      <noscript>
        <EmptyState
          as="h1"
          className="page-width"
          title={t('title')}
          text={t('text', { email: contactEmail })}
          action={
            <AppLink to={paths.offers()} className={buttonClasses('secondary')}>
              {t('action')}
            </AppLink>
          }
        />
      </noscript>
      <div className="needs-scripts contents">{children}</div>
    </>
  )
}

/** Such a page as the component of a route. */
export const needingScripts =
  (Page: ComponentType): (() => ReactNode) =>
  () => (
    <NeedsScripts>
      <Page />
    </NeedsScripts>
  )
