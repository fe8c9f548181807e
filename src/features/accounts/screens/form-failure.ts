import type { ApiFailure } from '#client/api-error.ts'

/** What a refused form shows: a message below each field, and what concerns the whole form as a banner. */
export interface FormFailure<Field extends string> {
  fields: Partial<Record<Field, string>>
  banner?: string
}

/**
 * Reads the answer to a refused form call (spec section 8): each field's first message under that field, a plain text or
 * a detail as the banner.
 * @param shown fields of the form; messages for others become the banner
 * @param rename fields whose messages stand under another one, for example a username error under the e-mail field
 */
export function readFormFailure<Field extends string>(
  failure: ApiFailure,
  shown: readonly Field[],
  rename: Readonly<Record<string, Field>> = {},
): FormFailure<Field> {
  const fields: Partial<Record<Field, string>> = {}
  let banner: string | undefined
  for (const [name, message] of Object.entries(failure.fields ?? {})) {
    const field = rename[name] ?? shown.find((one) => one === name)
    if (field === undefined) banner ??= message
    else fields[field] ??= message
  }
  if (banner === undefined && Object.keys(fields).length === 0) banner = failure.message
  return { fields, ...(banner !== undefined && { banner }) }
}
