import '#client/older-browsers.ts'
import shopMessages from 'virtual:messages/shop'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { pageLanguage } from '#client/browser.ts'
import { withstandForeignChanges } from '#client/foreign-changes.ts'
import { keyHistory } from '#client/history-keys.ts'
import type { AppStore } from '#client/state.ts'
import { AROUND_EVERY_PAGE, MODULES_READY } from '#client/page-modules.ts'
import { contestPartsFrom } from '#features/offers/screens/contest-parts.tsx'
import { loadMessages } from '#i18n/active-messages.ts'
import { pageStore } from './store.ts'
import { SHOP, putBack } from './server-page.tsx'
import { watchSession } from './session-watcher.tsx'
import * as root from './root.tsx'
import * as pages from './routes/pages.tsx'

const modules = window as { __reactRouterRouteModules?: Record<string, object> }

async function start(): Promise<void> {
  // Beside the page's own scripts: nothing waits for it.
  import('#client/focus.ts').then(
    ({ keepFocus }) => keepFocus(),
    () => undefined,
  )
  const around = [root, pages].map((module, index) => [AROUND_EVERY_PAGE[index], module])
  modules.__reactRouterRouteModules = { ...Object.fromEntries(around), ...modules.__reactRouterRouteModules }
  await loadMessages(pageLanguage(), shopMessages)

  contestPartsFrom(() => import('#features/favourites/screens/contest-parts.ts'))
  withstandForeignChanges()
  keyHistory()
  const shop = document.getElementById(SHOP)!
  const nodes = [...shop.childNodes]
  startTransition(() => {
    hydrateRoot(
      shop,
      <StrictMode>
        <HydratedRouter />
      </StrictMode>,
      {
        // The page goes on: others have changed it, and React made it anew. Whoever looks for a fault of ours finds it here.
        // oxlint-disable-next-line no-console -- because nobody else would be told
        onRecoverableError: (error) => console.warn(error),
        onUncaughtError: (error) => {
          putBack(nodes)
          reportError(error)
        },
      },
    )
  })

  const store = pageStore()
  watchSession(store)
  watchPayments(store)
}

/** Only who is logged in has payments that wait. */
function watchPayments(store: AppStore): void {
  const stop = store.subscribe(follow)
  function follow(): void {
    if (!store.getState().auth.isAuthenticated) return
    stop()
    import('#features/purchase/orders/screens/confirming-orders.ts').then(
      (orders) => orders.watchConfirmingOrders(store),
      () => undefined,
    )
  }
  follow()
}

// The page's modules import this file, so it runs before them (src/server/pages/page-scripts.ts).
// In development React Router's script names the modules first.
if (modules.__reactRouterRouteModules) void start()
else window.addEventListener(MODULES_READY, () => void start(), { once: true })
