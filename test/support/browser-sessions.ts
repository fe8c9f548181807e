import { vi } from 'vitest'
import type { Transport } from '#client/api-call.ts'
import { turnsOfOneTab } from '#client/renewal-turns.ts'
import { type SessionEvent, createSession } from '#client/session.ts'
import { memoryStorage } from '#client/browser-parts.ts'

export const NOW = Date.UTC(2026, 0, 1)
export const token = (expiresInS: number, name = ''): string =>
  `x.${btoa(JSON.stringify({ exp: NOW / 1000 + expiresInS, name })).replaceAll('=', '')}.y`

/** The API's refusal of a refresh token. */
export const refusal = (status: number): Response =>
  Response.json(
    status === 400
      ? { code: 'request.invalid', detail: 'Too long', fields: { refresh: ['Too long'] } }
      : { code: 'auth.tokenInvalid', detail: 'Please log in again.' },
    { status },
  )

/** The API's refusal of an access token. */
export const EXPIRED = {
  status: 401,
  code: 'auth.tokenExpired',
  message: 'Please log in again.',
  network: false,
}

/** A response of a proxy or another program in place of the API. */
export const page = (status: number): Response => new Response('<html>Sorry</html>', { status })

interface BrowserOptions {
  respond?: () => Response | Promise<Response>
  tabs?: number
  /** False for tabs without a shared lock. */
  locks?: boolean
}

/** A browser with tabs that share storage and lock, each with a session. */
export function browser(options: BrowserOptions = {}) {
  const storage = memoryStorage()
  const transport = vi.fn<Transport>(
    async () => await (options.respond ?? (() => Response.json({ access: token(300, 'renewed') })))(),
  )
  const turns = turnsOfOneTab()
  if (options.locks === false) turns.exclusively = (work) => work()
  const announceEnd = vi.fn<() => void>()
  const events: SessionEvent[] = []
  const sessions = Array.from({ length: options.tabs ?? 1 }, () => {
    const session = createSession({
      storage,
      transport,
      texts: { network: 'no network', unexpected: '' },
      turns,
      announceEnd,
      now: () => NOW,
    })
    session.subscribe((event) => events.push(event))
    return session
  })
  return { storage, transport, announceEnd, events, sessions, session: sessions[0]! }
}

export const signIn = (
  { storage, sessions, events }: ReturnType<typeof browser>,
  access = token(300),
): void => {
  storage.setItem('access', access)
  storage.setItem('refresh', 'refresh-1')
  sessions.forEach((session) => session.syncFromOtherTab())
  events.length = 0
}
