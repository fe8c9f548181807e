import { MENU_TITLES, type MenuEntry } from './menu-entries.ts'

export interface Crumb {
  path: string
  /** Title from the menu, where it names this path. */
  label?: MenuEntry['label']
  /** Otherwise the decoded segment, capitalised. */
  text: string
  /** Whether a page stands at this path; a group of the menu has none. */
  isPage: boolean
}

/** A group of the menu is no page, but its segment has a title. */
const GROUPS: ReadonlyMap<string, MenuEntry['label']> = new Map([['/profile', 'frame.menu.profile']])

/** The parts of a path after home (spec section 2: title from the menu, otherwise the decoded segment capitalised). */
export function crumbsOf(pathname: string): Crumb[] {
  const segments = pathname.split('/').filter(Boolean)
  return segments.map((segment, index) => {
    const path = `/${segments.slice(0, index + 1).join('/')}`
    const page = MENU_TITLES.get(path)
    const label = page ?? GROUPS.get(path)
    return { path, text: capitalised(decoded(segment)), isPage: page !== undefined, ...(label && { label }) }
  })
}

const capitalised = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1).replaceAll('-', ' ')

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
