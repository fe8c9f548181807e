import {
  Flag,
  CarFront,
  Heart,
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

type Audience = 'everyone' | 'members' | 'visitors' | 'staff'

type EntryName = MessageKey extends infer Key
  ? Key extends `frame.menu.${infer Name}`
    ? Name
    : never
  : never

export interface MenuEntry {
  /** Its label is `frame.menu.<name>`. */
  name: EntryName
  icon: LucideIcon
  audience: Audience
  /** Missing for a group, and for the staff panel, whose address is a setting. */
  to?: string
  entries?: readonly MenuEntry[]
}

export const labelOf = ({ name }: MenuEntry) => `frame.menu.${name}` as const

export const MENU: readonly MenuEntry[] = [
  { name: 'home', icon: House, audience: 'everyone', to: paths.home() },
  { name: 'offers', icon: CarFront, audience: 'everyone', to: paths.offers() },
  { name: 'draws', icon: Flag, audience: 'everyone', to: paths.draws() },
  { name: 'cart', icon: ShoppingCart, audience: 'members', to: paths.cart() },
  {
    name: 'profile',
    icon: UserRound,
    audience: 'members',
    entries: [
      { name: 'participations', icon: Ticket, audience: 'members', to: paths.participations() },
      { name: 'favourites', icon: Heart, audience: 'members', to: paths.favourites() },
      { name: 'data', icon: IdCard, audience: 'members', to: paths.profileData() },
    ],
  },
  { name: 'contact', icon: Mail, audience: 'everyone', to: paths.contact() },
  { name: 'rules', icon: Scale, audience: 'everyone', to: paths.terms() },
  { name: 'login', icon: LogIn, audience: 'visitors', to: paths.login() },
  { name: 'register', icon: UserRoundPlus, audience: 'visitors', to: paths.register() },
  { name: 'logout', icon: LogOut, audience: 'members', to: paths.logout() },
  { name: 'admin', icon: LayoutDashboard, audience: 'staff' },
]

export const MENU_TITLES: ReadonlyMap<string, MessageKey> = new Map(
  MENU.flatMap((entry) => [entry, ...(entry.entries ?? [])]).flatMap((entry) =>
    entry.to === undefined ? [] : [[entry.to, labelOf(entry)] as const],
  ),
)
