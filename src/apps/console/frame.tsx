import { Keyboard, KeyRound, LogOut, Menu as MenuIcon, Search, Store, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import {
  type Location,
  NavLink,
  Outlet,
  ScrollRestoration,
  useLocation,
  useNavigate,
  useNavigation,
  useNavigationType,
} from 'react-router'
import { Toaster } from 'sonner'
import { whenIdle } from '#client/browser-parts.ts'
import { arrive } from '#client/arrival.ts'
import { formatTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { Dialog } from '#ui/dialog.tsx'
import { useTopBar } from '#ui/use-bar.ts'
import { LanguageSelector, Mark } from './frame-parts.tsx'
import { connectConsole, plainCall } from '#console-kit/console-call.ts'
import { useDeclaration, useMay, useSession, useSettings } from '#console-kit/console-context.tsx'
import { useFollow } from '#console-kit/follow.ts'
import { Screen } from '#console-kit/parts.tsx'
import { isTyping, useRowKeys } from '#console-kit/row-keys.ts'
import { dropAskedAction } from '#console-kit/screen-actions.ts'
import { useShownFrom } from '#console-kit/shown-from.ts'
import { NAVIGATION } from './navigation.ts'
import { StepUpDialog } from './step-up.tsx'
import { UnsentDialogs, UnsentGuard } from './unsent-guard.tsx'

/** Above a bar at the lower edge of a screen. */
const BESIDE = { bottom: 'calc(var(--bottom-room, 0px) + 1rem)' }

/** Around every screen: menu, top bar, messages, and the dialogs that any screen may need. */
export function Component(): ReactNode {
  const t = useTranslations('console.frame')
  const common = useTranslations('console.common')
  const { state } = useNavigation()
  const location = useLocation()
  const isBack = useNavigationType() === 'POP'
  const may = useMay()
  const permission = useDeclaration()?.permission
  const isForbidden = permission !== undefined && !may(permission)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [opened, setOpened] = useState<'palette' | 'keys'>()
  useSignOutElsewhere()
  useFocusOnNavigation(location, isBack)
  useRowKeys()
  useFollow()
  const bar = useRef<HTMLElement>(null)
  useTopBar(bar)
  useShortcuts(setOpened)
  const palette = usePalette(opened !== undefined)
  const showKeys = (): void => {
    setMenuOpen(false)
    setOpened('keys')
  }

  return (
    <UnsentDialogs>
      <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] lg:grid-cols-[15rem_minmax(0,1fr)]">
        <a
          href="#main"
          className="sr-only z-50 rounded-md bg-ink px-4 py-3 text-ground focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          {t('skip')}
        </a>
        <aside className="sticky top-0 hidden h-dvh flex-col gap-5 overflow-y-auto border-r border-line bg-surface p-3 lg:flex">
          <MenuContent onKeys={showKeys} />
        </aside>
        <Dialog
          open={isMenuOpen}
          onClose={() => setMenuOpen(false)}
          title={t('menu')}
          closeText={t('closeMenu')}
          shape="sheet"
        >
          <div className="flex h-full flex-col gap-5 overflow-y-auto p-3">
            <div className="flex justify-end">
              <IconButton label={t('closeMenu')} onClick={() => setMenuOpen(false)}>
                <X aria-hidden="true" className="size-5" />
              </IconButton>
            </div>
            <MenuContent onFollow={() => setMenuOpen(false)} onKeys={showKeys} />
          </div>
        </Dialog>
        <div className="flex min-w-0 flex-col">
          <header
            ref={bar}
            className="sticky top-0 z-20 flex flex-wrap items-center gap-2 border-b border-line bg-surface px-3 py-2 sm:px-6"
          >
            <div className="lg:hidden">
              <IconButton label={t('openMenu')} onClick={() => setMenuOpen(true)}>
                <MenuIcon aria-hidden="true" className="size-5" />
              </IconButton>
            </div>
            <Button
              variant="secondary"
              size="small"
              className="min-w-0 max-w-96 grow basis-0 justify-start font-normal text-muted"
              onClick={() => setOpened('palette')}
            >
              <Search aria-hidden="true" className="size-4 shrink-0" />
              <span className="min-w-0 truncate">{t('palette')}</span>
              <kbd className="ml-auto rounded-sm border border-line px-1.5 text-xs max-sm:hidden">Ctrl K</kbd>
            </Button>
            <div className="ml-auto">
              <Who />
            </div>
          </header>
          <PageSign isWaiting={state !== 'idle'} />
          <main id="main" tabIndex={-1} className="min-w-0 grow px-3 py-6 sm:px-6">
            <OldFigures />
            {isForbidden ? <Forbidden /> : <Outlet />}
          </main>
        </div>
        <StepUpDialog />
        {palette && opened === 'palette' && (
          <palette.CommandPalette
            onClose={() => setOpened(undefined)}
            onKeys={showKeys}
            onSignOut={() => void signOut()}
          />
        )}
        {palette && opened === 'keys' && <palette.KeyList onClose={() => setOpened(undefined)} />}
        <Toaster
          theme="system"
          closeButton
          offset={BESIDE}
          mobileOffset={BESIDE}
          containerAriaLabel={common('toasts')}
          toastOptions={{ closeButtonAriaLabel: common('close') }}
        />
        <UnsentGuard />
        <ScrollRestoration />
      </div>
    </UnsentDialogs>
  )
}

/** In ms: nothing flashes on a fast line, and the sign is there before the 100 ms that people notice. */
const SIGN_AFTER_MS = 60

/** Shows, and says, that a screen is on its way. */
function PageSign({ isWaiting }: { isWaiting: boolean }): ReactNode {
  const t = useTranslations('console.frame')
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setTimeout(() => setShown(true), SIGN_AFTER_MS)
    return () => {
      clearTimeout(timer)
      setShown(false)
    }
  }, [isWaiting])
  useEffect(() => void document.documentElement.toggleAttribute('data-waiting', isShown), [isShown])
  return (
    <p role="status" className="sr-only">
      {isShown && t('loading')}
    </p>
  )
}

/** A screen whose lists or figures come from a copy of the database that is behind (ADR 0112). */
function OldFigures(): ReactNode {
  const t = useTranslations('console.frame')
  const { timeZone } = useSettings()
  const shown = useShownFrom()
  const [minutes, seconds] = [Math.floor((shown?.seconds ?? 0) / 60), (shown?.seconds ?? 0) % 60]
  return (
    <div className={classes(shown && 'pb-6')}>
      <div role="status" className="sr-only">
        {shown && t('behind')}
      </div>
      {shown && (
        <Alert tone="warning">
          {t('shownFrom', { time: formatTime(new Date(shown.from), timeZone), minutes, seconds })}
        </Alert>
      )}
    </div>
  )
}

/** In place of a screen that the role does not open, also of one that loads nothing. */
function Forbidden(): ReactNode {
  const t = useTranslations('console.common')
  return (
    <Screen title={t('failed')}>
      <div role="alert">
        <Alert tone="error">{t('notPermitted')}</Alert>
      </div>
    </Screen>
  )
}

function MenuContent({ onFollow, onKeys }: { onFollow?: () => void; onKeys: () => void }): ReactNode {
  const t = useTranslations('console')
  const may = useMay()
  const { brand, demo } = useSettings()
  const { must_enrol: mustEnrol } = useSession()
  return (
    <>
      <span className="inline-flex min-h-11 items-center gap-3 px-1.5 font-wide text-lg">
        <Mark />
        <span className="grid min-w-0 justify-items-start">
          <span className="max-w-full truncate">{brand}</span>
          {demo && <Badge tone="warning">{t('frame.demo')}</Badge>}
        </span>
      </span>
      <nav aria-label={t('frame.menu')}>
        <ul className="grid gap-0.5">
          {NAVIGATION.filter(({ permission }) => !mustEnrol && may(permission)).map(
            ({ name, to, icon: Icon }) => (
              <li key={name}>
                <NavLink to={to} end={to === '/'} className={ROW} {...(onFollow && { onClick: onFollow })}>
                  <Icon aria-hidden="true" className="size-5 shrink-0" />
                  <span className="min-w-0 wrap-anywhere">{t(`nav.${name}`)}</span>
                </NavLink>
              </li>
            ),
          )}
        </ul>
      </nav>
      <div className="mt-auto grid gap-3">
        <a href="/" target="_blank" rel="noopener" className={ROW}>
          <Store aria-hidden="true" className="size-5 shrink-0" />
          {t('frame.shop')}
        </a>
        <button type="button" className={classes(ROW, 'cursor-pointer text-left')} onClick={onKeys}>
          <Keyboard aria-hidden="true" className="size-5 shrink-0" />
          {t('keys.title')}
        </button>
        <LanguageSelector />
      </div>
    </>
  )
}

const ROW =
  'flex min-h-11 items-center gap-3 rounded-md px-3 text-sm font-medium no-underline transition-colors duration-150 ' +
  'hover:bg-sunken aria-[current=page]:bg-signal-soft aria-[current=page]:text-signal-strong'

async function signOut(): Promise<void> {
  await plainCall('POST', '/api/staff/session/end/').catch(() => undefined)
  window.location.assign('/admin/sign-in')
}

/** Who is signed in, their own access, and the way out. */
function Who(): ReactNode {
  const t = useTranslations('console')
  const { name, role } = useSession()
  return (
    <div className="flex items-center gap-1">
      <span className="grid justify-items-end text-sm leading-tight max-sm:sr-only">
        <span className="max-w-40 truncate font-semibold">{name}</span>
        <span className="text-xs text-muted">{t(`roles.${role}`)}</span>
      </span>
      <NavLink
        to="/account"
        aria-label={t('frame.account')}
        className="inline-flex size-11 items-center justify-center rounded-md hover:bg-sunken"
      >
        <KeyRound aria-hidden="true" className="size-5" />
      </NavLink>
      <IconButton label={t('frame.signOut')} onClick={() => void signOut()}>
        <LogOut aria-hidden="true" className="size-5" />
      </IconButton>
    </div>
  )
}

type Palette = typeof import('./command-palette.tsx')

/** The command palette and the list of keys, loaded once the browser is idle: the first letters typed are not lost. */
function usePalette(isOpened: boolean): Palette | undefined {
  const [palette, setPalette] = useState<Palette>()
  useEffect(() => {
    const load = (): void => void import('./command-palette.tsx').then(setPalette)
    if (!isOpened) return whenIdle(load)
    load()
    return undefined
  }, [isOpened])
  return palette
}

function useShortcuts(open: (what: 'palette' | 'keys') => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        open('palette')
      } else if (event.key === '?' && !isTyping(event)) open('keys')
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [open])
}

/** After the session has ended, such as at another device, any call leads to the sign-in. */
function useSignOutElsewhere(): void {
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  useEffect(
    () =>
      connectConsole({
        onSignedOut: () =>
          void navigate(`/sign-in?ended&next=${encodeURIComponent(pathname + search)}`, { replace: true }),
      }),
    [navigate, pathname, search],
  )
}

/** The link that led on from each entry of the browser's history. */
const followed = new Map<string, string>()

/**
 * Focuses the heading of a new screen, as after a document load, or the part of it that the address names; after Back the
 * link that had been followed. `ScrollRestoration` scrolls.
 */
function useFocusOnNavigation({ pathname, hash, key }: Location, isBack: boolean): void {
  const last = useRef(pathname)
  useEffect(() => {
    const note = ({ target }: MouseEvent): void => {
      const link = target instanceof Element ? target.closest('main a[href]') : null
      if (link) followed.set(key, link.getAttribute('href') ?? '')
    }
    document.addEventListener('click', note, true)
    return () => document.removeEventListener('click', note, true)
  }, [key])
  useEffect(() => {
    dropAskedAction(pathname)
    const isNew = last.current !== pathname
    last.current = pathname
    const part = hash === '' ? null : document.getElementById(hash.slice(1))
    if (part) {
      if (part.tabIndex < 0) part.tabIndex = -1
      part.focus({ preventScroll: true })
      part.scrollIntoView({ block: 'center' })
    } else if (isNew) {
      const href = isBack ? followed.get(key) : undefined
      const link =
        href === undefined ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(href)}"]`)
      if (link) link.focus({ preventScroll: true })
      else arrive()
    }
  }, [pathname, hash, key, isBack])
}
