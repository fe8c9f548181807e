import type {} from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { staffOf } from '#platform/http/request.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { needsStepUp } from '#shared/staff-permissions.ts'
import { StaffSession } from '#shared/staff-session.ts'
import {
  Approval,
  ApproveQuery,
  Approvals,
  AwaitingApproval,
  CodeBody,
  NewAuthenticator,
  NewPasskeyBody,
  OwnSecurity,
  PasskeyBody,
  PasskeyStepUpBody,
  People,
  PersonParams,
  ReasonBody,
  RecoveryCodes,
  RoleBody,
  SignInBody,
  StepUpBody,
} from '../staff.contract.ts'
import { type ApprovalKind, approvalsService } from './approvals.ts'
import { secondFactors } from './second-factors.ts'
import { requireStepUp, staffCookie } from './staff-authentication.ts'
import type { StaffShop } from './staff-emails.ts'
import { staffPeople } from './staff-people.ts'
import { type StaffSessionsOptions, staffSessions } from './staff-sessions.service.ts'

export interface StaffRoutesOptions extends Omit<StaffSessionsOptions, 'factors'>, SecretKeys {
  shop: StaffShop
  networkHash: (address: string) => string
  /** The actions that two people decide, besides roles. */
  approvals: readonly ApprovalKind[]
}

const tags = ['staff']
const NOTHING = { 204: z.null() }
const SESSION_ROUTES = '/api/staff/'

/** Sign-in of the console, second factors, roles, and decisions of two people. */
export const staffRoutes = (options: StaffRoutesOptions) => async (root: FastifyInstance) => {
  const app = root.withTypeProvider<ZodTypeProvider>()
  const { db, secret, previousSecret, shop, networkHash, limits } = options
  const { publicUrl, brand } = shop
  const factors = secondFactors({ db, secret, previousSecret, brand, publicUrl })
  const sessions = staffSessions({ ...options, factors })
  const people = staffPeople({ db, shop })
  const approvals = approvalsService({ db, shop, kinds: [...options.approvals, people.roleApproval] })
  const cookie = staffCookie(publicUrl)
  const cookieOptions = {
    path: SESSION_ROUTES,
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
  } as const

  const from = (request: FastifyRequest) => ({
    address: request.ip,
    userAgent: request.headers['user-agent'],
    network: networkHash(request.ip),
    replaces: request.staff?.sessionId,
  })
  const withCookie = (reply: FastifyReply, token: string): FastifyReply =>
    reply.setCookie(cookie, token, cookieOptions).code(204)
  const isOpen = { auth: 'ignored' } as const
  const own = { permits: 'self.use' } as const
  const secure = { permits: 'self.secure' } as const

  app.post(
    '/api/staff/session/',
    { config: isOpen, schema: { tags, body: SignInBody, response: NOTHING } },
    async (request, reply) =>
      withCookie(reply, await sessions.signIn(request.body, from(request))).send(null),
  )
  app.post('/api/staff/session/passkey/options/', { config: isOpen, schema: { tags } }, (request) => {
    // Each one is a row until it expires.
    limits.challenges.hit({ address: request.ip })
    return factors.authenticationOptions(null)
  })
  app.post(
    '/api/staff/session/passkey/',
    { config: isOpen, schema: { tags, body: PasskeyBody, response: NOTHING } },
    async (request, reply) => {
      const token = await sessions.signInWithPasskey(request.body.response as never, from(request))
      return withCookie(reply, token).send(null)
    },
  )
  app.get(
    '/api/staff/session/',
    { config: own, schema: { tags, response: { 200: StaffSession } } },
    (request) => sessions.show(staffOf(request), request.staffSession!),
  )
  app.post(
    '/api/staff/session/end/',
    { config: own, schema: { tags, response: NOTHING } },
    async (request, reply) => {
      await sessions.end(staffOf(request), request.ip)
      return reply.clearCookie(cookie, cookieOptions).code(204).send(null)
    },
  )
  app.post(
    '/api/staff/session/step-up/',
    { config: own, schema: { tags, body: StepUpBody, response: NOTHING } },
    async (request, reply) => {
      const { permission, code, password } = request.body
      const shown = { ...(code !== undefined && { code }), ...(password !== undefined && { password }) }
      await sessions.stepUp(staffOf(request), { permission, ...shown }, request.ip)
      return reply.code(204).send(null)
    },
  )
  app.post('/api/staff/session/step-up/passkey/options/', { config: own, schema: { tags } }, (request) =>
    factors.authenticationOptions(staffOf(request)),
  )
  app.post(
    '/api/staff/session/step-up/passkey/',
    { config: own, schema: { tags, body: PasskeyStepUpBody, response: NOTHING } },
    async (request, reply) => {
      const { permission, response } = request.body
      await sessions.stepUpWithPasskey(staffOf(request), permission, response as never, request.ip)
      return reply.code(204).send(null)
    },
  )

  app.get('/api/staff/self/', { config: own, schema: { tags, response: { 200: OwnSecurity } } }, (request) =>
    sessions.own(staffOf(request)),
  )
  app.post(
    '/api/staff/self/sessions/:sessionId/end/',
    { config: own, schema: { tags, params: z.object({ sessionId: z.string().max(64) }), response: NOTHING } },
    async (request, reply) => {
      await sessions.end(staffOf(request), request.ip, request.params.sessionId)
      return reply.code(204).send(null)
    },
  )
  app.post(
    '/api/staff/self/authenticator/',
    { config: secure, schema: { tags, response: { 200: NewAuthenticator } } },
    (request) => sessions.startAuthenticator(staffOf(request), request.staffSession!.email),
  )
  app.post(
    '/api/staff/self/authenticator/confirm/',
    { config: secure, schema: { tags, body: CodeBody, response: { 200: RecoveryCodes } } },
    async (request) => {
      const staff = staffOf(request)
      const codes = await sessions.addFactor(staff, 'code', (trx) =>
        factors.confirmAuthenticator(trx, staff.userId, request.body.code),
      )
      return { recovery_codes: codes }
    },
  )
  app.post(
    '/api/staff/self/authenticator/remove/',
    { config: secure, schema: { tags, response: NOTHING } },
    async (request, reply) => {
      await sessions.remove(staffOf(request), 'authenticator')
      return reply.code(204).send(null)
    },
  )
  app.post('/api/staff/self/passkeys/options/', { config: secure, schema: { tags } }, (request) =>
    factors.registrationOptions({ ...staffOf(request), email: request.staffSession!.email }),
  )
  app.post(
    '/api/staff/self/passkeys/',
    { config: secure, schema: { tags, body: NewPasskeyBody, response: { 200: RecoveryCodes } } },
    async (request) => {
      const staff = staffOf(request)
      const { name, response } = request.body
      const add = await factors.register(staff, name, response as never)
      return { recovery_codes: await sessions.addFactor(staff, 'passkey', add) }
    },
  )
  app.post(
    '/api/staff/self/passkeys/:passkeyId/remove/',
    {
      config: secure,
      schema: { tags, params: z.object({ passkeyId: z.string().max(200) }), response: NOTHING },
    },
    async (request, reply) => {
      await sessions.remove(staffOf(request), { passkey: request.params.passkeyId })
      return reply.code(204).send(null)
    },
  )
  app.post(
    '/api/staff/self/recovery-codes/',
    { config: secure, schema: { tags, response: { 200: RecoveryCodes } } },
    async (request) => ({ recovery_codes: await sessions.renewRecoveryCodes(staffOf(request)) }),
  )

  app.get(
    '/api/staff/people/',
    { config: { permits: 'staff.read' }, schema: { tags, response: { 200: People } } },
    () => people.list(),
  )
  const change = { permits: 'staff.change' } as const
  app.post(
    '/api/staff/people/',
    { config: change, schema: { tags, body: RoleBody, response: { 202: AwaitingApproval } } },
    async (request, reply) =>
      reply.code(202).send({ approval: await people.askRole(staffOf(request), request.body) }),
  )
  const person = { tags, params: PersonParams, body: ReasonBody, response: NOTHING }
  const changes = {
    'remove-role': people.removeRole,
    'remove-second-factors': people.removeSecondFactors,
    'end-sessions': people.endSessions,
  }
  for (const [name, act] of Object.entries(changes))
    app.post(`/api/staff/people/:id/${name}/`, { config: change, schema: person }, async (request, reply) => {
      await act(staffOf(request), request.params.id, request.body.reason)
      return reply.code(204).send(null)
    })

  const read = { permits: 'approvals.read' } as const
  app.get(
    '/api/staff/approvals/',
    { config: read, schema: { tags, response: { 200: Approvals } } },
    (request) => approvals.list(staffOf(request)),
  )
  app.post(
    '/api/staff/approvals/:id/approve/',
    {
      config: read,
      schema: { tags, params: PersonParams, querystring: ApproveQuery, response: { 200: Approval } },
    },
    async (request) => {
      const staff = staffOf(request)
      const row = await approvals.find(staff, request.params.id)
      if (needsStepUp(row.permission)) await requireStepUp(db, staff, row.permission)
      return await approvals.approve(staff, row, request.query.seen)
    },
  )
  app.post(
    '/api/staff/approvals/:id/refuse/',
    { config: read, schema: { tags, params: PersonParams, body: ReasonBody, response: { 200: Approval } } },
    async (request) => {
      const row = await approvals.find(staffOf(request), request.params.id)
      return await approvals.refuse(staffOf(request), row, request.body.reason)
    },
  )
}
