import { Languages } from 'lucide-react'
import { type ChangeEvent, type ReactNode, useId } from 'react'
import { useLocation } from 'react-router'
import { announceWaiting } from '#client/early-acts.ts'
import { inLanguage } from '#client/paths.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, LANGUAGE_NAMES, type Language } from '#shared/languages.ts'
import { Select } from '#ui/select.tsx'

/** Loads the page in another language, with its fragment; the server stores the choice in a cookie. */
export function LanguageSelector(): ReactNode {
  const t = useTranslations('frame')
  const language = useLanguage()
  const { pathname, search } = useLocation()
  const id = useId()
  const choice = {
    value: language,
    onChange: (event: ChangeEvent<HTMLSelectElement>) => {
      announceWaiting('document')
      window.location.assign(
        inLanguage(`${pathname}${search}`, event.target.value as Language) + window.location.hash,
      )
    },
  }
  return (
    <>
      <div data-wide className="needs-scripts flex items-center gap-2">
        <Languages aria-hidden="true" className="size-5 shrink-0 text-muted" />
        <label htmlFor={id} className="sr-only">
          {t('language')}
        </label>
        <div className="grow">
          <Select {...choice} id={id}>
            {LANGUAGES.map((one) => (
              <option key={one} value={one} lang={one}>
                {LANGUAGE_NAMES[one]}
              </option>
            ))}
          </Select>
        </div>
      </div>
      <select
        {...choice}
        data-narrow
        aria-label={t('language')}
        className="needs-scripts hidden size-11 appearance-none rounded-md text-center text-sm font-semibold uppercase hover:bg-sunken md:block"
      >
        {LANGUAGES.map((one) => (
          <option key={one} value={one} lang={one} label={one.toUpperCase()}>
            {LANGUAGE_NAMES[one]}
          </option>
        ))}
      </select>
      <noscript>
        <ul className="mt-2 flex flex-wrap gap-3 text-sm">
          {LANGUAGES.map((one) => (
            <li key={one}>
              <a
                href={inLanguage(`${pathname}${search}`, one)}
                lang={one}
                className="prose-link inline-block py-1"
              >
                {LANGUAGE_NAMES[one]}
              </a>
            </li>
          ))}
        </ul>
      </noscript>
    </>
  )
}
