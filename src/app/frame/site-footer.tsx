import type { ReactNode } from 'react'
import { useShell } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** Copyright with the current year, the adults-only reminder and the developer credit (spec section 2). */
export function SiteFooter(): ReactNode {
  const t = useTranslations('frame')
  const { settings, renderedAt } = useShell()
  const { brand, developer, contactEmail } = settings
  return (
    <footer className="mt-auto border-t border-line py-8 text-sm text-muted">
      <div className="page-width flex flex-wrap items-center justify-between gap-x-8 gap-y-2">
        <p>{t('copyright', { year: String(new Date(renderedAt).getUTCFullYear()), brand })}</p>
        <p>
          {t('adultsOnly')}{' '}
          <a href={`mailto:${contactEmail}`} className="prose-link inline-block py-1">
            {contactEmail}
          </a>
        </p>
        <p>
          {t('developedBy')}{' '}
          <a
            href={developer.url}
            target="_blank"
            rel="noopener noreferrer"
            className="prose-link inline-block py-1"
          >
            {developer.name}
          </a>
        </p>
      </div>
    </footer>
  )
}
