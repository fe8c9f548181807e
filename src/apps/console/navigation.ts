import type { LucideIcon } from 'lucide-react'
import { screens as accounts } from '#features/accounts/console/screens.ts'
import { screens as alerts } from '#features/alerts/console/screens.ts'
import { screens as contact } from '#features/contact/console/screens.ts'
import { screens as customers } from '#features/customers/console/screens.ts'
import { screens as draws } from '#features/draws/console/screens.ts'
import { screens as offers } from '#features/offers/console/screens.ts'
import { screens as orders } from '#features/purchase/orders/console/screens.ts'
import { screens as postal } from '#features/postal/console/screens.ts'
import { screens as reports } from '#features/reports/console/screens.ts'
import { screens as staff } from '#features/staff/console/screens.ts'
import { screens as system } from '#features/system/console/screens.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'
import type { ActionName } from '#console-kit/screen-actions.ts'
import type { OfferedScreen, ScreenDeclaration } from '#console-kit/screen-declaration.ts'

const DECLARED = [
  ...accounts,
  ...alerts,
  ...contact,
  ...customers,
  ...draws,
  ...offers,
  ...orders,
  ...postal,
  ...reports,
  ...staff,
  ...system,
] as const

type Declared = (typeof DECLARED)[number]
export type RecordPath = Extract<Declared['path'], `${string}/:id`>
export type ScreenPath = Exclude<Declared['path'], RecordPath>

/** Every screen of somebody who is signed in, as its slice declares it. */
export const SCREENS: readonly ScreenDeclaration[] = DECLARED

/** The screens of records, which the search finds. */
export const RECORD_SCREENS = DECLARED.map(({ path }) => path).filter((path): path is RecordPath =>
  path.endsWith('/:id'),
)

interface NavEntry extends OfferedScreen {
  name: Extract<Declared, { name: string }>['name']
  to: ScreenPath
}

/** The screens of the command palette, in the order of the menu. */
export const ALL_SCREENS: readonly NavEntry[] = DECLARED.filter((screen) => 'name' in screen)
  .map((screen) => ({ ...screen, to: screen.path }))
  .toSorted((one, other) => one.place - other.place)

/** The screens of the menu. */
export const NAVIGATION = ALL_SCREENS.filter(
  (screen): screen is NavEntry & { icon: LucideIcon } => screen.icon !== undefined,
)

/** Where each action is, and what it takes: the screen offers it, or is where it begins. */
export const ACTIONS = ALL_SCREENS.flatMap(({ to, actions = {} }) =>
  Object.entries(actions).map(([name, permission]) => ({
    name: name as ActionName,
    to,
    permission: permission as StaffPermission,
  })),
)
