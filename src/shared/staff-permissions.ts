/** What each role of staff may do. Routes, buttons and the test of all routes read this table. */

export const STAFF_ROLES = ['owner', 'manager', 'support', 'postal', 'accountant', 'witness'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

const EVERYBODY = STAFF_ROLES
/** Everybody who works for the shop; a witness does not. */
const WORKERS = ['owner', 'manager', 'support', 'postal', 'accountant'] as const
const OWNERS = ['owner'] as const
const MANAGERS = ['owner', 'manager'] as const
const SUPPORT = ['owner', 'manager', 'support'] as const
const READERS_OF_ORDERS = ['owner', 'manager', 'support', 'accountant'] as const
const POST = ['owner', 'manager', 'support', 'postal'] as const

interface Rule {
  roles: readonly StaffRole[]
  /** Asks for a second factor again, or for the password of somebody without one. */
  stepUp?: true
}

const rule = (roles: readonly StaffRole[], more: Omit<Rule, 'roles'> = {}): Rule => ({ roles, ...more })
const STEP_UP = { stepUp: true } as const

export const STAFF_PERMISSIONS = {
  'self.use': rule(EVERYBODY),
  /** One's own second factors. */
  'self.secure': rule(EVERYBODY, STEP_UP),
  'today.read': rule(WORKERS),
  /** Finds only what the role may see. */
  'search.use': rule(EVERYBODY),
  'alerts.read': rule(['owner', 'manager', 'support', 'accountant']),
  'alerts.handle': rule(SUPPORT),

  /** Published contests. */
  'offers.read': rule(WORKERS),
  /** And what others do not read: drafts, scheduled contests, right answers. */
  'offers.edit': rule(MANAGERS),
  /** What people have entered for: titles, descriptions and pictures after the first entry. */
  'offers.describe': rule(MANAGERS, STEP_UP),
  'offers.publish': rule(MANAGERS),
  'offers.cancel': rule(MANAGERS, STEP_UP),

  'orders.read': rule(READERS_OF_ORDERS),
  'orders.reconcile': rule(SUPPORT),
  'orders.release': rule(SUPPORT),
  'orders.refund': rule(SUPPORT, STEP_UP),
  'orders.write': rule(SUPPORT),
  'orders.export': rule(READERS_OF_ORDERS, STEP_UP),

  'customers.read': rule(SUPPORT),
  'customers.suspend': rule(SUPPORT),
  'customers.endSessions': rule(SUPPORT),
  /** Whoever reads the mail of an address opens the account. */
  'customers.correctEmail': rule(SUPPORT, STEP_UP),
  'customers.export': rule(MANAGERS, STEP_UP),
  'customers.erase': rule(MANAGERS, STEP_UP),

  'post.read': rule(POST),
  /** Cards, and corrections of them. */
  'post.register': rule(POST),
  /** That the cards of a contest are registered, counted by two people. */
  'post.count': rule(POST),
  /** Letters of a bag or of all: up to 200 names and addresses. */
  'post.print': rule(POST, STEP_UP),
  /** Voids a card's number before the seal, with the consent of a second person. */
  'post.void': rule(SUPPORT, STEP_UP),

  'draws.read': rule(EVERYBODY),
  /** Claims of winners: reading who they are, writing down, noting that an identity was seen. */
  'draws.claims': rule(SUPPORT, STEP_UP),
  'draws.award': rule(MANAGERS, STEP_UP),
  /** Forfeitures that two people decide. */
  'draws.decide': rule(MANAGERS, STEP_UP),
  'draws.rehearse': rule(MANAGERS),
  /** Objections to entries, with their answers. */
  'draws.object': rule(SUPPORT),
  /** Entries that two people void before the seal. */
  'draws.void': rule(MANAGERS, STEP_UP),

  'messages.read': rule(SUPPORT),
  'messages.answer': rule(SUPPORT),

  'reports.read': rule(['owner', 'manager', 'accountant']),
  'reports.import': rule(['owner', 'manager', 'accountant']),

  'staff.read': rule(MANAGERS),
  'staff.change': rule(OWNERS, STEP_UP),
  /** Who cannot buy. */
  'exclusions.read': rule(OWNERS),
  'exclusions.change': rule(OWNERS, STEP_UP),
  'approvals.read': rule(SUPPORT),

  'audit.read': rule(['owner', 'manager', 'accountant']),
  'audit.export': rule(['owner', 'accountant'], STEP_UP),

  'system.read': rule(MANAGERS),
  'system.run': rule(MANAGERS),
} as const satisfies Record<string, Rule>

export type StaffPermission = keyof typeof STAFF_PERMISSIONS

/** Actions that may wait for the consent of a second person. */
export const APPROVAL_PERMISSIONS = [
  'staff.change',
  'offers.cancel',
  'offers.describe',
  'orders.refund',
  'post.void',
  'draws.award',
  'draws.decide',
  'draws.void',
] as const satisfies readonly StaffPermission[]
export type ApprovalPermission = (typeof APPROVAL_PERMISSIONS)[number]

export const permits = (role: StaffRole, permission: StaffPermission): boolean =>
  (STAFF_PERMISSIONS[permission].roles as readonly StaffRole[]).includes(role)

export const needsStepUp = (permission: StaffPermission): boolean =>
  (STAFF_PERMISSIONS[permission] as Rule).stepUp === true
