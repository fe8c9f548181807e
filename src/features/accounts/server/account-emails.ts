import { randomUUID } from 'node:crypto'
import { type EmailShop, type NewEmail, SECRET_LINK, composeEmail } from '#features/emails/server/index.ts'
import { formatDateTime } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { greetingName } from '../accounts.rules.ts'
import type { Addressee } from './accounts.repository.ts'
import { RESET_MINUTES } from './password-resets.repository.ts'

/** Pages that the emails link to, as paths that show them in the email's language wherever it is read. */
export interface EmailPages {
  offers: (language: Language) => string
  /** Where a forgotten password is set anew; the token follows as the fragment, which no server is sent. */
  resetPassword: (language: Language) => string
}

/** What emails about accounts say of the shop. */
export interface AccountEmailShop extends EmailShop {
  timeZone: string
}

export type AccountEmails = ReturnType<typeof accountEmails>

/** How a mail begins. */
export function greeting(language: Language, username: string): string {
  const name = greetingName(username)
  return name === undefined
    ? translate(language, 'emails.helloUnnamed')
    : translate(language, 'emails.hello', { name })
}

/** The emails about an account, in its language. */
export function accountEmails(shop: AccountEmailShop, pages: EmailPages) {
  return {
    /** After a registration. */
    welcome({ id, username, email, language }: Addressee): NewEmail {
      const content = composeEmail(shop, {
        language,
        subject: translate(language, 'emails.welcome.subject', { brand: shop.brand }),
        preview: translate(language, 'emails.welcome.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: translate(language, 'emails.welcome.text') },
          {
            kind: 'button',
            label: translate(language, 'emails.welcome.offers'),
            url: shop.publicUrl + pages.offers(language),
          },
          { kind: 'note', text: translate(language, 'emails.welcome.login', { email }) },
          { kind: 'note', text: translate(language, 'emails.welcome.notYou') },
        ],
      })
      return { key: `welcome:${id}`, kind: 'welcome', to: email, language, ...content }
    },

    /**
     * A link to set a forgotten password anew, in the language of who asked.
     * @param resetId which link; the link itself is made when the mail is sent
     */
    passwordReset({ username, email }: Addressee, language: Language, resetId: string): NewEmail {
      const content = composeEmail(shop, {
        language,
        subject: translate(language, 'emails.reset.subject'),
        preview: translate(language, 'emails.reset.preview', { minutes: RESET_MINUTES }),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: translate(language, 'emails.reset.text', { email }) },
          { kind: 'button', label: translate(language, 'emails.reset.choose'), url: SECRET_LINK },
          { kind: 'note', text: translate(language, 'emails.reset.once', { minutes: RESET_MINUTES }) },
          { kind: 'note', text: translate(language, 'emails.reset.notYou') },
        ],
      })
      return {
        key: `password-reset:${resetId}`,
        kind: 'password-reset',
        to: email,
        language,
        secretLink: { kind: 'password-reset', ref: resetId },
        usefulMinutes: RESET_MINUTES,
        ...content,
      }
    },

    /**
     * To the address that an account had: whoever holds a stolen token must not be able to take the account over
     * unseen. It does not name the new address, since the former one may have become somebody else's.
     * @param at when it was changed
     */
    emailChanged({ id, username, email, language }: Addressee, at: Date): NewEmail {
      const content = composeEmail(shop, {
        language,
        subject: translate(language, 'emails.emailChanged.subject'),
        preview: translate(language, 'emails.emailChanged.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          {
            kind: 'text',
            text: translate(language, 'emails.emailChanged.text', {
              brand: shop.brand,
              email,
              date: formatDateTime(at, shop.timeZone),
            }),
          },
          {
            kind: 'text',
            text: translate(language, 'emails.emailChanged.notYou', { contact: shop.contactEmail }),
          },
          { kind: 'note', text: translate(language, 'emails.emailChanged.sessions') },
        ],
      })
      const key = `email-changed:${id}:${randomUUID()}`
      return { key, kind: 'email-changed', to: email, language, ...content }
    },

    /** The link of the email for a forgotten password. */
    resetLink: (token: string, language: Language): string =>
      `${shop.publicUrl}${pages.resetPassword(language)}#${token}`,
  }
}
