import { STAFF_ROUTES } from '#platform/http/request.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'
import { type OpenApi, sampleOf } from './fuzz.ts'

type Operation = OpenApi['paths'][string][string]

/** A call of staff, as the API document describes it. */
export interface StaffRoute {
  /** "GET /api/staff/offers/:id" */
  route: string
  method: 'GET'
  pattern: string
  permission: StaffPermission
  asksStepUp: boolean
  operation: Operation
}

/** How somebody signs in. */
export const OPEN_STAFF_ROUTES = [
  'POST /api/staff/session',
  'POST /api/staff/session/passkey',
  'POST /api/staff/session/passkey/options',
]

export const isOfStaff = (route: string): boolean => route.split(' ')[1]?.startsWith(STAFF_ROUTES) ?? false

/** Every call of staff that asks for a permission. */
export const staffRoutesOf = ({ paths }: OpenApi): StaffRoute[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([name, operation]) => {
      const pattern = path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1')
      const route = `${name.toUpperCase()} ${pattern}`
      if (!isOfStaff(route) || OPEN_STAFF_ROUTES.includes(route)) return []
      const permission = operation['x-permission']
      if (!permission) throw new Error(`${route} names no permission in the API document`)
      const method = name.toUpperCase() as 'GET'
      return {
        route,
        method,
        pattern,
        permission: permission.name,
        asksStepUp: permission.step_up,
        operation,
      }
    }),
  )

/**
 * An address of a call.
 * @param existing values by the part of an address before its parameter, or by the name of a parameter of the query;
 * anything else names nothing
 */
export function addressOf(
  { pattern, operation }: Pick<StaffRoute, 'pattern' | 'operation'>,
  existing: Readonly<Record<string, string | number>>,
): string {
  const parameters = operation.parameters ?? []
  const asked = parameters.filter((one) => one.in === 'query' && (one.required || existing[one.name]))
  const search = asked.map(
    ({ name, schema = {} }) => `${name}=${encodeURIComponent(existing[name] ?? String(sampleOf(schema)))}`,
  )
  const path = pattern.replaceAll(/(\w+)\/:(\w+)/g, (_, kind: string, name: string) => {
    const { schema = {} } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
    return `${kind}/${existing[kind] ?? String(sampleOf(schema))}`
  })
  return `${path}/${search.length > 0 ? `?${search.join('&')}` : ''}`
}
