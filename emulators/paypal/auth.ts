import { createHmac, timingSafeEqual } from 'node:crypto'
import { PayPalError } from './errors.ts'
import { randomHex } from './ids.ts'

const lifetimeSeconds = 32_400

export type TokenCheck = 'ok' | 'missing' | 'invalid' | 'expired'
export type Auth = ReturnType<typeof createAuth>

const same = (left: string, right: string): boolean => {
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Bearer tokens that carry their end and a seal, so that a restart does not forget them. */
export function createAuth(clientId: string, clientSecret: string, now: () => Date) {
  const seal = (payload: string) => createHmac('sha256', clientSecret).update(payload).digest('base64url')
  const seen = new Map<string, number>()

  return {
    lifetimeSeconds,
    /** Whether an `Authorization: Basic` header holds the client's id and secret. */
    isClient(header: string | undefined): boolean {
      const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1]
      if (!encoded) return false
      return same(Buffer.from(encoded, 'base64').toString('utf8'), `${clientId}:${clientSecret}`)
    },
    issue(): string {
      const payload = `${(now().getTime() + lifetimeSeconds * 1000).toString(36)}.${randomHex(16)}`
      return `A21AA${Buffer.from(payload).toString('base64url')}.${seal(payload)}`
    },
    check(header: string | undefined): TokenCheck {
      if (!header) return 'missing'
      const known = seen.get(header)
      if (known !== undefined) return now().getTime() < known ? 'ok' : 'expired'
      const token = /^Bearer (A21AA\S+)$/i.exec(header)?.[1]
      if (!token) return 'invalid'
      const [body = '', signature = ''] = token.slice(5).split('.')
      const payload = Buffer.from(body, 'base64url').toString('utf8')
      if (!same(signature, seal(payload))) return 'invalid'
      const end = Number.parseInt(payload.split('.')[0] ?? '', 36)
      if (seen.size > 1000) seen.clear()
      seen.set(header, end)
      return now().getTime() < end ? 'ok' : 'expired'
    },
  }
}

/** PayPal answers a missing header in its long error shape, a bad token in OAuth's short one. */
export function refusalOf(check: Exclude<TokenCheck, 'ok'>): Record<string, unknown> {
  if (check === 'missing') return new PayPalError('AUTHENTICATION_FAILURE').toBody()
  const reason = check === 'expired' ? 'Access Token has expired' : 'Token signature verification failed'
  return { error: 'invalid_token', error_description: reason }
}
