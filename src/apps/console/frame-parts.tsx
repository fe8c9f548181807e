import { type ReactNode, useId } from 'react'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, LANGUAGE_NAMES } from '#shared/languages.ts'
import { Select } from '#ui/select.tsx'

/** A steering wheel whose spokes draw a V. */
export const Mark = (): ReactNode => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className="size-8 shrink-0" fill="none">
    <circle cx="16" cy="16" r="13.25" stroke="currentColor" strokeWidth="3.5" />
    <path d="M5.2 12.2 16 24.5l10.8-12.3" stroke="var(--signal)" strokeWidth="3.5" strokeLinejoin="round" />
  </svg>
)

/** Loads the console in another language; the server stores the choice in a cookie. */
export function chooseLanguage(language: string): void {
  const address = new URL(window.location.href)
  address.searchParams.set('lang', language)
  window.location.assign(address)
}

export function LanguageSelector(): ReactNode {
  const t = useTranslations('console.frame')
  const language = useLanguage()
  const id = useId()
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="sr-only">
        {t('language')}
      </label>
      <Select id={id} value={language} onChange={({ target }) => chooseLanguage(target.value)}>
        {LANGUAGES.map((one) => (
          <option key={one} value={one} lang={one}>
            {LANGUAGE_NAMES[one]}
          </option>
        ))}
      </Select>
    </div>
  )
}
