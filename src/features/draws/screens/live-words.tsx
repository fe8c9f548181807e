import { type ReactNode, createContext, use } from 'react'
import { useSettings } from '#client/shell.ts'
import { TranslationsProvider, useTranslations } from '#i18n/translations.tsx'
import type { Language } from '#shared/languages.ts'

/** The language that the page speaks beside its own. */
export const SecondLanguage = createContext<Language | undefined>(undefined)

type Say = (t: ReturnType<typeof useTranslations<never>>) => ReactNode

/** In the language around it. */
const Words = ({ say }: { say: Say }): ReactNode => say(useTranslations())

/** A text in the page's language and in the second one. @param below the second one has a line of its own */
export function Said({ say, below = false }: { say: Say; below?: boolean }): ReactNode {
  const second = use(SecondLanguage)
  const { timeZone } = useSettings()
  return (
    <>
      <Words say={say} />
      {second && (
        <>
          {!below && ' · '}
          <span lang={second} className={below ? 'live-second live-below' : 'live-second'}>
            <TranslationsProvider language={second} timeZone={timeZone}>
              <Words say={say} />
            </TranslationsProvider>
          </span>
        </>
      )}
    </>
  )
}
