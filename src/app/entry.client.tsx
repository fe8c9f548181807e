import '#client/older-browsers.ts'
import shopMessages from 'virtual:messages/shop'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { pageLanguage } from '#client/browser.ts'
import { AROUND_EVERY_PAGE, MODULES_READY } from '#client/page-modules.ts'
import { loadMessages } from '#i18n/active-messages.ts'
import { pageStore } from './store.ts'
import { watchSession } from './session-watcher.tsx'
import * as root from './root.tsx'
import * as pages from './routes/pages.tsx'

const modules = window as { __reactRouterRouteModules?: Record<string, object> }

async function start(): Promise<void> {
  const around = [root, pages].map((module, index) => [AROUND_EVERY_PAGE[index], module])
  modules.__reactRouterRouteModules = { ...Object.fromEntries(around), ...modules.__reactRouterRouteModules }
  await loadMessages(pageLanguage(), shopMessages)

  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <HydratedRouter />
      </StrictMode>,
    )
  })

  const store = pageStore()
  watchSession(store)
  await import('#features/orders/screens/confirming-orders.ts').then(
    (orders) => orders.watchConfirmingOrders(store),
    () => undefined,
  )
}

// The page's modules import this file, so it runs before them (src/server/pages/page-scripts.ts).
// In development React Router's script names the modules first.
if (modules.__reactRouterRouteModules) void start()
else window.addEventListener(MODULES_READY, () => void start(), { once: true })
