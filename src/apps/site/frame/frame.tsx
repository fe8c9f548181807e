import {
  type ComponentType,
  type ReactNode,
  Suspense,
  lazy,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { preload } from 'react-dom'
import { useLocation, useNavigation } from 'react-router'
import { announceAwake, announceWaiting } from '#client/early-acts.ts'
import { arrive, cameFromHere } from '#client/arrival.ts'
import { hasCookie } from '#client/browser-parts.ts'
import { UNFINISHED, paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useShownFrom } from '#client/server-clock.ts'
import { useIsAuthenticated } from '#client/state.ts'
import { unfinishedOrders } from '#features/purchase/orders/screens/unfinished-orders.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { languageCookie, suggestedLanguage } from '#shared/languages.ts'
import { useTopBar } from '#ui/use-bar.ts'
import { Brand } from './brand.tsx'
import { LanguageSelector } from './language-selector.tsx'
import { Menu } from './menu.tsx'
import { MenuSheet, type SheetHandle } from './menu-sheet.tsx'
import { PolicyBanner } from './policy-banner.tsx'
import { SiteFooter } from './site-footer.tsx'
import { TopBar } from './top-bar.tsx'
import { useSidebar } from './use-sidebar.ts'

/** The page for a stream fills the window. */
const FULL_SCREEN = /^\/draws\/[^/]+\/live$/

/** Pages that a read replica may have served: the list of contests, and those of draws. */
const MAY_BE_OLD = /^\/(?:offers|draws(?:\/.*)?)?$/

/** What is around every page. */
export function Frame({ children }: { children: ReactNode }): ReactNode {
  const { pathname } = useLocation()
  const { state } = useNavigation()
  useEffect(() => void announceWaiting(state !== 'idle'), [state])
  // The effects of everything inside have run.
  useEffect(() => void announceAwake(), [])
  if (!FULL_SCREEN.test(pathname)) return <Framed>{children}</Framed>
  return (
    <main id="main">
      <ShownFrom />
      {children}
    </main>
  )
}

/** Sidebar, top bar and footer (spec section 2, "Application frame"). */
function Framed({ children }: { children: ReactNode }): ReactNode {
  const t = useTranslations('frame')
  const sheet = useRef<SheetHandle>(null)
  const sidebar = useSidebar(sheet)
  const { pathname } = useLocation()
  useFocusOnNavigation(pathname)
  preload('/fonts/volant-wide.woff2', { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' })

  return (
    <div className="frame" data-sidebar={sidebar.state}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-ink px-4 py-3 text-ground focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-4 focus:py-3"
      >
        {t('skip')}
      </a>
      <aside className="frame-sidebar flex-col gap-6 border-r border-line bg-surface px-3 py-4">
        <div className="px-1.5">
          <Brand />
        </div>
        <Menu label={t('mainMenu')} iconsOnly={!sidebar.expanded} />
        <div className="mt-auto">
          <LanguageSelector />
        </div>
      </aside>
      <MenuSheet ref={sheet} />
      <div className="flex min-w-0 flex-col">
        <header className="contents">
          <TopBar sidebar={sidebar} />
          <DemoNotice />
        </header>
        <OfflineNotice />
        <SuggestedLanguage />
        <UnfinishedNotice />
        <ShownFrom />
        {/* The footer starts below the first screen: it stays in place when a page replaces its skeleton or another page. */}
        <main id="main" tabIndex={-1} className="flex min-h-[calc(100svh-4rem)] min-w-0 grow flex-col">
          {children}
        </main>
        <SiteFooter />
      </div>
      <PolicyBanner />
    </div>
  )
}

/** The language of the browser, where it is another of the shop's and nobody has chosen one (ADR 0126). */
function SuggestedLanguage(): ReactNode {
  const language = useLanguage()
  const { publicUrl } = useSettings()
  const [Suggestion, setSuggestion] = useState<ComponentType>()
  useEffect(() => {
    const wanted = suggestedLanguage(navigator.languages, language)
    if (!wanted || hasCookie(languageCookie(publicUrl)) || /[?&]lang=/.test(window.location.search)) return
    import('./language-suggestion.tsx')
      .then((module) => module.suggestionIn(wanted))
      .then(
        (found) => setSuggestion(() => found),
        () => undefined,
      )
  }, [language, publicUrl])
  return <div aria-live="polite">{Suggestion && <Suggestion />}</div>
}

const UnfinishedPayments = lazy(async () => ({
  default: (await import('./unfinished-payments.tsx')).UnfinishedPayments,
}))

/** On every page that a buyer opens: what was approved and not finished (ADR 0007), or what became of the order of a link. */
function UnfinishedNotice(): ReactNode {
  const { read, readOnServer, subscribe } = unfinishedOrders
  const orders = useSyncExternalStore(subscribe, read, readOnServer)
  const isAuthenticated = useIsAuthenticated()
  const asked = new URLSearchParams(useLocation().search).get(UNFINISHED)
  const isWanted = isAuthenticated && (orders.length > 0 || asked !== null)
  // What became of an order stays in sight.
  const [wasWanted, setWasWanted] = useState(false)
  if (isWanted && !wasWanted) setWasWanted(true)
  return (
    <div aria-live="polite" className="empty:absolute">
      {isAuthenticated && wasWanted && (
        <Suspense>
          <UnfinishedPayments orders={orders} />
        </Suspense>
      )}
    </div>
  )
}

const OldFigures = lazy(async () => ({ default: (await import('./old-figures.tsx')).OldFigures }))

/** Of pages whose figures are more than a minute old (ADR 0112). */
function ShownFrom(): ReactNode {
  const { pathname } = useLocation()
  const from = useShownFrom()
  return (
    from > 0 &&
    MAY_BE_OLD.test(pathname) && (
      <Suspense>
        <OldFigures from={from} />
      </Suspense>
    )
  )
}

function DemoNotice(): ReactNode {
  const t = useTranslations('frame')
  const { demo, mailbox } = useSettings()
  return demo ? (
    <p className="border-b border-line bg-sunken px-4 py-1.5 text-center text-xs">
      <span className="inline-block">{t('demo')}</span>{' '}
      {mailbox && (
        <a href={paths.mailbox()} className="inline-block py-1 whitespace-nowrap underline">
          {t('mailbox')}
        </a>
      )}
    </p>
  ) : null
}

/** The heading of a new page takes the focus; of a new document, if another of the shop led there. */
function useFocusOnNavigation(pathname: string): void {
  const last = useRef<string>(undefined)
  useEffect(() => {
    if (last.current === pathname) return
    if (last.current !== undefined || cameFromHere()) arrive()
    last.current = pathname
  }, [pathname])
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

/** Shown while offline (storefront U12). A live region must exist before its text. */
function OfflineNotice(): ReactNode {
  const t = useTranslations('frame')
  const online = useSyncExternalStore(
    subscribe,
    () => window.navigator.onLine !== false,
    () => true,
  )
  const bar = useRef<HTMLDivElement>(null)
  useTopBar(bar)
  return (
    <div ref={bar} role="status" className="sticky top-16 z-20">
      {!online && (
        <p className="border-b border-warning bg-warning-soft px-4 py-2 text-center text-sm text-balance text-warning">
          {t('offline')}
        </p>
      )}
    </div>
  )
}
