import { Languages } from 'lucide-react'
import suggestionMessages from 'virtual:messages/suggestion'
import { type ComponentType, type ReactNode, useId, useState } from 'react'
import { useLocation } from 'react-router'
import { keepCookie } from '#client/browser-parts.ts'
import { announceWaiting } from '#client/early-acts.ts'
import { inLanguage } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { loadMessages, translatorOf } from '#i18n/active-messages.ts'
import { useLanguage } from '#i18n/translations.tsx'
import { LANGUAGE_COOKIE_S, type Language, languageCookie } from '#shared/languages.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import './language-suggestion.css'

/** Signs that somebody is there: crawlers give none. */
const MOVES = ['pointermove', 'pointerdown', 'wheel', 'keydown']

const firstMove = (): Promise<void> =>
  new Promise((resolve) => {
    for (const move of MOVES) window.addEventListener(move, () => resolve(), { once: true, passive: true })
  })

/** Waits until somebody moves, then loads the words, which are in the suggested language. */
export async function suggestionIn(language: Language): Promise<ComponentType> {
  await firstMove()
  await loadMessages(language, suggestionMessages)
  return () => <LanguageSuggestion language={language} />
}

/** Suggests a language once: whoever declines has chosen that of the page (ADR 0126). */
function LanguageSuggestion({ language }: { language: Language }): ReactNode {
  const t = translatorOf(language)
  const { pathname, search, hash } = useLocation()
  const { publicUrl } = useSettings()
  const ofPage = useLanguage()
  const question = useId()
  const [isDismissed, setDismissed] = useState(false)

  function dismiss(): void {
    const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
    keepCookie(
      `${languageCookie(publicUrl)}=${ofPage}; Path=/; Max-Age=${LANGUAGE_COOKIE_S}; SameSite=Lax${secure}`,
    )
    setDismissed(true)
    // The focused button is removed, so the focus moves to the beginning of the page.
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
  }

  if (isDismissed) return null
  return (
    <aside
      lang={language}
      translate="no"
      aria-labelledby={question}
      className="language-suggestion grid gap-3 rounded-lg border border-line-strong bg-surface p-4 shadow-card"
    >
      <p id={question} className="flex items-center gap-2 text-sm font-semibold">
        <Languages aria-hidden="true" className="size-5 shrink-0 text-signal" />
        {t('suggestion.question')}
      </p>
      <p className="flex flex-wrap gap-2">
        <a
          href={inLanguage(`${pathname}${search}`, language) + hash}
          hrefLang={language}
          onClick={() => announceWaiting('document')}
          className={buttonClasses('primary', 'small', { className: 'grow' })}
        >
          {t('suggestion.accept')}
        </a>
        <Button variant="secondary" size="small" onClick={dismiss} className="grow">
          {t('suggestion.dismiss')}
        </Button>
      </p>
    </aside>
  )
}
