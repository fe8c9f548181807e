import { useRouteLoaderData } from 'react-router'
import type { Language } from '#shared/languages.ts'
import type { PublicSettings } from '#shared/public-settings.ts'

/** What every page knows before it loads anything: rendered by the server, the same for the life of the document. */
export interface Shell {
  language: Language
  settings: PublicSettings
  /** Remembered in the cookie `sidebar_state` (spec section 9); the server renders it right at once. */
  sidebar: 'expanded' | 'collapsed'
  /** The server's time when it rendered, milliseconds since the epoch: countdowns start from it. */
  renderedAt: number
}

/** The shell of this page. Works in every component below the root, on the server too. */
export function useShell(): Shell {
  const shell = useRouteLoaderData<Shell>('root')
  if (!shell) throw new Error('the shell is read outside of the page')
  return shell
}

export const useSettings = (): PublicSettings => useShell().settings
