/** Who is signed in to the console: every screen asks it. */
import * as z from 'zod/mini'
import { STAFF_PERMISSIONS, STAFF_ROLES, type StaffPermission } from './staff-permissions.ts'

const PERMISSIONS = Object.keys(STAFF_PERMISSIONS) as [StaffPermission, ...StaffPermission[]]

export const SECOND_FACTORS = ['passkey', 'code', 'recovery'] as const
export type SecondFactor = (typeof SECOND_FACTORS)[number]

/** GET /api/staff/session/: whose session it is and what the console shows. */
export const StaffSession = z.object({
  user_id: z.int(),
  name: z.string(),
  email: z.string(),
  role: z.enum(STAFF_ROLES),
  permissions: z.array(z.enum(PERMISSIONS)),
  /** Null: signed in by password alone. */
  second_factor: z.nullable(z.enum(SECOND_FACTORS)),
  /** The second factors of the account. */
  methods: z.array(z.enum(SECOND_FACTORS)),
  /** The console opens nothing but the page on which a second factor is set up. */
  must_enrol: z.boolean(),
  /** ISO 8601 in UTC. */
  expires_at: z.string(),
})
export type StaffSession = z.infer<typeof StaffSession>
