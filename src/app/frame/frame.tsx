import { type ReactNode, useEffect, useRef } from 'react'
import { preload } from 'react-dom'
import { useLocation } from 'react-router'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { IconButton } from '#ui/button.tsx'
import { X } from 'lucide-react'
import { Brand } from './brand.tsx'
import { LanguageSelector } from './language-selector.tsx'
import { Menu } from './menu.tsx'
import { PolicyBanner } from './policy-banner.tsx'
import { SiteFooter } from './site-footer.tsx'
import { TopBar } from './top-bar.tsx'
import { useSidebar } from './use-sidebar.ts'

/** What stands around every page: sidebar, top bar, footer (spec section 2, "Application frame"). */
export function Frame({ children }: { children: ReactNode }): ReactNode {
  const t = useTranslations('frame')
  const sidebar = useSidebar()
  const { closeSheet } = sidebar
  const { pathname } = useLocation()
  useFocusOnNavigation(pathname)
  // The headlines' face is on every first screen; asked for at once, it is there before they are painted.
  preload('/fonts/volant-wide.woff2', { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' })
  useEffect(closeSheet, [pathname, closeSheet])

  return (
    <div className="frame" data-sidebar={sidebar.expanded ? 'expanded' : 'collapsed'}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-ink px-4 py-3 text-ground focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
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
      <Dialog
        open={sidebar.sheetOpen}
        onClose={closeSheet}
        shape="sheet"
        title={t('mainMenu')}
        closeText={t('close')}
      >
        {sidebar.sheetOpen && (
          <div className="flex h-full flex-col gap-6 overflow-y-auto px-3 py-3">
            <div className="flex items-center justify-between pl-1.5">
              <Brand onFollow={closeSheet} />
              <IconButton label={t('close')} onClick={closeSheet}>
                <X aria-hidden="true" className="size-5" />
              </IconButton>
            </div>
            <Menu label={t('mainMenu')} onFollow={closeSheet} />
            <div className="mt-auto pb-2">
              <LanguageSelector />
            </div>
          </div>
        )}
      </Dialog>
      <div className="flex min-w-0 flex-col">
        <header className="contents">
          <TopBar sidebar={sidebar} />
          <DemoNotice />
        </header>
        <main id="main" tabIndex={-1} className="flex min-w-0 grow flex-col">
          {children}
        </main>
        <SiteFooter />
      </div>
      <PolicyBanner />
    </div>
  )
}

/** Says on every page of a demonstration that no real money moves. */
function DemoNotice(): ReactNode {
  const t = useTranslations('frame')
  const { demo } = useSettings()
  return demo ? (
    <p className="border-b border-line bg-warning-soft px-4 py-1.5 text-center text-xs text-warning">
      {t('demo')}
    </p>
  ) : null
}

/** After a navigation inside the document the new page's heading takes the focus, as after a document load. */
function useFocusOnNavigation(pathname: string): void {
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    const heading = document.querySelector<HTMLElement>('main h1')
    const target = heading ?? document.querySelector<HTMLElement>('main')
    if (heading && !heading.hasAttribute('tabindex')) heading.tabIndex = -1
    target?.focus({ preventScroll: true })
  }, [pathname])
}
