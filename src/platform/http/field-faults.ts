import type { MessageKey } from '#i18n/keys.ts'

/** One fault of a validated body, as the Zod type provider reports it. */
interface Fault {
  keyword: string
  instancePath: string
  message?: string | undefined
  params?: Record<string, unknown>
}

/** Field name for faults of the body as a whole. */
const WHOLE_BODY = 'non_field_errors'

/** Message key of each kind of fault for which the schema names none of its own. */
const BY_KEYWORD: Record<string, MessageKey> = {
  too_small: 'errors.field.tooSmall',
  too_big: 'errors.field.tooLarge',
  unrecognized_keys: 'errors.field.unknown',
}

/** Sorts the faults of a body by top-level field and gives each a message key. */
export function fieldFaults(faults: readonly unknown[]): Record<string, MessageKey[]> {
  const fields: Record<string, MessageKey[]> = {}
  for (const fault of faults as readonly Fault[]) {
    const name = fault.instancePath.split('/')[1]
    const message = messageOf(fault, name === undefined || name === '')
    const list = (fields[name || WHOLE_BODY] ??= [])
    if (!list.includes(message)) list.push(message)
  }
  return fields
}

function messageOf(fault: Fault, wholeBody: boolean): MessageKey {
  if (fault.message !== undefined && /^errors(\.\w+)+$/.test(fault.message))
    return fault.message as MessageKey
  if (wholeBody && fault.keyword === 'invalid_type') return 'errors.request.invalid'
  if (fault.keyword === 'invalid_type') {
    const expected = fault.params?.['expected']
    if (expected === 'string') return 'errors.field.text'
    if (expected === 'int' || expected === 'number') return 'errors.field.wholeNumber'
  }
  return BY_KEYWORD[fault.keyword] ?? 'errors.field.invalid'
}
