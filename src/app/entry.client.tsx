import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { pageLanguage } from '#client/browser.ts'
import { loadMessages } from '#i18n/active-messages.ts'
import { pageStore } from './store.ts'
import { watchSession } from './watch-session.ts'

await loadMessages(pageLanguage())

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
  )
})

watchSession(pageStore())
