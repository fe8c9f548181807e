import { type ReactNode, useState } from 'react'
import { Provider } from 'react-redux'
import {
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
} from 'react-router'
import { useShell } from '#client/shell.ts'
import { ToastHost } from '#client/toast-host.tsx'
import { translatorOf } from '#i18n/active-messages.ts'
import { TranslationsProvider } from '#i18n/translations.tsx'
import { shellContext } from './context.ts'
import { ErrorPage } from './error-page.tsx'
import { Frame } from './frame/frame.tsx'
import { pageMeta, shellOf } from './head.ts'
import { SessionWatcher } from './session-watcher.tsx'
import { VISITOR_STATE, pageStore } from './store.ts'
import './styles/app.css'

export const loader = ({ context }: LoaderFunctionArgs) => context.get(shellContext)

/** Head of the error page; every other page has its own. */
export const meta: MetaFunction = ({ matches, location }) => {
  const shell = shellOf(matches)
  const t = translatorOf(shell.language)
  const text = t('pages.error.text', { email: shell.settings.contactEmail })
  return pageMeta(shell, {
    title: t('pages.error.title'),
    description: text,
    path: location.pathname,
    noindex: true,
  })
}

export const links: LinksFunction = () => [{ rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]

/** The shell holds for the life of the document: a change of language loads a new one. */
export const shouldRevalidate = () => false

export function Layout({ children }: { children: ReactNode }): ReactNode {
  const { language, settings } = useShell()
  const [store] = useState(pageStore)
  return (
    // The server adds `data-auth` by a script that runs before the first paint (src/server/pages/document.ts).
    <html lang={language} suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        {/* Stylesheets are allowed by their origin; a nonce would differ between server and browser. */}
        <Links nonce="" />
      </head>
      <body>
        <Provider store={store} serverState={VISITOR_STATE}>
          <TranslationsProvider language={language} timeZone={settings.timeZone}>
            <Frame>{children}</Frame>
            <SessionWatcher />
            <ToastHost />
          </TranslationsProvider>
        </Provider>
        <ScrollRestoration />
        <Scripts />
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
