import type { ReactNode } from 'react'
import { useServerNow } from '#client/server-clock.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import type { Message } from '../staff-messages.contract.ts'

const MINUTE = 60_000
/** From here on an open message is urgent. */
const SOON_MS = 4 * 60 * MINUTE

/** How long an open message still may wait, minute by minute; the state of another one. */
export function MessageClock({ message }: { message: Pick<Message, 'state' | 'due_at'> }): ReactNode {
  const t = useTranslations('consoleMessages')
  const now = useServerNow(MINUTE)
  if (message.state !== 'open') return <Badge>{t(`states.${message.state}`)}</Badge>
  const left = Date.parse(message.due_at) - now
  const minutes = Math.floor(Math.abs(left) / MINUTE)
  const values = { hours: Math.floor(minutes / 60), minutes: minutes % 60 }
  if (left <= 0) return <Badge tone="error">{t('clock.late', values)}</Badge>
  return <Badge tone={left < SOON_MS ? 'warning' : 'success'}>{t('clock.left', values)}</Badge>
}
