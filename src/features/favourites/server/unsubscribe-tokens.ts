import { createHmac } from 'node:crypto'
import { type SecretKeys, isSame, keysFor } from '#platform/keyed-hashes.ts'
import { REMINDER_KINDS, type ReminderKind } from '../favourites.contract.ts'

/** The reminder that a link came with. */
export interface TokenSubject {
  userId: number
  offerId: number
  kind: ReminderKind
}

const WELL_FORMED = new RegExp(String.raw`^(\d{1,15})\.(\d{1,10})\.(${REMINDER_KINDS.join('|')})\.[\w-]{43}$`)

/** Tokens of the links that end reminders. None is stored, and none expires: an old email must end them as well. */
export function unsubscribeTokens(keys: SecretKeys) {
  const signs = keysFor(keys, 'volant unsubscribe').map(
    (key) => (text: string) => createHmac('sha256', key).update(text).digest('base64url'),
  )
  const [sign] = signs as [(text: string) => string]
  const textOf = ({ userId, offerId, kind }: TokenSubject): string => `${userId}.${offerId}.${kind}`
  return {
    of: (subject: TokenSubject): string => `${textOf(subject)}.${sign(textOf(subject))}`,

    /** @returns undefined for a token that no key of the shop made */
    read(token: string): TokenSubject | undefined {
      const [, userId, offerId, kind] = WELL_FORMED.exec(token) ?? []
      if (kind === undefined) return undefined
      const subject = { userId: Number(userId), offerId: Number(offerId), kind: kind as ReminderKind }
      const text = textOf(subject)
      return signs.some((one) => isSame(`${text}.${one(text)}`, token)) ? subject : undefined
    },
  }
}

export type UnsubscribeTokens = ReturnType<typeof unsubscribeTokens>
