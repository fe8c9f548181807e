import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import {
  Links,
  type LinksFunction,
  type LoaderFunctionArgs,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
} from 'react-router'
import { inLanguage, paths } from '#client/paths.ts'
import { useShell } from '#client/shell.ts'
import { StoreContext } from '#client/state.ts'
import { TranslationsProvider } from '#i18n/translations.tsx'
import { THEME_COLORS } from '#shared/theme-colors.ts'
import { onFirstToast } from '#client/toast.ts'
import { shellContext } from './context.ts'
import { ErrorPage, errorHead } from './error-page.tsx'
import { Frame } from './frame/frame.tsx'
import { SessionWatcher } from './session-watcher.tsx'
import { VISITOR_STATE, pageStore } from './store.ts'
import icon from '../../public/icon.svg?raw'
import './styles/app.css'

const SCHEMES = ['light', 'dark'] as const

export const loader = ({ context }: LoaderFunctionArgs) => context.get(shellContext)

export const meta = errorHead

/** Made from public/icon.svg by art/icons.ts. Inline, because browsers request an icon file twice. */
export const links: LinksFunction = () => [
  { rel: 'icon', href: '/favicon.ico', sizes: '32x32' },
  {
    rel: 'icon',
    type: 'image/svg+xml',
    href: `data:image/svg+xml,${encodeURIComponent(icon)}`,
    sizes: 'any',
  },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
]

/** Another language loads a new document. */
export const shouldRevalidate = () => false

export function Layout({ children }: { children: ReactNode }): ReactNode {
  const { language, settings } = useShell()
  const [page] = useState(() => ({ store: pageStore(), serverState: VISITOR_STATE }))
  return (
    // A script of the server adds `data-auth` before the first paint (src/server/pages/document.ts).
    <html lang={language} suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
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
        <StoreContext value={page}>
          <TranslationsProvider language={language} timeZone={settings.timeZone}>
            <Frame>{children}</Frame>
            <SessionWatcher />
            <ToastHost />
          </TranslationsProvider>
        </StoreContext>
        <ScrollRestoration />
        {/* The browser has loaded these scripts already. */}
        {import.meta.env.SSR && <Scripts />}
      </body>
    </html>
  )
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
