import { expect, test } from 'vitest'
import {
  STAFF_PERMISSIONS,
  STAFF_ROLES,
  type StaffPermission,
  needsStepUp,
  permits,
} from './staff-permissions.ts'

/** By hand, so that a right that grows is written down twice. */
const MAY_CHANGE = {
  owner: 'everything',
  manager:
    'alerts.handle audit.read customers.correctEmail customers.endSessions customers.erase customers.export customers.suspend draws.award draws.claims draws.decide draws.object draws.rehearse draws.void messages.answer offers.cancel offers.describe offers.edit offers.publish orders.export orders.reconcile orders.refund orders.release orders.write post.count post.print post.register post.void reports.import self.secure self.use system.run',
  support:
    'alerts.handle customers.correctEmail customers.endSessions customers.suspend draws.claims draws.object messages.answer orders.export orders.reconcile orders.refund orders.release orders.write post.count post.print post.register post.void self.secure self.use',
  postal: 'post.count post.print post.register self.secure self.use',
  accountant: 'audit.export audit.read orders.export reports.import self.secure self.use',
  witness: 'self.secure self.use',
}
const names = Object.keys(STAFF_PERMISSIONS) as StaffPermission[]
const isHarmless = (name: StaffPermission) => /\.read$|^search\.use$/.test(name) && name !== 'audit.read'

test.each(STAFF_ROLES)('%s may do no more than it is meant to', (role) => {
  const may = names.filter((name) => permits(role, name) && !isHarmless(name)).toSorted()
  const all = names.filter((name) => !isHarmless(name)).toSorted()
  expect(may.join(' ')).toBe(role === 'owner' ? all.join(' ') : MAY_CHANGE[role])
})

test('what moves money, gives rights or takes personal data away asks for the second factor again', () => {
  expect(names.filter(needsStepUp).toSorted()).toEqual([
    'audit.export',
    'customers.correctEmail',
    'customers.erase',
    'customers.export',
    'draws.award',
    'draws.claims',
    'draws.decide',
    'draws.void',
    'exclusions.change',
    'offers.cancel',
    'offers.describe',
    'orders.export',
    'orders.refund',
    'post.print',
    'post.void',
    'self.secure',
    'staff.change',
  ])
})

test('personal data of customers is closed to the clerk of the post, the accountant and the witness', () => {
  const closed = ['customers.read', 'messages.read', 'staff.read', 'system.read'] as const
  for (const role of ['postal', 'accountant', 'witness'] as const)
    expect(closed.filter((name) => permits(role, name))).toEqual([])
  expect(STAFF_ROLES.filter((role) => permits(role, 'orders.read'))).toEqual([
    'owner',
    'manager',
    'support',
    'accountant',
  ])
})

test('a witness reads draws, and nothing else of the shop', () => {
  expect(names.filter((name) => permits('witness', name)).toSorted()).toEqual([
    'draws.read',
    'search.use',
    'self.secure',
    'self.use',
  ])
})
