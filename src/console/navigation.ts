import {
  CalendarClock,
  ChartColumn,
  CircleAlert,
  Gavel,
  House,
  type LucideIcon,
  Mail,
  MailOpen,
  ReceiptEuro,
  ScrollText,
  Server,
  Ticket,
  UserCog,
  Users,
} from 'lucide-react'
import type { ActionName } from './kit/screen-actions.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'

interface ConsoleScreen {
  /** Its words are `console.nav`. */
  name: string
  permission: StaffPermission
  /** Of those in the menu. */
  icon?: LucideIcon
}

/** Every screen of somebody who is signed in, in the order of the menu. The routes have the same paths. */
export const SCREENS = {
  '/': { name: 'today', icon: House, permission: 'today.read' },
  '/offers': { name: 'offers', icon: Ticket, permission: 'offers.read' },
  '/offers/new': { name: 'newContest', permission: 'offers.edit' },
  '/orders': { name: 'orders', icon: ReceiptEuro, permission: 'orders.read' },
  '/search': { name: 'search', permission: 'search.use' },
  '/customers': { name: 'customers', icon: Users, permission: 'customers.read' },
  '/post': { name: 'post', icon: MailOpen, permission: 'post.register' },
  '/post/entries': { name: 'entries', permission: 'post.read' },
  '/draws': { name: 'draws', icon: CalendarClock, permission: 'draws.read' },
  '/messages': { name: 'messages', icon: Mail, permission: 'messages.read' },
  '/reports': { name: 'reports', icon: ChartColumn, permission: 'reports.read' },
  '/reports/statements': { name: 'statements', permission: 'reports.read' },
  '/alerts': { name: 'alerts', icon: CircleAlert, permission: 'alerts.read' },
  '/approvals': { name: 'approvals', icon: Gavel, permission: 'approvals.read' },
  '/staff': { name: 'staff', icon: UserCog, permission: 'staff.read' },
  '/staff/exclusions': { name: 'exclusions', permission: 'exclusions.read' },
  '/system': { name: 'system', icon: Server, permission: 'system.read' },
  '/audit': { name: 'audit', icon: ScrollText, permission: 'audit.read' },
  '/account': { name: 'account', permission: 'self.use' },
} as const satisfies Record<string, ConsoleScreen>

/** The screens of records, which the search finds. */
export const RECORD_SCREENS = [
  '/offers/:id',
  '/orders/:id',
  '/customers/:id',
  '/post/entries/:id',
  '/draws/:id',
  '/messages/:id',
  '/reports/statements/:id',
] as const

export type ScreenPath = keyof typeof SCREENS
export type RecordPath = (typeof RECORD_SCREENS)[number]

interface NavEntry extends ConsoleScreen {
  name: (typeof SCREENS)[ScreenPath]['name']
  to: ScreenPath
}

/** The screens of the command palette. */
export const ALL_SCREENS: readonly NavEntry[] = (Object.keys(SCREENS) as ScreenPath[]).map((to) => ({
  to,
  ...SCREENS[to],
}))

/** The screens of the menu. */
export const NAVIGATION = ALL_SCREENS.filter(
  (screen): screen is NavEntry & { icon: LucideIcon } => screen.icon !== undefined,
)

/** Where each action is, and what it takes: the screen offers it, or is where it begins. */
export const ACTIONS: readonly { name: ActionName; to: ScreenPath; permission: StaffPermission }[] = [
  { name: 'registerCard', to: '/post', permission: 'post.register' },
  { name: 'printLetters', to: '/post/entries', permission: 'post.read' },
  { name: 'importStatement', to: '/reports/statements', permission: 'reports.import' },
  { name: 'exportSales', to: '/reports', permission: 'reports.read' },
  { name: 'exportOrders', to: '/orders', permission: 'orders.export' },
  { name: 'giveRole', to: '/staff', permission: 'staff.change' },
  { name: 'exclude', to: '/staff/exclusions', permission: 'exclusions.change' },
  { name: 'checkInvariants', to: '/system', permission: 'system.run' },
  { name: 'examine', to: '/system', permission: 'system.run' },
  { name: 'verifyAudit', to: '/audit', permission: 'audit.read' },
  { name: 'exportAudit', to: '/audit', permission: 'audit.export' },
]
