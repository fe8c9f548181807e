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
  [paths.winners(), 'frame.menu.winners'],
  [paths.accessibility(), 'frame.menu.accessibility'],
  [paths.forgotPassword(), 'accounts.forgot.title'],
  [paths.resetPassword(), 'accounts.reset.title'],
  [paths.emailLink(), 'pages.emailLink.title'],
  [paths.unsubscribe(), 'unsubscribe.page'],
  [paths.claim(), 'pages.claim.title'],
  [paths.mailbox(), 'mailbox.title'],
  [paths.verifyDraw(), 'pages.verifyDraw.title'],
])

const EMAIL_PREFIX = paths.mailbox('')
const LIVE = /^\/draws\/[^/]+\/live$/

/** What a page below `/offers` or `/draws` has loaded of its contest. */
export interface KnownContest {
  slug: string
  /** In the language of the page. */
  title: string
}

/**
 * The parts of a path after home (spec section 2): the menu's title, otherwise the decoded segment, capitalised. A known
 * contest has its title in the place of its slug.
 */
export function crumbsOf(pathname: string, contest?: KnownContest): Crumb[] {
  const segments = pathname.split('/').filter(Boolean)
  return segments.map((segment, index) => {
    const path = `/${segments.slice(0, index + 1).join('/')}`
    const page = MENU_TITLES.get(path)
    const label = page ?? OTHERS.get(path) ?? labelBelow(path)
    const text = decoded(segment)
    const isContest = index === 1 && text === contest?.slug
    return {
      path,
      text: isContest ? contest.title : capitalised(text),
      isPage: page !== undefined,
      ...(label && { label }),
    }
  })
}

/** An email's id is not a title, and "live" is the page of a draw. */
function labelBelow(path: string): MessageKey | undefined {
  if (path.startsWith(EMAIL_PREFIX)) return 'mailbox.mail'
  return LIVE.test(path) ? 'frame.live' : undefined
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
