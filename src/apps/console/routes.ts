import { type LoaderFunctionArgs, type RouteObject, redirect } from 'react-router'
import catalogues from 'virtual:console-catalogues'
import { ApiError } from '#client/api-error.ts'
import { loadMessages } from '#i18n/active-messages.ts'
import type { StaffSession } from '#shared/staff-session.ts'
import { SIGNED_IN } from '#console-kit/console-context.tsx'
import { consoleLanguage, plainCall } from '#console-kit/console-call.ts'
import { following } from '#console-kit/follow.ts'
import { ScreenError } from '#console-kit/parts.tsx'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'
import { SCREENS } from './navigation.ts'

/** The session of the person who is signed in; leads everybody else to the sign-in. */
async function session({ request }: { request: Request }): Promise<StaffSession | Response> {
  const { pathname, search } = new URL(request.url)
  const path = pathname.replace(/^\/admin/, '') || '/'
  try {
    const found = await plainCall<StaffSession>('GET', '/api/staff/session/')
    if (found.must_enrol) return path === '/account' ? found : redirect('/account')
    return path === '/' && !found.permissions.includes('today.read') ? redirect('/draws') : found
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const next = path === '/' ? '' : `?next=${encodeURIComponent(path + search)}`
    return redirect(`/sign-in${next}`)
  }
}

/** Before the first screen is there. */
const HydrateFallback = (): null => null

/** A screen and its texts are loaded when it is first opened. */
const routeOf = (screen: ScreenDeclaration): RouteObject => ({
  path: screen.path,
  handle: screen,
  lazy: async () => {
    const [{ Component, loader }] = await Promise.all([
      screen.load(),
      ...(screen.catalogues ?? []).map((name) => loadMessages(consoleLanguage(), catalogues[name])),
    ])
    if (!loader) return { Component }
    const load = async (args: LoaderFunctionArgs, kept?: unknown): Promise<unknown> => loader(args, kept)
    return { Component, loader: following(load) }
  },
})

/** Every screen. Paths are below /admin/. */
export const routes: RouteObject[] = [
  {
    path: '/sign-in',
    lazy: () => import('./sign-in.tsx'),
    ErrorBoundary: ScreenError,
    HydrateFallback,
  },
  {
    id: SIGNED_IN,
    loader: following(session),
    HydrateFallback,
    lazy: () => import('./frame.tsx'),
    ErrorBoundary: ScreenError,
    children: [
      {
        ErrorBoundary: ScreenError,
        children: [
          ...SCREENS.map(routeOf),
          {
            path: '*',
            loader: () => {
              throw new Response('', { status: 404 })
            },
            element: null,
          },
        ],
      },
    ],
  },
]
