import { translate } from '#i18n/server-translator.ts'
import type { Frame, Letter, MailShop } from './letter.ts'
import { letterHtml } from './letter-html.ts'
import { letterText } from './letter-text.ts'

/** Writes a letter as text and as HTML in the shop's one layout, ready for `queueMail`. */
export function composeMail(shop: MailShop, letter: Letter): { subject: string; text: string; html: string } {
  const { language, subject, preview, title = subject, blocks } = letter
  const footer = translate(language, 'mail.footer', { brand: shop.brand, email: shop.contactEmail })
  const frame: Frame = { ...shop, language, subject, preview, title, footer }
  return { subject, text: letterText(frame, blocks), html: letterHtml(frame, blocks) }
}
