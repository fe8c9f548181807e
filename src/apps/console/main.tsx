import '#client/older-browsers.ts'
import consoleMessages from 'virtual:messages/console'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterContextProvider, createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { withstandForeignChanges } from '#client/foreign-changes.ts'
import { keyHistory } from '#client/history-keys.ts'
import { loadMessages } from '#i18n/active-messages.ts'
import { TranslationsProvider } from '#i18n/translations.tsx'
import type { PublicSettings } from '#shared/public-settings.ts'
import { type LoadApprovalViews, approvalViews } from '#console-kit/approval-kinds.ts'
import { ConsoleSettings } from '#console-kit/console-context.tsx'
import { consoleLanguage, plainCall } from '#console-kit/console-call.ts'
import { routes } from './routes.ts'
import './console.css'

/** The views of approvals, which only their screen asks for. */
const loadApprovalViews: LoadApprovalViews = async () => (await import('./approvals.ts')).loadViews()

async function start(): Promise<void> {
  // Beside the first screen: nothing waits for it.
  import('#client/focus.ts').then(
    ({ keepFocus }) => keepFocus(),
    () => undefined,
  )
  const language = consoleLanguage()
  await loadMessages(language, consoleMessages)
  const settings = await plainCall<PublicSettings>('GET', '/api/settings/')
  keyHistory()
  const router = createBrowserRouter(routes, {
    basename: '/admin',
    getContext: () => new RouterContextProvider(new Map([[approvalViews, loadApprovalViews]])),
  })
  // Where a link's screen cannot be loaded, such as one of a release that no process has any more, its document is.
  window.addEventListener('vite:preloadError', () => {
    const to = router.state.navigation.location
    if (to) location.href = router.createHref(to)
  })
  withstandForeignChanges()
  createRoot(document.querySelector('#console')!).render(
    <StrictMode>
      <ConsoleSettings value={settings}>
        <TranslationsProvider language={language} timeZone={settings.timeZone}>
          <RouterProvider router={router} />
        </TranslationsProvider>
      </ConsoleSettings>
    </StrictMode>,
  )
}

void start()
