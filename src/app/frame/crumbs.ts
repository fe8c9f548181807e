import { paths } from '#client/paths.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { MENU_TITLES } from './menu-entries.ts'

export interface Crumb {
  path: string
  label?: MessageKey
  /** Used without a label: the decoded segment, capitalised. */
  text: string
  /** False for a group of the menu. */
  isPage: boolean
}

const OTHERS: ReadonlyMap<string, MessageKey> = new Map([
  ['/profile', 'frame.menu.profile'],
  [paths.orders(), 'pages.orders.title'],
  [paths.sessions(), 'pages.sessions.title'],
  [paths.accessibility(), 'frame.menu.accessibility'],
  [paths.forgotPassword(), 'accounts.forgot.title'],
  [paths.resetPassword(), 'accounts.reset.title'],
  [paths.emailLink(), 'pages.emailLink.title'],
  [paths.claim(), 'pages.claim.title'],
  [paths.mailbox(), 'mailbox.title'],
  [paths.verifyDraw(), 'pages.verifyDraw.title'],
])

const EMAIL_PREFIX = paths.mailbox('')

/** The parts of a path after home (spec section 2): the menu's title, otherwise the decoded segment, capitalised. */
export function crumbsOf(pathname: string): Crumb[] {
  const segments = pathname.split('/').filter(Boolean)
  return segments.map((segment, index) => {
    const path = `/${segments.slice(0, index + 1).join('/')}`
    const page = MENU_TITLES.get(path)
    // An email's id is not a title.
    const label = page ?? OTHERS.get(path) ?? (path.startsWith(EMAIL_PREFIX) ? 'mailbox.mail' : undefined)
    return { path, text: capitalised(decoded(segment)), isPage: page !== undefined, ...(label && { label }) }
  })
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
