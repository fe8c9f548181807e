import type { FastifyBaseLogger } from 'fastify'
import { canonicalPath, paths } from '#client/paths.ts'
import {
  accountEmails,
  emailLinkTokens,
  resetTokens,
  sendPasswordResets,
} from '#features/accounts/server/index.ts'
import {
  type DrawEmailShop,
  checkpointMailFile,
  claimTokens,
  writeClaimEmail,
  writeStepEmail,
  writeDrawEmail,
} from '#features/draws/server/index.ts'
import {
  awaitsLog,
  isStillUnfinished,
  loadAndRenderReceipt,
  receiptEmails,
  refundEmails,
  writeUnfinishedEmail,
} from '#features/purchase/orders/server/index.ts'
import { type MailServer, mailboxRoutes, mailer } from '#features/emails/server/index.ts'
import { type PostalDeps, postalEmails } from '#features/postal/server/index.ts'
import { salesFile } from '#features/reports/server/index.ts'
import { orderTicketsFile } from '#features/tickets/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { securityLog } from '#platform/security-log.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import type { Config } from './config.ts'
import { resetLinks } from './limits.ts'

interface Parts extends SecretKeys {
  config: Config
  db: Database
  log: FastifyBaseLogger
}

export const shopAccountEmails = (config: Config) =>
  accountEmails(config, {
    offers: (language) => canonicalPath(paths.offers(), language),
    resetPassword: (language) => canonicalPath(paths.resetPassword(), language),
    emailLink: (language) => canonicalPath(paths.emailLink(), language),
  })

export const shopOrderEmails = (config: Config) => ({
  ...receiptEmails(config, PROVIDER_NAME, (language) => canonicalPath(paths.participations(), language)),
  ...refundEmails(config, PROVIDER_NAME),
})

/** For the routes and the jobs of the post desk. */
export const shopPost = ({
  db,
  config,
  clock = systemClock,
}: Pick<Parts, 'db' | 'config'> & { clock?: Clock }): PostalDeps => ({
  db,
  clock,
  timeZone: config.timeZone,
  emails: postalEmails(postalShop(config)),
})

/** What letters and emails to posters say of the shop. */
export const postalShop = (config: Config) => ({
  ...config,
  rulesUrl: (language: Language): string => config.publicUrl + canonicalPath(paths.terms(), language),
})

/** What the letter to a winner says of the shop. */
export const winnerShop = (config: Config) => ({
  ...postalShop(config),
  claimUrl: (language: Language): string => config.publicUrl + canonicalPath(paths.claim(), language),
})

const drawEmailShop = (config: Config): DrawEmailShop => ({
  ...config,
  drawUrl: (slug, language) => config.publicUrl + canonicalPath(`/draws/${slug}`, language),
  participationsUrl: (language) => config.publicUrl + canonicalPath(paths.participations(), language),
})

/** Makes the referenced parts of stored emails when they are sent or shown. */
const emailMakers = ({ config, db, secret, previousSecret }: Parts) => ({
  publicUrl: config.publicUrl,
  bodies: {
    receipt: (orderId: string) => loadAndRenderReceipt(db, shopOrderEmails(config), orderId),
    'unfinished-payment': writeUnfinishedEmail(db, {
      ...config,
      provider: PROVIDER_NAME,
      finishUrl: (order, language) =>
        config.publicUrl + canonicalPath(paths.cart({ unfinished: order }), language),
    }),
    'draw-sealed': writeDrawEmail(db, drawEmailShop(config), 'sealed'),
    'draw-result': writeDrawEmail(db, drawEmailShop(config), 'result'),
    'draw-won': writeClaimEmail(db, drawEmailShop(config), 'won'),
    'draw-reminder': writeClaimEmail(db, drawEmailShop(config), 'reminder'),
    'draw-claim-step': writeStepEmail(db, drawEmailShop(config)),
  },
  waits: { receipt: (orderId: string) => awaitsLog(db, orderId) },
  isNeeded: { 'unfinished-payment': (orderId: string) => isStillUnfinished(db, orderId) },
  attachments: {
    'draw-checkpoints': checkpointMailFile(db),
    'order-tickets': (orderId: string, language: Language) => orderTicketsFile(db, orderId, language, config),
    sales: (ref: string, language: Language) => salesFile(db, config.timeZone, ref, language),
  },
  links: {
    'password-reset': async (resetId: string, language: Language) =>
      shopAccountEmails(config).resetLink(
        await resetTokens(secret, previousSecret).made(db, resetId),
        language,
      ),
    'email-link': async (ref: string, language: Language) =>
      shopAccountEmails(config).emailLink(
        await emailLinkTokens(secret, previousSecret).made(db, ref),
        language,
      ),
    'draw-claim': async (ref: string, language: Language) => {
      const token = await claimTokens(secret, previousSecret).made(db, ref)
      return `${config.publicUrl}${canonicalPath(paths.claim(), language)}#${token}`
    },
  },
})

/** Write the emails whose texts are not stored. */
export const shopEmailBodies = (parts: Parts) => emailMakers(parts).bodies

const emailSender = ({ brand, mailFrom, contactEmail }: Config) => ({
  name: brand,
  address: mailFrom,
  replyTo: contactEmail,
})

/** Where emails go past the outbox; undefined where none is sent. */
export const shopMailServer = (config: Config): MailServer | undefined =>
  config.smtpUrl === undefined
    ? undefined
    : { url: config.smtpUrl, sender: emailSender(config), requireTls: !config.demo }

export const shopMailer = (parts: Parts) =>
  mailer({
    db: parts.db,
    log: parts.log,
    smtpUrl: parts.config.smtpUrl,
    requireTls: !parts.config.demo,
    sender: emailSender(parts.config),
    makers: emailMakers(parts),
  })

/** For a demonstration without a mail server. */
export const shopMailbox = (parts: Parts) =>
  mailboxRoutes({ db: parts.db, sender: emailSender(parts.config), makers: emailMakers(parts) })

export async function shopPasswordResets({ config, db, secret, log }: Parts): Promise<void> {
  const security = securityLog({ db, secret, log })
  const emails = shopAccountEmails(config)
  await sendPasswordResets({
    db,
    emails,
    resetTokens: resetTokens(secret),
    security,
    perAccount: resetLinks(config),
  })
  await security.flush()
}
