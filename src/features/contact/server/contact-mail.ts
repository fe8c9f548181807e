import { type MailShop, type NewMail, composeMail } from '#features/mails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import type { ContactMessage } from '../contact.contract.ts'

/**
 * A message as a mail to the shop, in the language it was written in; an answer to it goes to the sender.
 * @param id of the message, unique
 */
export function contactMail(
  shop: MailShop,
  { id, language, message }: { id: string; language: Language; message: ContactMessage },
): NewMail {
  const { user_name: name, user_email: email, message: words } = message
  const letter = composeMail(shop, {
    language,
    subject: translate(language, 'mail.contact.subject', { name }),
    preview: words.slice(0, 120),
    title: translate(language, 'mail.contact.title'),
    blocks: [
      {
        kind: 'facts',
        facts: [
          { name: translate(language, 'mail.contact.name'), text: name },
          { name: translate(language, 'mail.contact.email'), text: email },
        ],
      },
      { kind: 'quote', text: words },
      { kind: 'note', text: translate(language, 'mail.contact.answer') },
    ],
  })
  return { key: `contact:${id}`, kind: 'contact', to: shop.contactEmail, replyTo: email, language, ...letter }
}
