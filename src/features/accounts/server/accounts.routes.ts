import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { translate } from '#i18n/server-translator.ts'
import { callerOf } from '#platform/http/request.ts'
import {
  AccessToken,
  ChangePasswordBody,
  Detail,
  LoginBody,
  Profile,
  ProfileUpdateBody,
  RefreshBody,
  RegisterBody,
  Registered,
  TokenPair,
} from '../accounts.contract.ts'
import { canonicalPasswordFields } from '../accounts.rules.ts'
import { type AccountsOptions, accountsService } from './accounts.service.ts'
import { type SessionsOptions, sessionsService } from './sessions.service.ts'

export type AccountsRoutesOptions = AccountsOptions & SessionsOptions

const tags = ['accounts']

/** The calls of `/api/token/` and `/api/user/` (spec section 7). Tokens and personal data are never cached. */
export const accountsRoutes = (options: AccountsRoutesOptions) => async (root: FastifyInstance) => {
  const app = root.withTypeProvider<ZodTypeProvider>()
  const accounts = accountsService(options)
  const sessions = sessionsService(options)

  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.post(
    '/api/token/',
    { config: { auth: 'ignored' }, schema: { tags, body: LoginBody, response: { 200: TokenPair } } },
    (request) => sessions.logIn(request.body),
  )

  app.post(
    '/api/token/refresh/',
    { config: { auth: 'ignored' }, schema: { tags, body: RefreshBody, response: { 200: AccessToken } } },
    (request) => sessions.refresh(request.body.refresh),
  )

  app.post(
    '/api/token/logout/',
    { config: { auth: 'ignored' }, schema: { tags, body: RefreshBody, response: { 204: z.null() } } },
    async (request, reply) => {
      await sessions.logOut(request.body.refresh)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/user/register/',
    {
      config: { auth: 'ignored', errors: 'form' },
      schema: { tags, body: RegisterBody, response: { 201: Registered } },
    },
    async (request, reply) => reply.code(201).send(await accounts.register(request.body, request.language)),
  )

  app.get('/api/user/profile/', { schema: { tags, response: { 200: Profile } } }, (request) =>
    accounts.profile(callerOf(request)),
  )

  app.put(
    '/api/user/profile/',
    { config: { errors: 'form' }, schema: { tags, body: ProfileUpdateBody, response: { 200: Profile } } },
    (request) => accounts.updateProfile(callerOf(request), request.body),
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
      await accounts.changePassword(callerOf(request), request.body)
      return { detail: translate(request.language, 'accounts.passwordUpdated') }
    },
  )
}
