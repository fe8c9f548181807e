import type { Messages } from '#i18n/keys.ts'

type Words = Messages['console']['codes']

type CodeOfKey<Key> = Key extends `${infer Slice}_${infer Name}` ? `${Slice}.${Name}` : never

/** Code of an action of staff or of the shop in the audit log: those that the console has words for. */
export type AuditAction = CodeOfKey<keyof Words['actions']>

type KeyOfCode<Code extends string> = Code extends `${infer Slice}.${infer Name}` ? `${Slice}_${Name}` : Code

/** The part of a message's key for a code: "orders_refund". */
export const keyOfCode = <Code extends string>(code: Code): KeyOfCode<Code> =>
  code.replace('.', '_') as KeyOfCode<Code>

export const codeOfKey = (key: string): string => key.replace('_', '.')

/** What an entry of the audit log is about: those kinds that the console has words for. */
export type AuditSubject = keyof Words['subjects']

/** What a comparison of the log with an earlier checkpoint finds. */
export const CHECKPOINT_OUTCOMES = ['same', 'other', 'missing'] as const
export type CheckpointOutcome = (typeof CHECKPOINT_OUTCOMES)[number]
