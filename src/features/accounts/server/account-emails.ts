import { type EmailShop, type NewEmail, SECRET_LINK, composeEmail } from '#features/emails/server/index.ts'
import { formatDateTime } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import type { LinkPurpose } from '../accounts.contract.ts'
import { greetingName, isPlainAddress } from '../accounts.rules.ts'
import type { Addressee } from './accounts.repository.ts'
import { LINK_HOURS } from './email-links.repository.ts'
import { RESET_MINUTES } from './password-resets.repository.ts'

export interface AccountEmailShop extends EmailShop {
  timeZone: string
  offersUrl: (language: Language) => string
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

const daysOf = (purpose: LinkPurpose): number => LINK_HOURS[purpose] / 24

/** The part of an email that belongs to its link. @param ref of the link */
const linked = (purpose: LinkPurpose, ref: string) => ({
  key: `email-link:${ref}`,
  secretLink: { kind: 'email-link', ref },
  usefulMinutes: LINK_HOURS[purpose] * 60,
})

/** The part of an email that belongs to its link for a new password. */
const linkedReset = (resetId: string) => ({
  key: `password-reset:${resetId}`,
  kind: 'password-reset' as const,
  secretLink: { kind: 'password-reset', ref: resetId },
  usefulMinutes: RESET_MINUTES,
})

/** The emails about an account, in its language. A link is made from its reference when the email is sent. */
export function accountEmails(shop: AccountEmailShop) {
  const { brand } = shop

  function aboutCorrection(
    { id, email, language }: Addressee,
    key: string,
    what: 'asked' | 'done',
  ): NewEmail {
    const t = translatorOf(language)
    const content = composeEmail(shop, {
      language,
      subject: t(`emails.correction.${what}Subject`),
      preview: t('emails.correction.preview'),
      blocks: [
        { kind: 'text', text: t('emails.helloUnnamed') },
        { kind: 'text', text: t(`emails.correction.${what}`, { brand, email }) },
        { kind: 'text', text: t('emails.correction.notYou', { contact: shop.contactEmail }) },
      ],
    })
    return { key, kind: 'email-correction', to: email, userId: id, language, ...content }
  }

  /** The new address may be a stranger's: the email names nobody. @param link of the email, from `linked` */
  function toNewAddress(
    { id, language }: Addressee,
    newEmail: string,
    link: ReturnType<typeof linked>,
    texts: Record<'subject' | 'text', `emails.${string}`>,
  ): NewEmail {
    const t = translatorOf(language)
    const days = link.usefulMinutes / (24 * 60)
    const content = composeEmail(shop, {
      language,
      subject: t(texts.subject),
      preview: t('emails.link.preview', { days }),
      blocks: [
        { kind: 'text', text: t('emails.helloUnnamed') },
        { kind: 'text', text: t(texts.text, { brand, email: newEmail }) },
        { kind: 'button', label: t('emails.confirmChange.action'), url: SECRET_LINK },
        { kind: 'note', text: t('emails.link.once', { days }) },
        { kind: 'note', text: t('emails.confirmChange.notYou') },
      ],
    })
    return { kind: 'confirm-email-change', to: newEmail, userId: id, language, ...link, ...content }
  }

  return {
    welcome({ id, username, email, language }: Addressee, ref: string): NewEmail {
      const t = translatorOf(language)
      const days = daysOf('confirm')
      const content = composeEmail(shop, {
        language,
        subject: t('emails.welcome.subject', { brand: shop.brand }),
        preview: t('emails.welcome.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.welcome.text') },
          { kind: 'text', text: t('emails.welcome.confirm', { days }) },
          { kind: 'button', label: t('emails.confirmAddress.action'), url: SECRET_LINK },
          { kind: 'button', label: t('emails.welcome.offers'), url: shop.offersUrl(language) },
          { kind: 'note', text: t('emails.welcome.login', { email }) },
          { kind: 'note', text: t('emails.welcome.notYou') },
        ],
      })
      const { secretLink } = linked('confirm', ref)
      return {
        key: `welcome:${id}`,
        kind: 'welcome',
        to: email,
        userId: id,
        language,
        secretLink,
        ...content,
      }
    },

    confirmAddress({ id, username, email, language }: Addressee, ref: string): NewEmail {
      const t = translatorOf(language)
      const days = daysOf('confirm')
      const content = composeEmail(shop, {
        language,
        subject: t('emails.confirmAddress.subject'),
        preview: t('emails.link.preview', { days }),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.confirmAddress.text', { brand, email }) },
          { kind: 'button', label: t('emails.confirmAddress.action'), url: SECRET_LINK },
          { kind: 'note', text: t('emails.link.once', { days }) },
          { kind: 'note', text: t('emails.welcome.notYou') },
        ],
      })
      return {
        kind: 'confirm-email',
        to: email,
        userId: id,
        language,
        ...linked('confirm', ref),
        ...content,
      }
    },

    /** To the present address, when somebody asked for another one without the password. */
    allowChange({ id, username, email, language }: Addressee, newEmail: string, ref: string): NewEmail {
      const t = translatorOf(language)
      const days = daysOf('allow')
      const other = isPlainAddress(newEmail) ? newEmail : t('emails.allowChange.other')
      const content = composeEmail(shop, {
        language,
        subject: t('emails.allowChange.subject'),
        preview: t('emails.allowChange.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.allowChange.text', { brand, email, other }) },
          { kind: 'button', label: t('emails.allowChange.action'), url: SECRET_LINK },
          { kind: 'note', text: t('emails.link.once', { days }) },
          { kind: 'text', text: t('emails.allowChange.notYou') },
        ],
      })
      return {
        kind: 'allow-email-change',
        to: email,
        userId: id,
        language,
        ...linked('allow', ref),
        ...content,
      }
    },

    /** To the new address. */
    confirmChange: (to: Addressee, newEmail: string, ref: string): NewEmail =>
      toNewAddress(to, newEmail, linked('change', ref), {
        subject: 'emails.confirmChange.subject',
        text: 'emails.confirmChange.text',
      }),

    /** To an address that staff corrected. */
    confirmCorrection: (to: Addressee, newEmail: string, ref: string): NewEmail =>
      toNewAddress(to, newEmail, linked('correct', ref), {
        subject: 'emails.correction.confirmSubject',
        text: 'emails.correction.confirm',
      }),

    /** To the address that an account has while its correction waits. It names nobody: the address may be a stranger's. */
    correctionAsked: (to: Addressee, key: string): NewEmail => aboutCorrection(to, key, 'asked'),

    /** To an address that was corrected and that nobody had confirmed: a stranger's must bring nothing back. */
    addressCorrected: (to: Addressee, key: string): NewEmail => aboutCorrection(to, key, 'done'),

    /** A reset link in the language of the request. The link of `resetId` is made when the email is sent. */
    passwordReset({ id, username, email }: Addressee, language: Language, resetId: string): NewEmail {
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
      return { to: email, userId: id, language, ...linkedReset(resetId), ...content }
    },

    /**
     * To the former address, with the link that undoes the change. It omits the new address, because the former one may
     * have another owner by now.
     */
    emailChanged({ id, username, email, language }: Addressee, at: Date, ref: string): NewEmail {
      const t = translatorOf(language)
      const date = formatDateTime(at, shop.timeZone)
      const content = composeEmail(shop, {
        language,
        subject: t('emails.emailChanged.subject'),
        preview: t('emails.emailChanged.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.emailChanged.text', { brand, email, date }) },
          { kind: 'text', text: t('emails.emailChanged.notYou') },
          { kind: 'button', label: t('emails.emailChanged.action'), url: SECRET_LINK },
          { kind: 'note', text: t('emails.link.once', { days: daysOf('undo') }) },
          { kind: 'note', text: t('emails.emailChanged.help', { contact: shop.contactEmail }) },
        ],
      })
      return {
        kind: 'email-changed',
        to: email,
        userId: id,
        language,
        ...linked('undo', ref),
        ...content,
      }
    },

    /** To the address that an account has again, with a link for a new password. */
    changeUndone({ id, username, email, language }: Addressee, resetId: string): NewEmail {
      const t = translatorOf(language)
      const content = composeEmail(shop, {
        language,
        subject: t('emails.changeUndone.subject'),
        preview: t('emails.changeUndone.preview'),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: t('emails.changeUndone.text', { brand, email }) },
          { kind: 'button', label: t('emails.reset.choose'), url: SECRET_LINK },
          { kind: 'note', text: t('emails.changeUndone.once', { minutes: RESET_MINUTES }) },
        ],
      })
      return { to: email, userId: id, language, ...linkedReset(resetId), ...content }
    },
  }
}
