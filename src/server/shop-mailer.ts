import type { FastifyBaseLogger } from 'fastify'
import { canonicalPath, paths } from '#client/paths.ts'
import { accountsEmailMakers } from '#features/accounts/server/index.ts'
import { drawsEmailMakers } from '#features/draws/server/index.ts'
import {
  type EmailMakers,
  type MailServer,
  joinMakers,
  mailboxRoutes,
  mailer,
} from '#features/emails/server/index.ts'
import { favouritesEmailMakers } from '#features/favourites/server/index.ts'
import { type PostalDeps, postalEmails } from '#features/postal/server/index.ts'
import { ordersEmailMakers } from '#features/purchase/orders/server/index.ts'
import { reportsEmailMakers } from '#features/reports/server/index.ts'
import { ticketsEmailMakers } from '#features/tickets/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import type { Config } from './config.ts'

interface Parts extends SecretKeys {
  config: Config
  db: Database
  log: FastifyBaseLogger
}

/** What emails and letters say of the shop, with the pages that they link to. */
export function letterhead(config: Config) {
  const page =
    (path: string) =>
    (language: Language): string =>
      config.publicUrl + canonicalPath(path, language)
  return {
    ...config,
    provider: PROVIDER_NAME,
    offersUrl: page(paths.offers()),
    resetPasswordUrl: page(paths.resetPassword()),
    emailLinkUrl: page(paths.emailLink()),
    participationsUrl: page(paths.participations()),
    rulesUrl: page(paths.terms()),
    claimUrl: page(paths.claim()),
    unsubscribeUrl: (token: string, language: Language): string =>
      page(`${paths.unsubscribe()}?token=${token}`)(language),
    drawUrl: (slug: string, language: Language): string => page(`/draws/${slug}`)(language),
    /** @param order the provider's id */
    finishUrl: (order: string, language: Language): string =>
      page(paths.cart({ unfinished: order }))(language),
  }
}

/** For the routes of the post desk. */
export const shopPost = ({
  db,
  config,
  clock = systemClock,
}: Pick<Parts, 'db' | 'config'> & { clock?: Clock }): PostalDeps => ({
  db,
  clock,
  timeZone: config.timeZone,
  emails: postalEmails(letterhead(config)),
})

/** What slices make of an email when it is sent or shown, which they declare in `server/emails.ts`. */
export const EMAIL_MAKERS = [
  accountsEmailMakers,
  ordersEmailMakers,
  drawsEmailMakers,
  favouritesEmailMakers,
  ticketsEmailMakers,
  reportsEmailMakers,
]

const emailMakers = ({ config, ...parts }: Parts): EmailMakers => {
  const deps = { ...parts, shop: letterhead(config) }
  return joinMakers(
    config.publicUrl,
    EMAIL_MAKERS.map((makersOf) => makersOf(deps)),
  )
}

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
