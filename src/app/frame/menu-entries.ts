import {
  CarFront,
  House,
  IdCard,
  LayoutDashboard,
  LogIn,
  LogOut,
  type LucideIcon,
  Mail,
  Scale,
  ShoppingCart,
  Ticket,
  UserRound,
  UserRoundPlus,
} from 'lucide-react'
import { paths } from '#client/paths.ts'
import type { MessageKey } from '#i18n/keys.ts'

/** Who sees an entry (spec section 2, "Application frame"). */
type Audience = 'everyone' | 'members' | 'visitors' | 'staff'

export interface MenuEntry {
  name: string
  label: Extract<MessageKey, `frame.menu.${string}`>
  icon: LucideIcon
  audience: Audience
  /** Missing for a group that only opens its entries, and for the staff's panel, whose address is a setting. */
  to?: string
  entries?: readonly MenuEntry[]
}

/** The sidebar, top to bottom. A page joins it here, in one line, once its route exists. */
export const MENU: readonly MenuEntry[] = [
  { name: 'home', label: 'frame.menu.home', icon: House, audience: 'everyone', to: paths.home() },
  { name: 'offers', label: 'frame.menu.offers', icon: CarFront, audience: 'everyone', to: paths.offers() },
  { name: 'cart', label: 'frame.menu.cart', icon: ShoppingCart, audience: 'members', to: paths.cart() },
  {
    name: 'profile',
    label: 'frame.menu.profile',
    icon: UserRound,
    audience: 'members',
    entries: [
      {
        name: 'participations',
        label: 'frame.menu.participations',
        icon: Ticket,
        audience: 'members',
        to: paths.participations(),
      },
      {
        name: 'data',
        label: 'frame.menu.data',
        icon: IdCard,
        audience: 'members',
        to: paths.profileData(),
      },
    ],
  },
  { name: 'contact', label: 'frame.menu.contact', icon: Mail, audience: 'everyone', to: paths.contact() },
  { name: 'rules', label: 'frame.menu.rules', icon: Scale, audience: 'everyone', to: paths.terms() },
  { name: 'login', label: 'frame.menu.login', icon: LogIn, audience: 'visitors', to: paths.login() },
  {
    name: 'register',
    label: 'frame.menu.register',
    icon: UserRoundPlus,
    audience: 'visitors',
    to: paths.register(),
  },
  { name: 'logout', label: 'frame.menu.logout', icon: LogOut, audience: 'members', to: paths.logout() },
  { name: 'admin', label: 'frame.menu.admin', icon: LayoutDashboard, audience: 'staff' },
]

/** Titles of pages that the breadcrumb names, by path. */
export const MENU_TITLES: ReadonlyMap<string, MenuEntry['label']> = new Map(
  MENU.flatMap((entry) => [entry, ...(entry.entries ?? [])]).flatMap((entry) =>
    entry.to === undefined ? [] : [[entry.to, entry.label] as const],
  ),
)
