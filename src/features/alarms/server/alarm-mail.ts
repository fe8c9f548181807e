import { type MailShop, type NewMail, composeMail } from '#features/mails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import type { Matter } from './alarms.repository.ts'

const LONGEST = 500

/** The mail to whoever looks after the shop, in its default language. */
export function alarmMail(
  shop: MailShop,
  to: string,
  { id, kind, subject, details = {} }: Matter & { id: number },
): NewMail {
  const language = DEFAULT_LANGUAGE
  const title = translate(language, `mail.alarm.kind.${kind}`)
  const rows = Object.entries(subject === '' ? details : { subject, ...details })
  const letter = composeMail(shop, {
    language,
    subject: translate(language, 'mail.alarm.subject', { brand: shop.brand, title }),
    preview: title,
    title,
    blocks: [
      { kind: 'text', text: translate(language, 'mail.alarm.text') },
      { kind: 'facts', facts: rows.map(([name, value]) => ({ name, text: said(value) })) },
      { kind: 'note', text: translate(language, 'mail.alarm.once') },
    ],
  })
  return { key: `alarm:${id}`, kind: 'alarm', to, language, ...letter }
}

const said = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST)
