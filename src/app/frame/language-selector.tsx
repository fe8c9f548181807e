import { Languages } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useLocation } from 'react-router'
import { inLanguage } from '#client/paths.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Select } from '#ui/select.tsx'

/** Each language in its own words, as people look for it. */
const NAMES: Record<Language, string> = { fr: 'Français', nl: 'Nederlands', en: 'English' }

/** Loads the page anew in another language; the server remembers the choice in a cookie. */
export function LanguageSelector(): ReactNode {
  const t = useTranslations('frame')
  const current = useLanguage()
  const { pathname, search } = useLocation()
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {t('language')}
      </label>
      <div data-wide className="flex items-center gap-2">
        <Languages aria-hidden="true" className="size-5 shrink-0 text-muted" />
        <div className="grow">
          <Select
            id={id}
            value={current}
            onChange={(event) =>
              window.location.assign(inLanguage(`${pathname}${search}`, event.target.value as Language))
            }
          >
            {LANGUAGES.map((language) => (
              <option key={language} value={language} lang={language}>
                {NAMES[language]}
              </option>
            ))}
          </Select>
        </div>
      </div>
      <noscript>
        <ul data-wide className="mt-2 flex gap-3 text-sm">
          {LANGUAGES.map((language) => (
            <li key={language}>
              <a href={inLanguage(`${pathname}${search}`, language)} lang={language} className="prose-link">
                {NAMES[language]}
              </a>
            </li>
          ))}
        </ul>
      </noscript>
    </>
  )
}
