import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { LoaderFunctionArgs } from 'react-router'
import type { Messages } from '#i18n/keys.ts'
import type { ScreenCatalogue } from '#i18n/namespaces.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'
import type { ActionName } from './screen-actions.ts'

/** The file of a screen. Its loader is given its last response when nobody asked, and may keep parts of it. */
export interface ScreenModule {
  Component: ComponentType
  loader?(this: void, args: LoaderFunctionArgs, kept?: unknown): unknown
}

/** How a screen keeps up with what happens: a list asks for more than a record, a report for sums over many orders. */
export type FollowKind = 'record' | 'list' | 'report'

interface AnyScreen {
  /** Below /admin. */
  path: `/${string}`
  /** Who may open it. */
  permission: StaffPermission
  load: () => Promise<ScreenModule>
  /** Texts beside those that every screen has. */
  catalogues?: readonly ScreenCatalogue[]
  /** False with the reason beside it. */
  follows: FollowKind | false
  /** It asks by itself before it is left; the router has one question at a time. */
  asksBeforeLeaving?: true
}

/** A screen of a record, which the search finds. */
export interface RecordScreen extends AnyScreen {
  path: `/${string}/:id`
}

/** A screen that the menu or the palette offers. */
export interface OfferedScreen extends AnyScreen {
  /** Its words are `console.nav`. */
  name: keyof Messages['console']['nav']
  /** Its place among all screens in menu and palette: the smallest comes first. */
  place: number
  /** Of those in the menu. */
  icon?: LucideIcon
  /** What the palette can ask of it from anywhere, with who may: the screen offers it, or begins with it. */
  actions?: Partial<Record<ActionName, StaffPermission>>
}

/** All that the console knows of one screen: menu, palette, routes and rights come from it. */
export type ScreenDeclaration = RecordScreen | OfferedScreen
