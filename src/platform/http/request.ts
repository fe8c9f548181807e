import type {} from '@fastify/cookie'
import type { FastifyRequest, FastifyInstance } from 'fastify'
import {
  type Language,
  DEFAULT_LANGUAGE,
  isLanguage,
  languageCookie,
  preferredLanguage,
} from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ReadDatabase } from '../database.ts'
import type { StaffPermission, StaffRole } from '#shared/staff-permissions.ts'

/** The sender by its access token, which carries no rights. */
export interface Caller {
  userId: number
  sessionId: string
}

/** The sender of a staff call, by the cookie of the console. */
export interface StaffCaller {
  userId: number
  /** The username. */
  name: string
  role: StaffRole
  sessionId: string
  /** Keyed hash of the network. */
  network: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    staff: StaffCaller | null
    language: Language
    /** For lists and reports of staff, which may be a little old (ADR 0112): all that this session has changed or seen is in it. */
    readonly reads: ReadDatabase
  }
  interface FastifyContextConfig {
    /** Default `required`. `optional`: a sent token must be valid. `ignored`: the header is not read. */
    auth?: 'required' | 'optional' | 'ignored'
    /** Failures. `form`: bare `{field: [messages]}` (spec section 8); `payment`: see errors.ts; `text`: plain text. */
    errors?: 'form' | 'payment' | 'text'
    /** Of staff routes, which all have one: who may call it. */
    permits?: StaffPermission
    /** False: a preview, which asks for no step-up. */
    stepUp?: false
  }
}

/** For staff only, with the cookie of the console and the permission that the route names, whatever its `auth`. */
export const STAFF_ROUTES = '/api/staff/'

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Refusal('auth.required', 401, 'errors.auth.required')
  return request.caller
}

export function staffOf(request: FastifyRequest): StaffCaller {
  if (!request.staff) throw new Refusal('staff.signInRequired', 401, 'console.refusals.signInRequired')
  return request.staff
}

/** Language of responses: the Accept-Language header, which our pages send, then the cookie, then French. */
export function readLanguage(app: FastifyInstance, publicUrl: string): void {
  const name = languageCookie(publicUrl)
  app.decorateRequest('language', DEFAULT_LANGUAGE)
  app.addHook('onRequest', async (request) => {
    const cookie = request.cookies[name]
    request.language =
      preferredLanguage(request.headers['accept-language']) ??
      (isLanguage(cookie) ? cookie : DEFAULT_LANGUAGE)
  })
}
