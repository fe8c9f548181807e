import { randomUUID } from 'node:crypto'
import { type MailShop, type NewMail, SECRET_LINK, composeMail } from '#features/mails/server/index.ts'
import { formatDateTime } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { greetingName } from '../accounts.rules.ts'
import type { Addressee } from './accounts.repository.ts'
import { RESET_MINUTES } from './password-resets.repository.ts'

/** Pages that the letters lead to, as paths that show them in the letter's language wherever it is read. */
export interface LetterPages {
  offers: (language: Language) => string
  /** Where a forgotten password is set anew; the token follows as the fragment, which no server is sent. */
  resetPassword: (language: Language) => string
}

/** What letters about accounts say of the shop. */
export interface AccountLetterShop extends MailShop {
  timeZone: string
}

export type AccountLetters = ReturnType<typeof accountLetters>

/** How a mail begins. */
export function greeting(language: Language, username: string): string {
  const name = greetingName(username)
  return name === undefined
    ? translate(language, 'mail.helloUnnamed')
    : translate(language, 'mail.hello', { name })
}

/** The mails about an account, in its language. */
export function accountLetters(shop: AccountLetterShop, pages: LetterPages) {
  return {
    /** After a registration. */
    welcome({ id, username, email, language }: Addressee): NewMail {
      const letter = composeMail(shop, {
        language,
        subject: translate(language, 'mail.welcome.subject', { brand: shop.brand }),
        preview: translate(language, 'mail.welcome.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: translate(language, 'mail.welcome.text') },
          {
            kind: 'button',
            label: translate(language, 'mail.welcome.offers'),
            url: shop.publicUrl + pages.offers(language),
          },
          { kind: 'note', text: translate(language, 'mail.welcome.login', { email }) },
          { kind: 'note', text: translate(language, 'mail.welcome.notYou') },
        ],
      })
      return { key: `welcome:${id}`, kind: 'welcome', to: email, language, ...letter }
    },

    /**
     * A link to set a forgotten password anew, in the language of who asked.
     * @param resetId which link; the link itself is made when the mail is sent
     */
    passwordReset({ username, email }: Addressee, language: Language, resetId: string): NewMail {
      const letter = composeMail(shop, {
        language,
        subject: translate(language, 'mail.reset.subject'),
        preview: translate(language, 'mail.reset.preview', { minutes: RESET_MINUTES }),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: translate(language, 'mail.reset.text', { email }) },
          { kind: 'button', label: translate(language, 'mail.reset.choose'), url: SECRET_LINK },
          { kind: 'note', text: translate(language, 'mail.reset.once', { minutes: RESET_MINUTES }) },
          { kind: 'note', text: translate(language, 'mail.reset.notYou') },
        ],
      })
      return {
        key: `password-reset:${resetId}`,
        kind: 'password-reset',
        to: email,
        language,
        secretLink: { kind: 'password-reset', ref: resetId },
        usefulMinutes: RESET_MINUTES,
        ...letter,
      }
    },

    /**
     * To the address that an account had: whoever holds a stolen token must not be able to take the account over
     * unseen. It does not name the new address, since the former one may have become somebody else's.
     * @param at when it was changed
     */
    emailChanged({ id, username, email, language }: Addressee, at: Date): NewMail {
      const letter = composeMail(shop, {
        language,
        subject: translate(language, 'mail.emailChanged.subject'),
        preview: translate(language, 'mail.emailChanged.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          {
            kind: 'text',
            text: translate(language, 'mail.emailChanged.text', {
              brand: shop.brand,
              email,
              date: formatDateTime(at, shop.timeZone),
            }),
          },
          {
            kind: 'text',
            text: translate(language, 'mail.emailChanged.notYou', { contact: shop.contactEmail }),
          },
          { kind: 'note', text: translate(language, 'mail.emailChanged.sessions') },
        ],
      })
      const key = `email-changed:${id}:${randomUUID()}`
      return { key, kind: 'email-changed', to: email, language, ...letter }
    },

    /** The link of the letter for a forgotten password. */
    resetLink: (token: string, language: Language): string =>
      `${shop.publicUrl}${pages.resetPassword(language)}#${token}`,
  }
}
