/** What the audit log tells of. Entries, the log's filters and their words have no other codes. */

export const AUDIT_ACTIONS = [
  'alerts.close',
  'alerts.release',
  'alerts.take',
  'approvals.alone',
  'approvals.approved',
  'approvals.ask',
  'approvals.expired',
  'approvals.refused',
  'approvals.withdrawn',
  'audit.export',
  'customers.email',
  'customers.endSessions',
  'customers.erase',
  'customers.export',
  'customers.read',
  'customers.restore',
  'customers.search',
  'customers.suspend',
  'demo.load',
  'emails.read',
  'exclusions.add',
  'exclusions.read',
  'exclusions.remove',
  'draws.answerObjection',
  'draws.award',
  'draws.forfeit',
  'draws.noteObjection',
  'draws.readClaim',
  'draws.recordClaim',
  'draws.replaceBeacon',
  'draws.rehearse',
  'draws.seeIdentity',
  'draws.void',
  'messages.answer',
  'messages.close',
  'messages.list',
  'messages.read',
  'messages.reopen',
  'offers.cancel',
  'offers.create',
  'offers.edit',
  'offers.publish',
  'offers.remove',
  'offers.resume',
  'offers.schedule',
  'offers.unschedule',
  'orders.export',
  'orders.list',
  'orders.note',
  'orders.read',
  'orders.reconcile',
  'orders.refund',
  'orders.release',
  'orders.resendReceipt',
  'post.compare',
  'post.confirmCount',
  'post.correct',
  'post.count',
  'post.list',
  'post.print',
  'post.read',
  'post.register',
  'post.void',
  'reports.import',
  'reports.subscribe',
  'self.addSecondFactor',
  'self.removeSecondFactor',
  'self.renewRecoveryCodes',
  'self.startAuthenticator',
  'session.start',
  'staff.change',
  'staff.endSessions',
  'staff.removeSecondFactors',
  'system.checkInvariants',
  'system.readEmails',
  'system.resendEmail',
  'system.resendEmails',
  'witness.addKey',
  'witness.endKey',
  'witness.sign',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export const isAuditAction = (code: string): code is AuditAction =>
  AUDIT_ACTIONS.some((action) => action === code)

type KeyOfCode<Code extends string> = Code extends `${infer Slice}.${infer Name}` ? `${Slice}_${Name}` : Code

/** The part of a message's key for a code: "orders_refund". */
export const keyOfCode = <Code extends string>(code: Code): KeyOfCode<Code> =>
  code.replace('.', '_') as KeyOfCode<Code>

export const AUDIT_SUBJECTS = [
  'alert',
  'customer',
  'email',
  'exclusion',
  'message',
  'offer',
  'order',
  'picture',
  'postalEntry',
  'staff',
  'statement',
] as const
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number]

/** What a comparison of the log with an earlier checkpoint finds. */
export const CHECKPOINT_OUTCOMES = ['same', 'other', 'missing'] as const
export type CheckpointOutcome = (typeof CHECKPOINT_OUTCOMES)[number]
