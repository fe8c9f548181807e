import { createContext, use } from 'react'
import { useMatches, useRouteLoaderData } from 'react-router'
import type { PublicSettings } from '#shared/public-settings.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'
import type { StaffSession } from '#shared/staff-session.ts'
import type { ScreenDeclaration } from './screen-declaration.ts'

export const ConsoleSettings = createContext<PublicSettings | undefined>(undefined)

/** The public settings of the shop: its name, its time zone, and whether it is a demonstration. */
export function useSettings(): PublicSettings {
  const settings = use(ConsoleSettings)
  if (!settings) throw new Error('settings are asked for outside of the console')
  return settings
}

/** Id of the route whose loader has the session. */
export const SIGNED_IN = 'signed-in'

/** Whose session it is; every screen but the sign-in has one. */
export function useSession(): StaffSession {
  const session = useRouteLoaderData(SIGNED_IN) as StaffSession | undefined
  if (!session) throw new Error('the session is asked for outside of a screen')
  return session
}

/** Whether the role may do something: buttons that it may not are not shown; the server refuses anyway. */
export function useMay(): (permission: StaffPermission) => boolean {
  const { permissions } = useSession()
  return (permission) => permissions.includes(permission)
}

/** What the open screen declares; undefined for an address without one. */
export const useDeclaration = (): ScreenDeclaration | undefined =>
  useMatches().at(-1)?.handle as ScreenDeclaration | undefined
