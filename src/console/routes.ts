import alertsMessages from 'virtual:messages/consoleAlerts'
import contestsMessages from 'virtual:messages/consoleContests'
import postMessages from 'virtual:messages/consolePost'
import consoleCustomers from 'virtual:messages/consoleCustomers'
import consoleMessages from 'virtual:messages/consoleMessages'
import consoleStaff from 'virtual:messages/consoleStaff'
import consoleSystem from 'virtual:messages/consoleSystem'
import picturesMessages from 'virtual:messages/consolePictures'
import drawActionsMessages from 'virtual:messages/consoleDrawActions'
import drawsMessages from 'virtual:messages/consoleDraws'
import reportsMessages from 'virtual:messages/consoleReports'
import ordersMessages from 'virtual:messages/consoleOrders'
import { type RouteObject, redirect } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import type { StaffSession } from '#features/staff/staff.contract.ts'
import { SIGNED_IN } from './kit/console-context.tsx'
import { plainCall, withMessages } from './kit/console-call.ts'
import { following } from './kit/follow.ts'
import { ScreenError } from './kit/parts.tsx'
import type { RecordPath, ScreenPath } from './navigation.ts'

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

/** What each screen loads when it is first opened: all paths of the table of screens, and no other. */
const SCREEN_FILES: Record<ScreenPath | RecordPath, NonNullable<RouteObject['lazy']>> = {
  '/': () => import('#features/reports/console/today.tsx'),
  '/orders': withMessages(() => import('#features/orders/console/orders.tsx'), ordersMessages),
  '/orders/:id': withMessages(() => import('#features/orders/console/order.tsx'), ordersMessages),
  '/search': withMessages(() => import('#features/orders/console/search.tsx'), ordersMessages),
  '/account': () => import('#features/staff/console/account.tsx'),
  '/staff': withMessages(() => import('#features/staff/console/people.tsx'), consoleStaff),
  '/staff/exclusions': withMessages(() => import('#features/accounts/console/exclusions.tsx'), consoleStaff),
  '/approvals': withMessages(
    () => import('#features/staff/console/approvals.tsx'),
    consoleStaff,
    contestsMessages,
    drawsMessages,
  ),
  '/audit': withMessages(() => import('#features/staff/console/audit.tsx'), consoleStaff),
  '/offers': withMessages(() => import('#features/offers/console/list.tsx'), contestsMessages),
  '/offers/new': withMessages(() => import('#features/offers/console/new-contest.tsx'), contestsMessages),
  '/offers/:id': withMessages(
    () => import('#features/offers/console/editor.tsx'),
    contestsMessages,
    picturesMessages,
  ),
  '/system': withMessages(() => import('#features/system/console/system.tsx'), consoleSystem),
  '/customers': withMessages(() => import('#features/customers/console/customers.tsx'), consoleCustomers),
  '/customers/:id': withMessages(
    () => import('#features/customers/console/customer.tsx'),
    consoleCustomers,
    consoleMessages,
    consoleStaff,
    ordersMessages,
  ),
  '/messages': withMessages(() => import('#features/contact/console/messages.tsx'), consoleMessages),
  '/messages/:id': withMessages(() => import('#features/contact/console/message.tsx'), consoleMessages),
  '/draws': withMessages(() => import('#features/draws/console/draws.tsx'), drawsMessages, contestsMessages),
  '/draws/:id': withMessages(
    () => import('#features/draws/console/draw.tsx'),
    drawsMessages,
    drawActionsMessages,
    contestsMessages,
  ),
  '/reports': withMessages(() => import('#features/reports/console/sales.tsx'), reportsMessages),
  '/reports/statements': withMessages(
    () => import('#features/reports/console/statements.tsx'),
    reportsMessages,
  ),
  '/reports/statements/:id': withMessages(
    () => import('#features/reports/console/statement.tsx'),
    reportsMessages,
  ),
  '/alerts': withMessages(() => import('#features/alerts/console/alerts.tsx'), alertsMessages),
  '/post': withMessages(() => import('#features/postal/console/desk.tsx'), postMessages),
  '/post/entries': withMessages(() => import('#features/postal/console/entries.tsx'), postMessages),
  '/post/entries/:id': withMessages(() => import('#features/postal/console/entry.tsx'), postMessages),
}

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
          ...Object.entries(SCREEN_FILES).map(([path, lazy]) => ({ path, lazy })),
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
