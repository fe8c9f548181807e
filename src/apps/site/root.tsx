import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import {
  Links,
  type LinksFunction,
  type LoaderFunctionArgs,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  UNSAFE_useScrollRestoration as useScrollRestoration,
} from 'react-router'
import { inLanguage, paths } from '#client/paths.ts'
import { useShell } from '#client/shell.ts'
import { StoreContext } from '#client/state.ts'
import { TranslationsProvider } from '#i18n/translations.tsx'
import { THEME_COLORS } from '#shared/theme-colors.ts'
import { onFirstToast } from '#client/toast.ts'
import { shellContext } from './context.ts'
import { ErrorPage, errorHead } from './error-page.tsx'
import { SHOP, ServerPage } from './server-page.tsx'
import { Frame } from './frame/frame.tsx'
import { SessionWatcher } from './session-watcher.tsx'
import { VISITOR_STATE, pageStore } from './store.ts'
import icon from '../../../public/icon.svg?raw'
import './styles/app.css'

const SCHEMES = ['light', 'dark'] as const

export const loader = ({ context }: LoaderFunctionArgs) => context.get(shellContext)

export const meta = errorHead

/** Made from public/icon.svg by art/icons.ts. Inline, because browsers request an icon file twice. */
export const links: LinksFunction = () =>
  import.meta.env.SSR
    ? [
        { rel: 'icon', href: '/favicon.ico', sizes: '32x32' },
        {
          rel: 'icon',
          type: 'image/svg+xml',
          href: `data:image/svg+xml,${encodeURIComponent(icon)}`,
          sizes: 'any',
        },
        { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
      ]
    : []

/** Another language loads a new document. */
export const shouldRevalidate = () => false

/**
 * The document on the server; in browsers the shop's element and what React keeps current in the head. The fragments stand
 * where the server has elements: React counts both alike when it makes ids.
 */
export function Layout({ children }: { children: ReactNode }): ReactNode {
  const shop = <Shop>{children}</Shop>
  return (
    <ServerPage>
      {import.meta.env.SSR ? (
        <Document>{shop}</Document>
      ) : (
        <>
          <Meta />
          <>
            {shop}
            <RestoredScroll />
            {null}
          </>
        </>
      )}
    </ServerPage>
  )
}

function Document({ children }: { children: ReactNode }): ReactNode {
  const { language } = useShell()
  return (
    <html lang={language} data-language={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {/* Phones make links of numbers and dates otherwise. */}
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        {SCHEMES.map((scheme) => (
          <meta
            key={scheme}
            name="theme-color"
            media={`(prefers-color-scheme: ${scheme})`}
            content={THEME_COLORS[scheme]}
          />
        ))}
        {/* Browsers fetch it without cookies, so its address has the language. */}
        <link rel="manifest" href={inLanguage(paths.manifest(), language)} />
        <Meta />
        <Links />
      </head>
      <body>
        <div id={SHOP} className="contents">
          {children}
        </div>
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  )
}

function Shop({ children }: { children: ReactNode }): ReactNode {
  const { language, settings } = useShell()
  const [page] = useState(() => ({ store: pageStore(), serverState: VISITOR_STATE }))
  return (
    <StoreContext value={page}>
      <TranslationsProvider language={language} timeZone={settings.timeZone}>
        <Frame>{children}</Frame>
        <SessionWatcher />
        <ToastHost />
      </TranslationsProvider>
    </StoreContext>
  )
}

/** React Router's own component renders a script, too, which browsers refuse to React. */
function RestoredScroll(): ReactNode {
  useScrollRestoration()
  return null
}

export default function App(): ReactNode {
  return <Outlet />
}

export function ErrorBoundary({ error }: { error: unknown }): ReactNode {
  return <ErrorPage error={error} />
}

function ToastHost(): ReactNode {
  const [Toaster, setToaster] = useState<ComponentType>()
  useEffect(
    () =>
      onFirstToast(
        () => void import('#client/toaster.tsx').then((module) => setToaster(() => module.Toaster)),
      ),
    [],
  )
  return Toaster ? <Toaster /> : null
}
