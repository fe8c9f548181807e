import { type AccountState, greeting } from '#features/accounts/server/index.ts'
import { type Block, type EmailShop, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { SuspensionReason } from '../customers.rules.ts'

type Addressee = Pick<AccountState, 'id' | 'username' | 'email' | 'language'>

interface Written {
  key: string
  kind: 'account-suspended' | 'account-restored' | 'account-closed'
  /** Of `emails`, for the subject and the sentences. */
  name: 'suspended' | 'restored' | 'accountClosed'
  paragraphs: readonly string[]
}

function write(shop: EmailShop, to: Addressee, { key, kind, name, paragraphs }: Written): NewEmail {
  const { id, username, email, language } = to
  const blocks: Block[] = [greeting(language, username), ...paragraphs].map((text) => ({
    kind: 'text',
    text,
  }))
  const content = composeEmail(shop, {
    language,
    subject: translate(language, `emails.${name}.subject`, { brand: shop.brand }),
    preview: paragraphs[0] ?? '',
    blocks,
  })
  return { key, kind, to: email, userId: id, replyTo: shop.contactEmail, language, ...content }
}

const say = (shop: EmailShop, { language }: Addressee, name: string): string =>
  translate(language, `emails.${name}`, { brand: shop.brand, contact: shop.contactEmail })

/** The rules promise the reason, and that somebody reads the reply. @param ref of this suspension */
export const suspendedEmail = (
  shop: EmailShop,
  to: Addressee,
  { reason, message, ref }: { reason: SuspensionReason; message: string | undefined; ref: string },
): NewEmail =>
  write(shop, to, {
    key: `account-suspended:${ref}`,
    kind: 'account-suspended',
    name: 'suspended',
    paragraphs: [
      say(shop, to, 'suspended.text'),
      ...(reason === 'other' ? [] : [say(shop, to, `suspended.reason.${reason}`)]),
      ...(message ? [message] : []),
      say(shop, to, 'suspended.tickets'),
      say(shop, to, 'suspended.reply'),
    ],
  })

export const restoredEmail = (shop: EmailShop, to: Addressee, ref: string): NewEmail =>
  write(shop, to, {
    key: `account-restored:${ref}`,
    kind: 'account-restored',
    name: 'restored',
    paragraphs: [say(shop, to, 'restored.text')],
  })

/** To the address that the account had until this moment. */
export const closedEmail = (shop: EmailShop, to: Addressee): NewEmail =>
  write(shop, to, {
    key: `account-closed:${to.id}`,
    kind: 'account-closed',
    name: 'accountClosed',
    paragraphs: ['text', 'kept', 'notYou'].map((part) => say(shop, to, `accountClosed.${part}`)),
  })
