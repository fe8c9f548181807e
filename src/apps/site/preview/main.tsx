import '#client/older-browsers.ts'
import contestMessages from 'virtual:messages/contest'
import drawsMessages from 'virtual:messages/draws'
import shopMessages from 'virtual:messages/shop'
import { type ContextType, type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Outlet, createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { withstandForeignChanges } from '#client/foreign-changes.ts'
import { paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import { StoreContext } from '#client/state.ts'
import type { PublicDraw } from '#features/draws/public-draws.contract.ts'
import { DrawPage } from '#features/draws/screens/draw-page.tsx'
import { PREVIEW_PATH, type PreviewMessage } from '#features/offers/preview.contract.ts'
import { OfferPage } from '#features/offers/screens/offer-page.tsx'
import { OffersPage } from '#features/offers/screens/offers-page.tsx'
import type { OfferPreview } from '#features/offers/staff-offers.contract.ts'
import { loadMessages } from '#i18n/active-messages.ts'
import { TranslationsProvider } from '#i18n/translations.tsx'
import { serverNow } from '#client/server-clock.ts'
import { countriesIn } from '#shared/countries.ts'
import { isLanguage } from '#shared/languages.ts'
import { Frame } from '../frame/frame.tsx'
import { VISITOR_STATE, createStore } from '../store.ts'
import { refuseCalls } from './browser.ts'
import '../styles/app.css'

const PATHS: Record<PreviewMessage['page'], (slug: string) => string> = {
  offer: paths.offer,
  list: () => paths.offers(),
  draw: paths.draw,
}

withstandForeignChanges()
const root = createRoot(document.querySelector('#preview')!)
let shown = 0

/** Shows a page of the shop, made of what the console gives. */
async function show(message: PreviewMessage): Promise<void> {
  const { page, language, settings, stored, noSale } = message
  const { offer } = stored
  shown += 1
  const turn = shown
  const { documentElement } = document
  documentElement.lang = language
  documentElement.dataset['language'] = language
  refuseCalls(noSale)
  await Promise.all(
    [shopMessages, drawsMessages, contestMessages].map((catalogue) => loadMessages(language, catalogue)),
  )
  if (turn !== shown) return
  const countries = countriesIn(language)
  const shell: Shell = { language, settings, countries, sidebar: 'auto', renderedAt: serverNow() }
  const state = { ...VISITOR_STATE, auth: { ...VISITOR_STATE.auth, isAuthenticated: true } }
  const store = createStore(state)
  const router = createMemoryRouter(
    [
      {
        id: 'root',
        path: '/',
        Component: () => <Framed shell={shell} store={{ store, serverState: state }} />,
        children: [
          {
            path: 'offers/:slug',
            element: <OfferPage offer={offer} draw={{ at: stored.draw_at, outcome: undefined }} />,
          },
          { path: 'offers', element: <OffersPage offers={[offer]} /> },
          { path: 'draws/:slug', element: <DrawPage draw={drawOf(stored)} /> },
        ],
      },
    ],
    { initialEntries: [PATHS[page](offer.slug)], hydrationData: { loaderData: { root: shell } } },
  )
  root.render(
    <StrictMode>
      <RouterProvider key={turn} router={router} />
    </StrictMode>,
  )
}

/** The draw as its page shows it on the day of the publication. */
function drawOf(preview: OfferPreview): PublicDraw {
  const { offer, prize_value, postal_reserve, draw_at, published_at, missing: _, ...terms } = preview
  return {
    state: 'open',
    published_at,
    closes_at: offer.end_date,
    stopped: false,
    draw_at,
    terms: null,
    plan: null,
    log: null,
    provisional: null,
    sealed: null,
    attempts: [],
    cancelled: null,
    delay: null,
    beacon: null,
    files: [],
    rehearsal: null,
    attested: null,
    stamped: null,
    changes: [],
    rules: null,
    contest: {
      ...offer,
      prize_value,
      postal_reserve,
      ...terms,
    },
  }
}

interface FramedProps {
  shell: Shell
  store: NonNullable<ContextType<typeof StoreContext>>
}

function Framed({ shell: { language, settings }, store }: FramedProps): ReactNode {
  return (
    <StoreContext value={store}>
      <TranslationsProvider language={language} timeZone={settings.timeZone}>
        <Frame>
          <Outlet />
        </Frame>
      </TranslationsProvider>
    </StoreContext>
  )
}

// Links lead nowhere: every page but the one that is shown is the shop's own.
document.addEventListener(
  'click',
  (event) => {
    if (!(event.target instanceof Element) || !event.target.closest('a')) return
    event.preventDefault()
    event.stopPropagation()
  },
  { capture: true },
)

window.addEventListener('message', ({ origin, source, data }: MessageEvent<Partial<PreviewMessage>>) => {
  const isConsole = origin === window.location.origin && source === window.parent && source !== window
  const isShown = isLanguage(data?.language) && data.page !== undefined && Object.hasOwn(PATHS, data.page)
  if (isConsole && isShown) void show(data as PreviewMessage)
})
// The console responds with what is to be shown.
window.parent.postMessage(PREVIEW_PATH, window.location.origin)
