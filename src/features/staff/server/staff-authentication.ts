import fastifyPlugin from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashToken } from '#platform/keyed-hashes.ts'
import type { Database } from '#platform/database.ts'
import { STAFF_ROUTES, type StaffCaller, staffOf } from '#platform/http/request.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { Refusal } from '#shared/refusal.ts'
import { type StaffPermission, needsStepUp, permits } from '#shared/staff-permissions.ts'
import { visibleText } from '#shared/typed-text.ts'
import type { SecondFactor } from '#shared/staff-session.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

export interface StaffAuthenticationOptions {
  db: Database
  security: SecurityLog
  publicUrl: string
  /** Live mode: without a second factor nothing but setting one up. */
  needsSecondFactor: boolean
  networkHash: (address: string) => string
}

declare module 'fastify' {
  interface FastifyRequest {
    staffSession: StaffSessionState | null
  }
}

export interface StaffSessionState {
  email: string
  secondFactor: SecondFactor | null
  expiresAt: Date
}

/** A cookie that only the calls of the console carry. Its prefix binds it to https, where the shop has that. */
export const staffCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Secure-volant-staff' : 'volant-staff'

/** What somebody may call before a second factor is set up. */
const FOR_ENROLMENT: readonly StaffPermission[] = ['self.use', 'self.secure']

/** @throws Refusal 403 `auth.staffOnly` */
export function requirePermission({ role }: Pick<StaffCaller, 'role'>, permission: StaffPermission): void {
  if (!permits(role, permission)) throw new Refusal('auth.staffOnly', 403, 'console.refusals.notPermitted')
}

/** @throws Refusal 403 `staff.stepUpRequired` */
export async function requireStepUp(
  db: Database,
  { sessionId, userId }: StaffCaller,
  permission: StaffPermission,
) {
  if (await staffSessionsRepository(db).isSteppedUp(sessionId, permission)) return
  const methods = await secondFactorsRepository(db).methods(userId)
  throw new Refusal('staff.stepUpRequired', 403, 'console.refusals.stepUpRequired', {
    body: { permission, methods },
  })
}

/**
 * Fills `request.staff` for the calls of the console, by its cookie, and refuses whoever lacks the permission that the
 * route names, a step-up that it asks for, and changes that another site sends. Register it after `authentication`.
 */
export const staffAuthentication = (options: StaffAuthenticationOptions) =>
  fastifyPlugin(
    async (app: FastifyInstance) => {
      const { db, security, publicUrl, needsSecondFactor, networkHash } = options
      const sessions = staffSessionsRepository(db)
      const cookie = staffCookie(publicUrl)
      const { origin } = new URL(publicUrl)

      app.decorateRequest('staff', null)
      app.decorateRequest('staffSession', null)
      app.addHook('onRoute', ({ url, config }) => {
        if (url.startsWith(STAFF_ROUTES) && !config?.permits && config?.auth !== 'ignored')
          throw new Error(`the staff route ${url} names no permission`)
      })

      const isOurs = ({ headers }: FastifyRequest): boolean =>
        headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === origin

      app.addHook('onRequest', async (request) => {
        const { url: pattern = '', config } = request.routeOptions
        if (!pattern.startsWith(STAFF_ROUTES) || request.is404) return
        if (isChange(request) && !isOurs(request))
          throw new Refusal('staff.otherSite', 403, 'console.refusals.otherSite', { values: { origin } })
        const token = request.cookies[cookie]
        const session = token === undefined ? undefined : await sessions.open(hashToken(token))
        if (session) {
          const { id: sessionId, user_id: userId, username: name, role, email } = session
          request.staff = { userId, name, role, sessionId, network: networkHash(request.ip) }
          request.staffSession = {
            email,
            secondFactor: session.second_factor,
            expiresAt: session.expires_at,
          }
        }
        const { permits: permission } = config
        if (!permission) return
        const staff = staffOf(request)
        if (needsSecondFactor && !request.staffSession?.secondFactor && !FOR_ENROLMENT.includes(permission))
          throw new Refusal('staff.secondFactorMissing', 403, 'console.refusals.secondFactorMissing')
        requirePermission(staff, permission)
        if (needsStepUp(permission) && config.stepUp !== false) await requireStepUp(db, staff, permission)
      })

      app.addHook('preValidation', async (request) => {
        if (!request.routeOptions.url?.startsWith(STAFF_ROUTES)) return
        request.body = withVisibleTexts(request.body)
        request.query = withVisibleTexts(request.query)
      })

      app.addHook('preHandler', async (request) => {
        const { url: pattern = '' } = request.routeOptions
        if (!pattern.startsWith(STAFF_ROUTES) || !isChange(request) || !request.staff) return
        const { userId } = request.staff
        const detail = `${request.method} ${withParams(pattern, request.params)}`
        await security.recordNow({ event: 'staff_action', userId, address: request.ip, detail })
      })
    },
    { name: 'staff authentication' },
  )

const isChange = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD'

/** What a parser of JSON or of a query makes; not the bytes or the stream of a file. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** The fields of several lines. */
const HAS_LINES = /^(?:(?:description|draw_terms|statement)(?:_[a-z]+)?|answer|message|note|reason|text)$/

/**
 * A JSON body or query whose texts show all that they hold, whichever field they are for, in one line where the field has
 * no more; passwords stay as typed.
 */
function withVisibleTexts(value: unknown, field = ''): unknown {
  if (typeof value === 'string') {
    const text = visibleText(value)
    return HAS_LINES.test(field) ? text : text.replaceAll(/\s*\n\s*|\t/gu, ' ')
  }
  if (Array.isArray(value)) return value.map((one) => withVisibleTexts(one, field))
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === 'password' ? part : withVisibleTexts(part, name),
    ]),
  )
}

/** The pattern of a route with its values; a value that is no id or slug is not shown. */
const withParams = (pattern: string, params: unknown): string =>
  pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String((params as Record<string, unknown>)[name])
    return /^[\w-]{1,200}$/.test(value) ? value : '?'
  })
