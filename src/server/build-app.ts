import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { jsonSchemaTransform, validatorCompiler } from 'fastify-type-provider-zod'
import {
  accessTokens,
  accountsRoutes,
  authentication,
  createPasswords,
} from '#features/accounts/server/index.ts'
import { cartRoutes } from '#features/cart/server/index.ts'
import {
  type CheckoutDeps,
  checkoutRoutes,
  heldByUser,
  returnRoutes,
  webhookRoutes,
} from '#features/checkout/server/index.ts'
import { offersRoutes } from '#features/offers/server/index.ts'
import { policiesRoutes } from '#features/policies/server/index.ts'
import { ticketsRoutes } from '#features/tickets/server/index.ts'
import { paths } from '#client/paths.ts'
import type { Database } from '#platform/database.ts'
import { handleErrors } from '#platform/http/errors.ts'
import { readLanguage } from '#platform/http/language.ts'
import { webhookVerifier } from '#platform/paypal/webhook-signature.ts'
import { paypalClient } from '#platform/paypal/client.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import { type Config, publicSettings } from './config.ts'
import { healthRoutes } from './health.ts'
import { mediaFiles } from './media.ts'
import { baseHeaders } from './pages/security-headers.ts'
import { RequestLog } from './request-log.ts'
import { unknownApiPaths } from './unknown-paths.ts'

/** What one running shop is made of. */
export interface AppParts {
  config: Config
  /** Key that signs the access tokens. */
  secret: string
  db: Database
  log: FastifyBaseLogger
  clock?: Clock
  passwords?: ReturnType<typeof createPasswords>
}

/** Largest request body; the biggest honest one, a full cart, is below a tenth of it. */
const BODY_MAX_BYTES = 256 * 1024

/** Everything the checkout needs, for the routes and for the background work alike. */
export const checkoutDeps = ({ config, db, log, clock = systemClock }: AppParts): CheckoutDeps => ({
  db,
  log,
  clock,
  paypal: paypalClient(paypalSettings(config)),
  brand: config.brand,
  publicUrl: config.publicUrl,
  pricesIncludeVat: config.pricesIncludeVat,
  holdMinutes: config.holdMinutes,
})

const paypalSettings = (config: Config) => ({
  baseUrl: config.paypalBaseUrl,
  clientId: config.paypalClientId,
  clientSecret: config.paypalClientSecret,
  timeoutMs: config.paypalTimeoutMs,
})

/**
 * Puts the shop's API together. Pages are added by the caller, after this, since they are its last route.
 * @returns the server, not yet listening
 */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { config, secret, db, log, clock = systemClock, passwords = createPasswords() } = parts
  const app = Fastify({
    loggerInstance: log,
    bodyLimit: BODY_MAX_BYTES,
    trustProxy: config.trustProxy,
    genReqId: () => randomUUID(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    logController: new RequestLog(),
  }) as unknown as FastifyInstance
  const headers = baseHeaders(config.publicUrl)
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers))
  app.setValidatorCompiler(validatorCompiler)
  // Answers are built from typed rows; checking each again by its schema would cost more than making it.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  acceptEmptyJson(app)
  handleErrors(app)
  await app.register(cookie)
  readLanguage(app)

  const tokens = accessTokens({ secret, clock })
  await app.register(authentication(tokens))
  await describeApi(app, config)
  unknownApiPaths(app)

  const checkout = checkoutDeps(parts)
  await app.register(healthRoutes({ db }))
  await app.register(mediaFiles(config))
  await app.register(accountsRoutes({ db, passwords, tokens, passwordPolicy: config.passwordPolicy }))
  await app.register(offersRoutes({ db, hideAnswer: config.hideAnswer }))
  await app.register(cartRoutes({ db, clock, heldByUser, pricesIncludeVat: config.pricesIncludeVat }))
  await app.register(
    ticketsRoutes({ db, brand: config.brand, publicUrl: config.publicUrl, timeZone: config.timeZone }),
  )
  await app.register(policiesRoutes({ facts: config, pdfPath: paths.termsPdf }))
  await app.register(checkoutRoutes(checkout))
  await app.register(returnRoutes(checkout))
  const verify = webhookVerifier({ ...paypalSettings(config), webhookId: config.paypalWebhookId })
  await app.register(webhookRoutes({ ...checkout, verify }))

  const shown = publicSettings(config)
  app.get('/api/settings/', { config: { auth: 'ignored' } }, async () => shown)
  return app
}

/** An empty body of type JSON is no body: calls such as clear/ have none, and many clients send the type all the same. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body as string, done)
  })
}

/** The OpenAPI document of the routes, at /api/docs/openapi.json. */
async function describeApi(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${config.brand} API`, version: '1' },
      servers: [{ url: config.publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
  })
  app.get('/api/docs/openapi.json', { config: { auth: 'ignored' }, schema: { hide: true } }, async () =>
    app.swagger(),
  )
}
