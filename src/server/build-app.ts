import path from 'node:path'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import cookie from '@fastify/cookie'
import {
  accessTokens,
  accountEmails,
  accountsRoutes,
  authentication,
  createPasswords,
  exclusionsRoutes,
  staffAccountsRoutes,
  emailLinkTokens,
  resetTokens,
} from '#features/accounts/server/index.ts'
import { cartItemsOf, cartRoutes } from '#features/purchase/cart/server/index.ts'
import type { MessageTimes } from '#features/alerts/alerts.rules.ts'
import {
  type AlertSender,
  alertSearch,
  alertSender,
  alertsRoutes,
  createAlerts,
} from '#features/alerts/server/index.ts'
import { checkoutRoutes, lookUp, returnRoutes } from '#features/purchase/checkout/server/index.ts'
import {
  type OrdersBase,
  buyerOrdersRoutes,
  offersOnHold,
  ownTickets,
  orderBatches,
  orderEmails,
  orderSignatures,
  sendReceiptsAgain,
  staffOrdersRoutes,
} from '#features/purchase/orders/server/index.ts'
import {
  type NotificationDeps,
  paymentsDeps,
  staffPaymentsRoutes,
  webhookRoutes,
} from '#features/purchase/payments/server/index.ts'
import { refundApprovals, staffRefundsRoutes } from '#features/purchase/refunds/server/index.ts'
import { reportsRoutes, statementSearch, todayRoutes } from '#features/reports/server/index.ts'
import { lastCheckRoutes, systemRoutes } from '#features/system/server/index.ts'
import type { CheckName, Findings } from '#features/system/system.contract.ts'
import {
  contactRoutes,
  linkMessages,
  messageSearch,
  staffMessagesRoutes,
} from '#features/contact/server/index.ts'
import {
  hasOpenPrize,
  type DrawsDeps,
  type ForfeituresDeps,
  type LogKey,
  type ShopPolicy,
  type StampAuthority,
  awardApproval,
  claimTokens,
  claimsRoutes,
  drawFilesRoutes,
  drawsRoutes,
  forfeitApproval,
  noteCancellation,
  publishTermsOf,
  publicDrawsRoutes,
  rehearsalFilesRoutes,
  verifiersRoutes,
  staffClaimsRoutes,
  staffRehearsalsRoutes,
} from '#features/draws/server/index.ts'
import { favouritesRoutes, unsubscribeTokens } from '#features/favourites/server/index.ts'
import { ownDataRoutes, staffCustomersRoutes } from '#features/customers/server/index.ts'
import {
  type PublishTerms,
  askPictures,
  descriptionApproval,
  offerSearch,
  offersRoutes,
  staffOffersRoutes,
} from '#features/offers/server/index.ts'
import { picturesRoutes } from '#features/pictures/server/index.ts'
import { policiesRoutes } from '#features/policies/server/index.ts'
import { REGISTER_DAYS } from '#features/postal/postal.rules.ts'
import { objectionsRoutes, voidApproval } from '#features/objections/server/index.ts'
import {
  entrySearch,
  linkEntries,
  postCountRoutes,
  postalRoutes,
  winnerLettersRoutes,
  voidCardApproval,
} from '#features/postal/server/index.ts'
import {
  type ApprovalKind,
  auditRoutes,
  staffAuthentication,
  staffRoutes,
  staffSearch,
} from '#features/staff/server/index.ts'
import { waitingRoomRoutes, waitingRooms } from '#features/waiting-room/server/index.ts'
import { ticketsRoutes } from '#features/tickets/server/index.ts'
import { paths } from '#client/paths.ts'
import { type Database, type ReadDatabase, type Trx, locksOf } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { schedulerOf } from '#platform/batcher.ts'
import { beaconClient } from '#platform/beacon/beacon-client.ts'
import type { BeaconChain } from '#platform/beacon/chains.ts'
import { handleErrors } from '#platform/http/errors.ts'
import { acceptIdempotencyKeys } from '#platform/http/idempotency.ts'
import { readLanguage } from '#platform/http/request.ts'
import type { Language } from '#shared/languages.ts'
import {
  limitBodies,
  refuseExpectations,
  requireOneHost,
  strayRequests,
  unknownApiPaths,
  unknownRequests,
} from '#platform/http/stray-requests.ts'
import { readJsonBodies } from '#platform/http/json-bodies.ts'
import { closeUnread } from '#platform/http/unread-responses.ts'
import type { Who } from '#platform/limits/limit-keys.ts'
import { limiter } from '#platform/limits/limiter.ts'
import { networkHash } from '#platform/limits/network-address.ts'
import { readProofs } from '#platform/limits/proof-of-work.ts'
import { createMetrics, type Metrics } from '#platform/metrics.ts'
import type { ReadReplica } from '#platform/read-replica.ts'
import { refusalsOfRights, securityLog } from '#platform/security-log.ts'
import { withCircuitBreaker, withMetrics, withRepeatedCreation } from '#platform/payment/circuit-breaker.ts'
import { paypalClient } from '#platform/payment/paypal/paypal-client.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'
import { databaseClock } from '#platform/database-clock.ts'
import { paypalNotifications } from '#platform/payment/paypal/paypal-webhooks.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import { describeApi } from './api-document.ts'
import { type Config, paypalSettings, publicSettings, settingsInForce, shopVersion } from './config.ts'
import { examine, shopChecks, told } from './doctor/doctor.ts'
import { addressRoute } from './doctor/public-address.ts'
import type { DatabaseFault } from './database-watch.ts'
import { guardDemonstration } from './demonstration.ts'
import { jobAges, startPeriodic } from './jobs.ts'
import { shopLimits } from './limits.ts'
import { shedLoad } from './load-shedding.ts'
import { checkShopInvariants, shopInvariants } from './maintenance.ts'
import { mediaFiles } from './media.ts'
import { healthRoutes, measureResponses, metricsRoutes } from './monitoring.ts'
import { busyPage } from './pages/plain-pages.ts'
import { baseHeaders } from './pages/security-headers.ts'
import { personalDataSources } from './personal-data.ts'
import { readDatabases } from './read-databases.ts'
import { RequestLog, pathOfTarget, requestId, sendRequestIds } from './requests.ts'
import { sendServerTime } from './server-time.ts'
import { sharingPictures } from './sharing-pictures.ts'
import { siteFiles } from './site-files.ts'
import {
  letterhead,
  shopEmailBodies,
  shopMailServer,
  shopMailbox,
  shopMailer,
  shopPost,
} from './shop-mailer.ts'

export interface AppParts extends SecretKeys {
  config: Config
  /** Signs the logs of draws. */
  logKey: LogKey
  /** Who confirms their register; nobody when left out. */
  witnesses?: ShopPolicy | null
  /** Who stamps their terms and sealed lists; nobody when left out. */
  stamps?: StampAuthority | null
  db: Database
  /** Where lists, reports and public pages are read while it follows (ADR 0112). */
  replica?: ReadReplica
  log: FastifyBaseLogger
  /** Log of the web server, which adds request ids itself; default `log`. */
  requests?: FastifyBaseLogger
  metrics?: Metrics
  isStopping?: () => boolean
  migration?: number
  /** Why the last write of this process failed. */
  databaseFault?: () => Promise<DatabaseFault | undefined>
  delayMs?: () => number
  clock?: Clock
  passwords?: ReturnType<typeof createPasswords>
}

/** A full cart is below a tenth of it. */
const BODY_MAX_BYTES = 256 * 1024

export const shopAlerts = ({ log }: Pick<AppParts, 'log'>) => createAlerts({ log })

/** Tells whom the settings name of alerts. */
export function shopAlertSender(
  parts: Pick<AppParts, 'config' | 'db' | 'log'> & Partial<Pick<AppParts, 'isStopping'>>,
  times: Partial<MessageTimes> = {},
): AlertSender {
  const { config, db, log, isStopping } = parts
  const { alertWebhookUrl: url, alertWebhookFormat: format } = config
  return alertSender({
    db,
    log,
    alerts: shopAlerts(parts),
    shop: config,
    language: config.alertLanguage,
    recipient: config.alertEmail,
    webhook: url === undefined ? undefined : { url, format },
    mailServer: shopMailServer(config),
    times: { repeat: config.alertRepeatHours * 3_600, ...times },
    ...(isStopping && { isStopping }),
  })
}

/** The public randomness that decides draws. @param chain another than that of new terms */
export const shopBeacon = (
  { config, clock }: Pick<AppParts, 'config' | 'clock'>,
  chain: BeaconChain = config.beaconChain,
) => beaconClient({ chain, relays: config.beaconUrls, timeoutMs: config.beaconTimeoutMs }, clock)

/** For the jobs that publish, append to and advance draws. */
export function shopDraws(parts: AppParts): DrawsDeps {
  const { config, db, log, logKey: key, isStopping } = parts
  return {
    db,
    log,
    key,
    alerts: shopAlerts(parts),
    witnesses: parts.witnesses ?? null,
    stamps: parts.stamps ?? null,
    beacon: shopBeacon(parts),
    beaconOf: (chain) => shopBeacon(parts, chain),
    host: new URL(config.publicUrl).host,
    durations: {
      objections: config.drawObjectionMinutes * 60,
      sealMargin: config.drawSealMarginMinutes * 60,
      beaconPatience: config.drawBeaconPatienceMinutes * 60,
      claim: config.drawClaimMinutes * 60,
      alternateDelay: config.drawAlternateDelayMinutes * 60,
      notice: config.drawNoticeMinutes * 60,
      alternatesDecided: config.drawAlternatesDecided,
    },
    isDemo: config.demo,
    ...(isStopping && { isStopping }),
  }
}

/** How long after the end of a new contest its draw comes at the earliest. */
export const drawRoomMinutes = (
  config: Pick<Config, 'drawCloseMarginMinutes' | 'drawObjectionMinutes' | 'drawSealMarginMinutes'>,
): number => config.drawCloseMarginMinutes + config.drawObjectionMinutes + config.drawSealMarginMinutes

/** What opens a contest publishes its terms with it. */
export const shopTerms =
  (parts: AppParts): PublishTerms =>
  (trx, offerId) =>
    publishTermsOf(trx, shopDraws(parts), offerId)

/** For what staff and jobs do with the prizes of draws. */
export const shopForfeitures = (parts: AppParts): ForfeituresDeps => {
  const { db, log, logKey: key, config: shop, isStopping } = parts
  return { db, log, key, shop, ...(isStopping && { isStopping }) }
}

/** The actions that two people decide, besides roles. */
export const shopApprovals = (parts: AppParts, payments: NotificationDeps): ApprovalKind[] => [
  ...refundApprovals(payments),
  forfeitApproval(shopForfeitures(parts)),
  awardApproval(shopForfeitures(parts)),
  voidApproval(payments),
  voidCardApproval(payments),
  descriptionApproval(parts),
]

/** For routes and background jobs. */
export function shopPayments(parts: AppParts): NotificationDeps {
  const { config, db, log, metrics = createMetrics(), clock = systemClock } = parts
  const paypal = paypalSettings(config)
  const base: OrdersBase = {
    db,
    log,
    metrics,
    alerts: shopAlerts(parts),
    clock,
    provider: withRepeatedCreation(
      withCircuitBreaker(withMetrics(paypalProvider(paypalClient(paypal)), metrics)),
    ),
    brand: config.brand,
    publicUrl: config.publicUrl,
    signatures: orderSignatures(parts),
    noteCancellation: (trx, offerId) => noteCancellation(trx, shopDraws(parts), offerId),
    pricesIncludeVat: config.pricesIncludeVat,
    shop: config,
    refundsAlone: {
      order: config.refundAloneMax * 100,
      day: config.refundDayAloneMax * 100,
      amount: config.refundAmountAloneMax * 100,
    },
    holdMinutes: config.holdMinutes,
    holdCaps: {
      maxTickets: config.holdMaxTickets,
      maxPercent: config.holdMaxPercent,
      networkPercent: config.holdNetworkPercent,
      newcomersPercent: config.holdNewcomersPercent,
      unpaidMinutes: config.holdUnpaidMinutes,
      unconfirmedTickets: config.holdUnconfirmedTickets,
    },
    batchBounds: batchBounds(parts),
    emails: orderEmails(letterhead(config)),
  }
  return {
    ...paymentsDeps({ ...base, batches: orderBatches(base) }),
    notifications: paypalNotifications({ ...paypal, webhookId: config.paypalWebhookId }),
  }
}

/** For the console. @param names of checks; all when left out */
async function examineShop(
  parts: AppParts,
  language: Language,
  names: readonly CheckName[] | undefined,
): Promise<Findings['findings']> {
  const checks = Object.entries(shopChecks({ ...parts, migration: parts.migration ?? 0 }))
  const wanted = checks.filter(([name]) => !names || names.includes(name as CheckName))
  return (await examine(Object.fromEntries(wanted))).map((finding) => ({
    check: finding.check,
    state: finding.state,
    ...told(finding, language),
  }))
}

/** Longer than `SHED_REQUESTS`, so that every admitted request is served. */
const batchBounds = ({ config, db }: Pick<AppParts, 'config' | 'db'>) => ({
  batch: config.mergePurchases,
  queue: 50_000,
  patienceMs: locksOf(db).patienceMs,
  scheduler: schedulerOf(db),
})

/** The server with the API, not yet listening. The caller registers the pages after it. */
export async function buildApp(given: AppParts): Promise<FastifyInstance> {
  const parts = { ...given, metrics: given.metrics ?? createMetrics() }
  const {
    config,
    secret,
    previousSecret,
    db,
    log,
    clock = systemClock,
    passwords = createPasswords(),
    metrics,
  } = parts
  const keys = { secret, previousSecret }
  const headers = baseHeaders(config.publicUrl)
  const app = Fastify({
    loggerInstance: parts.requests ?? log,
    bodyLimit: BODY_MAX_BYTES,
    trustProxy: trusted(config.trustProxy),
    genReqId: requestId,
    rewriteUrl: pathOfTarget,
    ...strayRequests(headers),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    logController: new RequestLog(),
  }) as unknown as FastifyInstance
  refuseExpectations(app, headers)
  limitBodies(app)
  closeUnread(app.server)
  measureResponses(app, metrics)
  sendRequestIds(app)
  const underWay = shedLoad(app, {
    bounds: { delayMs: config.shedDelayMs, requests: config.shedRequests },
    metrics,
    page: ({ language }) => busyPage(language),
    ...(parts.delayMs && { delayMs: parts.delayMs }),
  })
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers))
  app.setValidatorCompiler(validatorCompiler)
  // Responses are typed; validating them would cost more than building them.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  readJsonBodies(app)
  const security = securityLog({ db, secret, log })
  app.addHook('onClose', () => security.flush())
  handleErrors(app, refusalsOfRights(security))
  await app.register(cookie)
  readLanguage(app, config.publicUrl)
  requireOneHost(app)
  if (publicSettings(config).mailbox) guardDemonstration(app, config)

  const reads = readDatabases(app, { db, replica: parts.replica, publicUrl: config.publicUrl })
  const databaseTime = databaseClock(db)
  sendServerTime(app, databaseTime)
  // Several processes issue and read them, and browsers compare them with the time that responses carry.
  const tokens = accessTokens({ ...keys, clock: given.clock ?? (() => new Date(databaseTime.now())) })
  await app.register(authentication(tokens, db))
  const hashNetwork = networkHash(secret)
  const needsSecondFactor = !config.demo
  await app.register(
    staffAuthentication({
      db,
      security,
      publicUrl: config.publicUrl,
      needsSecondFactor,
      networkHash: hashNetwork,
    }),
  )
  const onRefused = (limit: string, who: Who): void => {
    metrics.limited(limit)
    const userId = who.holder ?? (typeof who.account === 'number' ? who.account : undefined)
    security.record({ event: 'limit_reached', userId, address: who.address, detail: limit })
  }
  const counting = limiter({ db, ...keys, log, factor: config.limitsFactor, onRefused })
  app.addHook('onClose', () => counting.close())
  readProofs(app)
  const limits = shopLimits(counting, config)
  acceptIdempotencyKeys(app, { db, calls: limits.keyedCalls })
  await describeApi(app, config)
  unknownApiPaths(app)
  unknownRequests(app)

  const payments = shopPayments(parts)
  const alertMessages = shopAlertSender(parts)
  const sharing = sharingPictures({ db, config, log: app.log })
  const shown = publicSettings(config)
  await app.register(healthRoutes(parts))
  await app.register(metricsRoutes(metrics, config.metricsToken))
  await app.register(addressRoute(keys))
  await app.register(mediaFiles({ db, config }))
  await app.register(siteFiles({ db: reads.db, clock, config }))
  const shop = letterhead(config)
  const accounts = {
    db,
    passwords,
    tokens,
    passwordPolicy: config.passwordPolicy,
    emails: accountEmails(shop),
    security,
    emailLinkTokens: emailLinkTokens(secret, previousSecret),
    resetTokens: resetTokens(secret, previousSecret),
    limits,
    onConfirmed: async (trx: Trx, userId: number, email: string) => {
      await linkEntries(trx, userId, email)
      await linkMessages(trx, userId, email)
    },
    hasOpenPrize,
    onCorrected: (trx: Trx, userId: number, correctionId: string) =>
      sendReceiptsAgain(trx, payments.emails, { userId, key: `correction-${correctionId}` }),
  }
  await app.register(accountsRoutes(accounts))
  await app.register(staffAccountsRoutes(accounts))
  await app.register(exclusionsRoutes({ db }))
  await app.register(
    staffRoutes({
      db,
      ...keys,
      passwords,
      security,
      limits,
      needsSecondFactor,
      shop: config,
      networkHash: hashNetwork,
      approvals: shopApprovals(parts, payments),
    }),
  )
  await app.register(auditRoutes({ db, timeZone: config.timeZone }))
  await app.register(todayRoutes({ db, timeZone: config.timeZone }))
  await app.register(reportsRoutes({ db, alerts: shopAlerts(parts), timeZone: config.timeZone }))
  await app.register(verifiersRoutes)
  await app.register(publicDrawsRoutes({ db, reads, shop: config }))
  await app.register(
    drawFilesRoutes({
      db,
      limit: limits.drawFiles,
      publicUrl: config.publicUrl,
      packsFolder: path.resolve(config.dataDir, 'packs'),
      witnesses: parts.witnesses ?? null,
    }),
  )
  await app.register(drawsRoutes({ db, timeZone: config.timeZone }))
  await app.register(
    claimsRoutes({ db, key: parts.logKey, tokens: claimTokens(secret, previousSecret), limits }),
  )
  await app.register(staffClaimsRoutes(shopForfeitures(parts)))
  await app.register(staffRehearsalsRoutes({ ...shopDraws(parts), publicUrl: config.publicUrl }))
  await app.register(rehearsalFilesRoutes({ db, limit: limits.drawFiles }))
  await app.register(objectionsRoutes(payments))
  await app.register(offersRoutes({ db, reads, hideAnswer: config.hideAnswer }))
  await app.register(
    favouritesRoutes({ db, clock, tokens: unsubscribeTokens(keys), unsubscribePath: paths.unsubscribe() }),
  )
  await app.register(picturesRoutes({ db, ask: askPictures(config) }))
  await app.register(
    staffOffersRoutes({
      db,
      timeZone: config.timeZone,
      pricesIncludeVat: config.pricesIncludeVat,
      hideAnswer: config.hideAnswer,
      postalReservePercent: config.postalReservePercent,
      shop: {
        drawAfterMinutes: drawRoomMinutes(config),
        legalTexts: [config.companyName, config.companyNumber, config.companyAddress, config.postalAddress],
        isDemo: config.demo,
      },
      staffShop: config,
      canBeShared: (offer) => sharing.canBeShared(offer),
      publishTerms: shopTerms(parts),
    }),
  )
  const rooms = waitingRooms({
    db,
    bound: config.waitingRoomRequests,
    underWay,
    // By no scheduler: a line must not hold up the payments of those who are inside.
    batching: { ...batchBounds(parts), scheduler: undefined, meter: metrics.batch('waiting room') },
    onHold: offersOnHold,
    inCart: async (on, userId) => (await cartItemsOf(on, [userId])).map((item) => item.offer_id),
  })
  metrics.watchWaitingRooms(() => rooms.figures())
  stepEachSecond(app, rooms)
  await app.register(waitingRoomRoutes({ rooms }))
  const { answers } = limits
  const batching = { ...batchBounds(parts), meter: metrics.batch('add to cart') }
  await app.register(
    cartRoutes({
      db,
      clock,
      ownTickets,
      answers,
      rooms,
      pricesIncludeVat: config.pricesIncludeVat,
      batching,
    }),
  )
  await app.register(
    ticketsRoutes({
      db,
      files: limits.ticketFiles,
      brand: config.brand,
      publicUrl: config.publicUrl,
      timeZone: config.timeZone,
      drawClaimMinutes: config.drawClaimMinutes,
    }),
  )
  await app.register(alertsRoutes({ db, channels: () => alertMessages.channels() }))
  const invariantNames = async (): Promise<string[]> => (await shopInvariants()).map(({ name }) => name)
  await app.register(lastCheckRoutes({ reads, invariantNames }))
  await app.register(
    systemRoutes({
      db,
      version: shopVersion(),
      mode: config.mode,
      sendsCheckpoints: config.checkpointsEmail !== undefined,
      jobs: async () =>
        (await jobAges(db)).map(({ job, seconds, isMissing }) => ({
          name: job,
          seconds,
          is_missing: isMissing,
        })),
      settings: settingsInForce(config),
      invariantNames,
      checkInvariants: () => checkShopInvariants(payments, 0),
      doctor: (language, checks) => examineShop(parts, language, checks),
      shop: config,
      deliver: () => shopMailer(parts).deliver(),
      testAlert: () => alertMessages.test(),
    }),
  )
  await app.register(
    policiesRoutes({
      facts: { ...config, claimsEndAfterDays: REGISTER_DAYS + Math.ceil(config.drawClaimMinutes / 1440) },
      pdfPath: paths.termsPdf,
    }),
  )
  // With an e-mail service the browser sends messages directly.
  if (!shown.emailService) {
    const blocked = config.contactBlocked ?? []
    await app.register(contactRoutes({ db, clock, limit: limits.contact, shop: config, blocked }))
  }
  await app.register(staffMessagesRoutes({ db, clock, shop: config, takesMessages: !shown.emailService }))
  await app.register(
    staffCustomersRoutes({
      db,
      clock,
      shop: config,
      sources: personalDataSources,
      security,
      emailBodies: shopEmailBodies({ ...parts, secret }),
      holdCaps: payments.holdCaps,
      login: limits.login,
    }),
  )
  await app.register(
    ownDataRoutes({ db, clock, shop: config, sources: personalDataSources, security, passwords, limits }),
  )
  await app.register(checkoutRoutes(payments, limits, hashNetwork, rooms))
  await app.register(returnRoutes(payments, limits))
  await app.register(
    buyerOrdersRoutes({
      db,
      // For a thread, to which the functions of a letterhead cannot go.
      shop: { ...config, provider: PROVIDER_NAME },
      limit: limits.receipt,
      lookUp: (order) => lookUp(payments, order),
    }),
  )
  const searches = (on: ReadDatabase) => [
    offerSearch(on),
    messageSearch(on),
    entrySearch(on),
    staffSearch(db),
    alertSearch(on),
    statementSearch(on),
  ]
  await app.register(staffOrdersRoutes({ ...payments, timeZone: config.timeZone, searches }))
  await app.register(staffPaymentsRoutes(payments))
  await app.register(staffRefundsRoutes(payments))
  await app.register(webhookRoutes(payments))
  await app.register(postCountRoutes({ db }))
  await app.register(
    postalRoutes({
      ...shopPost(parts),
      alerts: shopAlerts(parts),
      shop,
      emailBodies: shopEmailBodies({ ...parts, secret }),
      staffShop: config,
    }),
  )

  await app.register(winnerLettersRoutes({ db, clock, tokens: claimTokens(secret, previousSecret), shop }))

  if (shown.mailbox) await app.register(shopMailbox({ ...parts, secret }))
  app.get('/api/settings/', { config: { auth: 'ignored' } }, async () => shown)
  return app
}

/** Moves the lines on and looks for those of other processes, while the server runs. */
function stepEachSecond(app: FastifyInstance, rooms: { step(): Promise<void> }): void {
  let stop: (() => Promise<void>) | undefined
  app.addHook('onReady', async () => {
    stop = startPeriodic([{ name: 'step waiting rooms', everyMs: 1_000, run: () => rooms.step() }], app.log)
  })
  app.addHook('onClose', () => stop?.())
}

/** Fastify's `trustProxy`: our proxies by their number, counted from here, or by their networks. */
const trusted = (proxies: Config['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number): boolean => hop < proxies : proxies
