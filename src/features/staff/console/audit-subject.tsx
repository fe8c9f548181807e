import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useAuditWords } from './staff-words.ts'

/** Screens of the subjects that have one. */
const SCREENS: Readonly<Record<string, string>> = {
  offer: '/offers/',
  order: '/orders/',
  customer: '/customers/',
  message: '/messages/',
  postalEntry: '/post/entries/',
}

/** What an entry of the audit log is about, with the way to it. */
export function AuditSubjectLink({
  kind,
  subject,
  name = null,
}: {
  kind: string | null
  subject: string | null
  /** What people call it. */
  name?: string | null
}): ReactNode {
  const { subjectOf: nameOf } = useAuditWords()
  if (kind === null || subject === null) return '–'
  const screen = SCREENS[kind]
  const text = `${nameOf(kind)} ${name ?? subject}`
  // A contest may be named by its address, and several records by a list.
  if (screen === undefined || !(kind === 'offer' ? /^\d+$/ : /^[\w-]+$/).test(subject)) return text
  return (
    <Link to={screen + subject} className="prose-link inline-block py-1.5">
      {text}
    </Link>
  )
}
