import type { ReactNode } from 'react'
import { IntlProvider, useLocale } from 'use-intl'
import type { Language } from '#shared/languages.ts'
import { messagesOf } from './active-messages.ts'

export { useTranslations } from 'use-intl'

/** The language of the page. */
export const useLanguage = (): Language => useLocale()

/** Makes the catalogue of the page's language, already loaded, available to `useTranslations`. */
export function TranslationsProvider(props: {
  language: Language
  timeZone: string
  children: ReactNode
}): ReactNode {
  return (
    <IntlProvider locale={props.language} messages={messagesOf(props.language)} timeZone={props.timeZone}>
      {props.children}
    </IntlProvider>
  )
}
