import { useRouteLoaderData } from 'react-router'
import type { NamedCountry } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import type { PublicSettings } from '#shared/public-settings.ts'

/** Rendered by the server, and constant for the life of the document. */
export interface Shell {
  language: Language
  settings: PublicSettings
  /** Where tickets are sold, sorted by name: a browser that makes the names itself needs 6 to 14 ms for the first one. */
  countries: readonly NamedCountry[]
  /** From the cookie `sidebar_state` (spec section 9); `auto` without it: icons for visitors, expanded for customers. */
  sidebar: 'expanded' | 'collapsed' | 'auto'
  /** Milliseconds since the epoch by the database's clock. */
  renderedAt: number
}

/** The shell of this page, on the server too. */
export function useShell(): Shell {
  const shell = useRouteLoaderData<Shell>('root')
  if (!shell) throw new Error('the shell is read outside of the page')
  return shell
}

export const useSettings = (): PublicSettings => useShell().settings
