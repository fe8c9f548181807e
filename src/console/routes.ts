import alertsMessages from 'virtual:messages/consoleAlerts'
import contestsMessages from 'virtual:messages/consoleContests'
import postMessages from 'virtual:messages/consolePost'
import consoleCustomers from 'virtual:messages/consoleCustomers'
import consoleMessages from 'virtual:messages/consoleMessages'
import consoleStaff from 'virtual:messages/consoleStaff'
import consoleSystem from 'virtual:messages/consoleSystem'
import picturesMessages from 'virtual:messages/consolePictures'
import drawsMessages from 'virtual:messages/consoleDraws'
import reportsMessages from 'virtual:messages/consoleReports'
import ordersMessages from 'virtual:messages/consoleOrders'
import { type RouteObject, redirect } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import type { StaffSession } from '#features/staff/staff.contract.ts'
import { SIGNED_IN } from './kit/console-context.tsx'
import { plainCall, withMessages } from './kit/console-call.ts'
import { ScreenError } from './kit/parts.tsx'

/** The session of the person who is signed in; leads everybody else to the sign-in. */
async function session({ request }: { request: Request }): Promise<StaffSession | Response> {
  const { pathname, search } = new URL(request.url)
  const path = pathname.replace(/^\/admin/, '') || '/'
  try {
    const found = await plainCall<StaffSession>('GET', '/api/staff/session/')
    return found.must_enrol && path !== '/account' ? redirect('/account') : found
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const next = path === '/' ? '' : `?next=${encodeURIComponent(path + search)}`
    return redirect(`/sign-in${next}`)
  }
}

/** Before the first screen is there. */
const HydrateFallback = (): null => null

/** Every screen, loaded when it is first opened. Paths are below /admin/. */
export const routes: RouteObject[] = [
  {
    path: '/sign-in',
    lazy: () => import('./sign-in.tsx'),
    ErrorBoundary: ScreenError,
    HydrateFallback,
  },
  {
    id: SIGNED_IN,
    loader: session,
    HydrateFallback,
    lazy: () => import('./frame.tsx'),
    ErrorBoundary: ScreenError,
    children: [
      {
        ErrorBoundary: ScreenError,
        children: [
          { path: '/', lazy: () => import('#features/reports/console/today.tsx') },
          {
            path: '/orders',
            lazy: withMessages(() => import('#features/orders/console/orders.tsx'), ordersMessages),
          },
          {
            path: '/orders/:id',
            lazy: withMessages(() => import('#features/orders/console/order.tsx'), ordersMessages),
          },
          {
            path: '/search',
            lazy: withMessages(() => import('#features/orders/console/search.tsx'), ordersMessages),
          },
          { path: '/account', lazy: () => import('#features/staff/console/account.tsx') },
          {
            path: '/staff',
            lazy: withMessages(() => import('#features/staff/console/people.tsx'), consoleStaff),
          },
          {
            path: '/staff/exclusions',
            lazy: withMessages(() => import('#features/accounts/console/exclusions.tsx'), consoleStaff),
          },
          {
            path: '/approvals',
            lazy: withMessages(
              () => import('#features/staff/console/approvals.tsx'),
              consoleStaff,
              contestsMessages,
              drawsMessages,
            ),
          },
          {
            path: '/audit',
            lazy: withMessages(() => import('#features/staff/console/audit.tsx'), consoleStaff),
          },
          {
            path: '/offers',
            lazy: withMessages(() => import('#features/offers/console/list.tsx'), contestsMessages),
          },
          {
            path: '/offers/new',
            lazy: withMessages(() => import('#features/offers/console/new-contest.tsx'), contestsMessages),
          },
          {
            path: '/offers/:id',
            lazy: withMessages(
              () => import('#features/offers/console/editor.tsx'),
              contestsMessages,
              picturesMessages,
            ),
          },
          {
            path: '/system',
            lazy: withMessages(() => import('#features/system/console/system.tsx'), consoleSystem),
          },
          {
            path: '/customers',
            lazy: withMessages(() => import('#features/customers/console/customers.tsx'), consoleCustomers),
          },
          {
            path: '/customers/:id',
            lazy: withMessages(
              () => import('#features/customers/console/customer.tsx'),
              consoleCustomers,
              consoleMessages,
              consoleStaff,
            ),
          },
          {
            path: '/messages',
            lazy: withMessages(() => import('#features/contact/console/messages.tsx'), consoleMessages),
          },
          {
            path: '/messages/:id',
            lazy: withMessages(() => import('#features/contact/console/message.tsx'), consoleMessages),
          },
          {
            path: '/draws',
            lazy: withMessages(
              () => import('#features/draws/console/draws.tsx'),
              drawsMessages,
              contestsMessages,
            ),
          },
          {
            path: '/draws/:id',
            lazy: withMessages(
              () => import('#features/draws/console/draw.tsx'),
              drawsMessages,
              contestsMessages,
            ),
          },
          {
            path: '/reports',
            lazy: withMessages(() => import('#features/reports/console/sales.tsx'), reportsMessages),
          },
          {
            path: '/reports/statements',
            lazy: withMessages(() => import('#features/reports/console/statements.tsx'), reportsMessages),
          },
          {
            path: '/reports/statements/:id',
            lazy: withMessages(() => import('#features/reports/console/statement.tsx'), reportsMessages),
          },
          {
            path: '/alerts',
            lazy: withMessages(() => import('#features/alerts/console/alerts.tsx'), alertsMessages),
          },
          {
            path: '/post',
            lazy: withMessages(() => import('#features/postal/console/desk.tsx'), postMessages),
          },
          {
            path: '/post/entries',
            lazy: withMessages(() => import('#features/postal/console/entries.tsx'), postMessages),
          },
          {
            path: '/post/entries/:id',
            lazy: withMessages(() => import('#features/postal/console/entry.tsx'), postMessages),
          },
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
