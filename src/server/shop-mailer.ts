import type { FastifyBaseLogger } from 'fastify'
import { canonicalPath, paths } from '#client/paths.ts'
import { accountLetters, resetTokens, sendPasswordResets } from '#features/accounts/server/index.ts'
import { orderEmails, writtenReceipt } from '#features/orders/server/index.ts'
import { mailboxRoutes, mailer } from '#features/mails/server/index.ts'
import { orderTicketsFile } from '#features/tickets/server/index.ts'
import type { Database } from '#platform/database.ts'
import { PAYPAL } from '#platform/payment/paypal/paypal-provider.ts'
import type { Language } from '#shared/languages.ts'
import type { Config } from './config.ts'
import { resetLinks } from './limits.ts'

interface Parts {
  config: Config
  /** Key of the reset links. */
  secret: string
  db: Database
  log: FastifyBaseLogger
}

/** The mails about accounts. */
export const shopLetters = (config: Config) =>
  accountLetters(config, {
    offers: (language) => canonicalPath(paths.offers(), language),
    resetPassword: (language) => canonicalPath(paths.resetPassword(), language),
  })

/** The mails about orders. */
export const shopOrderEmails = (config: Config) =>
  orderEmails(config, PAYPAL, (language) => canonicalPath(paths.participations(), language))

/** What the shop's mails only refer to, and who makes it when they are sent or looked at. */
const mailMakers = ({ config, db, secret }: Parts) => ({
  letters: {
    receipt: (orderId: string) => writtenReceipt(db, shopOrderEmails(config), orderId),
  },
  attachments: {
    'order-tickets': (orderId: string, language: Language) => orderTicketsFile(db, orderId, language, config),
  },
  links: {
    'password-reset': (resetId: string, language: Language) =>
      shopLetters(config).resetLink(resetTokens(secret).of(resetId), language),
  },
})

const mailSender = ({ brand, mailFrom, contactEmail }: Config) => ({
  name: brand,
  address: mailFrom,
  replyTo: contactEmail,
})

/** What sends the shop's mails. */
export const shopMailer = (parts: Parts) =>
  mailer({
    db: parts.db,
    log: parts.log,
    smtpUrl: parts.config.smtpUrl,
    sender: mailSender(parts.config),
    makers: mailMakers(parts),
  })

/** The mailbox that shows what a demonstration without a mail server keeps. */
export const shopMailbox = (parts: Parts) =>
  mailboxRoutes({ db: parts.db, sender: mailSender(parts.config), makers: mailMakers(parts) })

/** Background work: links for those who have forgotten their password. */
export const shopPasswordResets = ({ config, db, secret }: Parts) =>
  sendPasswordResets({
    db,
    letters: shopLetters(config),
    resetTokens: resetTokens(secret),
    perAccount: resetLinks(config),
  })
