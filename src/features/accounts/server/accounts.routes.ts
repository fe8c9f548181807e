import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { translate } from '#i18n/server-translator.ts'
import { callerOf } from '#platform/http/request.ts'
import {
  AccessToken,
  ChangePasswordBody,
  Detail,
  EmailLinkBody,
  EndSessionsBody,
  ForgotPasswordBody,
  LoginBody,
  OpenSession,
  PasswordReset,
  Profile,
  ProfileUpdateBody,
  RefreshBody,
  RegisterBody,
  Registered,
  ResetPasswordBody,
  TokenPair,
  UsedEmailLink,
} from '../accounts.contract.ts'
import { canonicalPasswordFields } from '../accounts.rules.ts'
import { type AccountsOptions, accountsService } from './accounts.service.ts'
import { emailLinks } from './email-links.service.ts'
import { type PasswordResetsOptions, passwordResetsService } from './password-resets.service.ts'
import { type SessionsOptions, sessionsService } from './sessions.service.ts'

export type AccountsRoutesOptions = AccountsOptions & SessionsOptions & PasswordResetsOptions

const tags = ['accounts']

/** The calls of `/api/token/` and `/api/user/` (spec section 7). Tokens and personal data are never cached. */
export const accountsRoutes = (options: AccountsRoutesOptions) => async (root: FastifyInstance) => {
  const app = root.withTypeProvider<ZodTypeProvider>()
  const accounts = accountsService(options)
  const sessions = sessionsService(options)
  const resets = passwordResetsService(options)
  const links = emailLinks(options)

  app.post(
    '/api/token/',
    {
      config: { auth: 'ignored', errors: 'form' },
      schema: { tags, body: LoginBody, response: { 200: TokenPair } },
    },
    ({ body, ip, headers }) => sessions.logIn(body, { address: ip, userAgent: headers['user-agent'] }),
  )

  app.post(
    '/api/token/refresh/',
    {
      config: { auth: 'ignored' },
      schema: { tags, body: RefreshBody, response: { 200: AccessToken } },
    },
    (request) => sessions.refresh(request.body.refresh, { address: request.ip }),
  )

  app.post(
    '/api/token/logout/',
    {
      config: { auth: 'ignored' },
      schema: { tags, body: RefreshBody, response: { 204: z.null() } },
    },
    async (request, reply) => {
      await sessions.logOut(request.body.refresh, { address: request.ip })
      // No `Clear-Site-Data`: a late response would log out the next user of the browser.
      return reply.code(204).send(null)
    },
  )

  app.get('/api/user/sessions/', { schema: { tags, response: { 200: z.array(OpenSession) } } }, (request) =>
    sessions.list(callerOf(request)),
  )

  app.post(
    '/api/user/sessions/:sessionId/end/',
    {
      config: { errors: 'form' },
      schema: {
        tags,
        params: z.object({ sessionId: z.string() }),
        body: EndSessionsBody,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { params, body, ip } = request
      await sessions.end(callerOf(request), params.sessionId, body, { address: ip })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/user/sessions/end-all/',
    { config: { errors: 'form' }, schema: { tags, body: EndSessionsBody, response: { 204: z.null() } } },
    async (request, reply) => {
      await sessions.endAll(callerOf(request), request.body, { address: request.ip })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/user/register/',
    {
      config: { auth: 'ignored', errors: 'form' },
      schema: { tags, body: RegisterBody, response: { 201: Registered } },
    },
    async ({ body, language, ip }, reply) =>
      reply.code(201).send(await accounts.register(body, { language, address: ip })),
  )

  app.get('/api/user/profile/', { schema: { tags, response: { 200: Profile } } }, (request) =>
    accounts.profile(callerOf(request)),
  )

  app.put(
    '/api/user/profile/',
    { config: { errors: 'form' }, schema: { tags, body: ProfileUpdateBody, response: { 200: Profile } } },
    (request) => accounts.updateProfile(callerOf(request), request.body, { address: request.ip }),
  )

  app.put(
    '/api/user/change-password/',
    {
      config: { errors: 'form' },
      schema: { tags, body: ChangePasswordBody, response: { 200: Detail } },
      preValidation: async (request) => {
        request.body = canonicalPasswordFields(request.body) as typeof request.body
      },
    },
    async (request) => {
      await accounts.changePassword(callerOf(request), request.body, { address: request.ip })
      return { detail: translate(request.language, 'accounts.passwordUpdated') }
    },
  )

  app.post(
    '/api/user/forgot-password/',
    {
      config: { auth: 'ignored', errors: 'form' },
      schema: { tags, body: ForgotPasswordBody, response: { 202: Detail } },
    },
    async ({ body, language, ip }, reply) => {
      await resets.request(body, { language, address: ip })
      return reply.code(202).send({ detail: translate(language, 'accounts.forgot.sent') })
    },
  )

  app.post(
    '/api/user/reset-password/',
    {
      config: { auth: 'ignored', errors: 'form' },
      schema: { tags, body: ResetPasswordBody, response: { 200: PasswordReset } },
    },
    async ({ body, language, ip }) => ({
      email: await resets.reset(body, { address: ip }),
      detail: translate(language, 'accounts.passwordUpdated'),
    }),
  )

  app.post(
    '/api/user/email-link/',
    {
      config: { auth: 'ignored' },
      schema: { tags, body: EmailLinkBody, response: { 200: UsedEmailLink } },
    },
    ({ body, ip }) => links.use(body.token, { address: ip }),
  )

  app.post(
    '/api/user/email-link/resend/',
    { schema: { tags, response: { 202: Detail } } },
    async (request, reply) => {
      const email = await links.resend(callerOf(request), { address: request.ip })
      return reply.code(202).send({ detail: translate(request.language, 'emailLink.sent', { email }) })
    },
  )

  app.post(
    '/api/user/email-change/cancel/',
    { schema: { tags, response: { 204: z.null() } } },
    async (request, reply) => {
      await links.cancelChange(callerOf(request))
      return reply.code(204).send(null)
    },
  )
}
