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
import type { StaffPermission } from '#shared/staff-permissions.ts'

export type ScreenName =
  | 'today'
  | 'offers'
  | 'orders'
  | 'customers'
  | 'post'
  | 'draws'
  | 'messages'
  | 'reports'
  | 'alerts'
  | 'approvals'
  | 'staff'
  | 'audit'
  | 'system'

interface NavEntry {
  name: ScreenName
  to: string
  icon: LucideIcon
  permission: StaffPermission
}

/** What the command palette leads to besides the screens, the step that follows included. */
export const ACTIONS = [
  { name: 'newContest', to: '/offers/new', permission: 'offers.edit' },
  { name: 'registerCard', to: '/post', permission: 'post.register' },
  { name: 'importStatement', to: '/reports/statements', permission: 'reports.import' },
  { name: 'exportOrders', to: '/orders', permission: 'orders.export' },
  { name: 'giveRole', to: '/staff', permission: 'staff.change' },
  { name: 'checkInvariants', to: '/system', permission: 'system.run' },
  { name: 'exportAudit', to: '/audit', permission: 'audit.export' },
] as const satisfies readonly { name: string; to: string; permission: StaffPermission }[]

/** The screens of the menu and of the command palette. */
export const NAVIGATION: readonly NavEntry[] = [
  { name: 'today', to: '/', icon: House, permission: 'today.read' },
  { name: 'offers', to: '/offers', icon: Ticket, permission: 'offers.read' },
  { name: 'orders', to: '/orders', icon: ReceiptEuro, permission: 'orders.read' },
  { name: 'customers', to: '/customers', icon: Users, permission: 'customers.read' },
  { name: 'post', to: '/post', icon: MailOpen, permission: 'post.register' },
  { name: 'draws', to: '/draws', icon: CalendarClock, permission: 'draws.read' },
  { name: 'messages', to: '/messages', icon: Mail, permission: 'messages.read' },
  { name: 'reports', to: '/reports', icon: ChartColumn, permission: 'reports.read' },
  { name: 'alerts', to: '/alerts', icon: CircleAlert, permission: 'alerts.read' },
  { name: 'approvals', to: '/approvals', icon: Gavel, permission: 'approvals.read' },
  { name: 'staff', to: '/staff', icon: UserCog, permission: 'staff.read' },
  { name: 'system', to: '/system', icon: Server, permission: 'system.read' },
  { name: 'audit', to: '/audit', icon: ScrollText, permission: 'audit.read' },
]
