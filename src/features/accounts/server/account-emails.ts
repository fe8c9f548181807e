import { randomUUID } from 'node:crypto'
import { type EmailShop, type NewEmail, SECRET_LINK, composeEmail } from '#features/emails/server/index.ts'
import { formatDateTime } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { greetingName } from '../accounts.rules.ts'
import type { Addressee } from './accounts.repository.ts'
import { RESET_MINUTES } from './password-resets.repository.ts'

export interface EmailPages {
  offers: (language: Language) => string
  /** The token follows as the fragment, which browsers send to no server. */
  resetPassword: (language: Language) => string
}

export interface AccountEmailShop extends EmailShop {
  timeZone: string
}

export type AccountEmails = ReturnType<typeof accountEmails>

export function greeting(language: Language, username: string): string {
  const name = greetingName(username)
  return name === undefined
    ? translate(language, 'emails.helloUnnamed')
    : translate(language, 'emails.hello', { name })
}

const translatorOf =
  (language: Language) =>
  (name: `emails.${string}`, values?: Record<string, string | number>): string =>
    translate(language, name, values)

/** The emails about an account, in its language. */
export function accountEmails(shop: AccountEmailShop, pages: EmailPages) {
  return {
    welcome({ id, username, email, language }: Addressee): NewEmail {
      const t = translatorOf(language)
      const content = composeEmail(shop, {
        language,
        subject: t('emails.welcome.subject', { brand: shop.brand }),
        preview: t('emails.welcome.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.welcome.text') },
          { kind: 'button', label: t('emails.welcome.offers'), url: shop.publicUrl + pages.offers(language) },
          { kind: 'note', text: t('emails.welcome.login', { email }) },
          { kind: 'note', text: t('emails.welcome.notYou') },
        ],
      })
      return { key: `welcome:${id}`, kind: 'welcome', to: email, language, ...content }
    },

    /** A reset link in the language of the request. The link of `resetId` is made when the email is sent. */
    passwordReset({ username, email }: Addressee, language: Language, resetId: string): NewEmail {
      const t = translatorOf(language)
      const minutes = RESET_MINUTES
      const content = composeEmail(shop, {
        language,
        subject: t('emails.reset.subject'),
        preview: t('emails.reset.preview', { minutes }),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.reset.text', { email }) },
          { kind: 'button', label: t('emails.reset.choose'), url: SECRET_LINK },
          { kind: 'note', text: t('emails.reset.once', { minutes }) },
          { kind: 'note', text: t('emails.reset.notYou') },
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
     * To the former address, so that a stolen token cannot take over an account unnoticed. It omits the new address,
     * because the former one may have another owner by now.
     */
    emailChanged({ id, username, email, language }: Addressee, at: Date): NewEmail {
      const t = translatorOf(language)
      const date = formatDateTime(at, shop.timeZone)
      const content = composeEmail(shop, {
        language,
        subject: t('emails.emailChanged.subject'),
        preview: t('emails.emailChanged.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.emailChanged.text', { brand: shop.brand, email, date }) },
          { kind: 'text', text: t('emails.emailChanged.notYou', { contact: shop.contactEmail }) },
          { kind: 'note', text: t('emails.emailChanged.sessions') },
        ],
      })
      const key = `email-changed:${id}:${randomUUID()}`
      return { key, kind: 'email-changed', to: email, language, ...content }
    },

    resetLink: (token: string, language: Language): string =>
      `${shop.publicUrl}${pages.resetPassword(language)}#${token}`,
  }
}
