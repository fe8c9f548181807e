import { type ReactNode, createContext, use, useMemo } from 'react'
import type { useTranslations as LibraryHook } from 'use-intl'
import type { Language } from '#shared/languages.ts'
import { textsOf, translatorIn } from './active-messages.ts'

interface PageWords {
  language: Language
  timeZone: string
  texts: ReturnType<typeof textsOf>
}

const Words = createContext<PageWords | undefined>(undefined)

function useWords(): PageWords {
  const words = use(Words)
  if (!words) throw new Error('texts are asked for outside of the page')
  return words
}

export const useLanguage = (): Language => useWords().language

/** The texts of a namespace. The library's own hook makes a translator for each component. */
export const useTranslations = ((namespace?: string) => {
  const { texts, language, timeZone } = useWords()
  return translatorIn(texts, language, timeZone, namespace)
}) as typeof LibraryHook

/** Provides the loaded catalogue of the page's language. */
export function TranslationsProvider({
  language,
  timeZone,
  children,
}: {
  language: Language
  timeZone: string
  children: ReactNode
}): ReactNode {
  const words = useMemo(
    () => ({ language, timeZone, texts: textsOf(language, timeZone) }),
    [language, timeZone],
  )
  return <Words value={words}>{children}</Words>
}
