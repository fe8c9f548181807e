import '#client/older-browsers.ts'
import ticketMessages from 'virtual:messages/drawTicket'
import verifyMessages from 'virtual:messages/verify'
import faultMessages from 'virtual:messages/verifyFaults'
import reportMessages from 'virtual:messages/verifyReport'
import { type ReactNode, StrictMode, useLayoutEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { withstandForeignChanges } from '#client/foreign-changes.ts'
import { loadMessages, translatorOf } from '#i18n/active-messages.ts'
import { TranslationsProvider, useTranslations } from '#i18n/translations.tsx'
import {
  DEFAULT_LANGUAGE,
  LANGUAGES,
  LANGUAGE_NAMES,
  type Language,
  preferredLanguage,
} from '#shared/languages.ts'
import { PageHeader } from '#ui/page-header.tsx'
import { Select } from '#ui/select.tsx'
// Vite makes the export: the worker within the page.
// oxlint-disable-next-line import/default
import VerifyWorker from '../verify.worker.ts?worker&inline'
import { Verify } from '../verify.tsx'
import './file.css'

const openWorker = (): Worker => new VerifyWorker()

/** `verify.html`: the check of the shop's pages as one file, which works without a network. */
function VerifyFile(): ReactNode {
  const [language, setLanguage] = useState<Language>(
    () => preferredLanguage(navigator.languages.join(',')) ?? DEFAULT_LANGUAGE,
  )
  useLayoutEffect(() => {
    document.documentElement.lang = language
    document.title = translatorOf(language)('verify.file.title')
  }, [language])
  return (
    <TranslationsProvider language={language} timeZone="UTC">
      <Content language={language} onLanguage={setLanguage} />
    </TranslationsProvider>
  )
}

function Content({
  language,
  onLanguage,
}: {
  language: Language
  onLanguage: (language: Language) => void
}): ReactNode {
  const t = useTranslations('verify.file')
  const selector = (
    <Select
      aria-label={t('language')}
      value={language}
      onChange={(event) => onLanguage(event.target.value as Language)}
    >
      {LANGUAGES.map((one) => (
        <option key={one} value={one} lang={one}>
          {LANGUAGE_NAMES[one]}
        </option>
      ))}
    </Select>
  )
  return (
    <main className="page-width grid max-w-4xl grid-cols-1 gap-8 py-8 sm:py-12">
      <PageHeader title={t('title')} lead={t('lead')} actions={selector} />
      <Verify openWorker={openWorker} proof={window.location.hash} />
    </main>
  )
}

async function start(): Promise<void> {
  for (const messages of [verifyMessages, ticketMessages, faultMessages, reportMessages])
    await Promise.all(LANGUAGES.map((language) => loadMessages(language, messages)))
  withstandForeignChanges()
  createRoot(document.querySelector('#verify')!).render(
    <StrictMode>
      <VerifyFile />
    </StrictMode>,
  )
}

void start()
