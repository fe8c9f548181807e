import type { FastifyRequest } from 'fastify'
import { type Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'

/** Who sent a request, read from its access token. */
export interface Caller {
  userId: number
  sessionId: string
  isStaff: boolean
  isSuperuser: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in caller; null for a visitor. */
    caller: Caller | null
    /** Language for the texts of the answer. */
    language: Language
    /** The answer tells how things stand for the moment: the same call may get another one soon. */
    answerPasses?: boolean
  }
  interface FastifyContextConfig {
    /**
     * What the route asks of the Authorization header. Left out means `required`, so that a new route is closed.
     * `optional`: a visitor may call, but a token that is sent must be good. `ignored`: the header is not looked at.
     */
    auth?: 'required' | 'optional' | 'ignored'
    /**
     * `form`: faults of the body are answered as bare `{field: [messages]}` (spec section 8). `payment`: every failure
     * carries `message`, `details` and `debug_id` too (decisions, "create-order output").
     */
    errors?: 'form' | 'payment'
  }
}

/** The caller of a route for staff and superusers. */
export function staffOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (!caller.isStaff && !caller.isSuperuser)
    throw new Refusal('auth.staffOnly', 403, 'errors.auth.staffOnly')
  return caller
}

/** The caller of a route that requires one. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Refusal('auth.required', 401, 'errors.auth.required')
  return request.caller
}
