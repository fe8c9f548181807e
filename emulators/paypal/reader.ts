import { type Detail, PayPalError } from './errors.ts'

export type Json = Record<string, unknown>
type TextRule = { required?: boolean; max?: number; exact?: number }

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a JSON body field by field and gathers every fault before refusing the whole. */
export function createReader() {
  const details: Detail[] = []
  const add = (detail: Detail): void => {
    details.push({ location: 'body', ...detail })
  }
  const missing = (field: string): void =>
    add({
      field,
      issue: 'MISSING_REQUIRED_PARAMETER',
      description: 'A required field / parameter is missing.',
    })
  const syntax = (field: string): void =>
    add({
      field,
      issue: 'INVALID_PARAMETER_SYNTAX',
      description: 'The value of a field does not conform to the expected format.',
    })

  return {
    add,
    missing,
    object(value: unknown, field: string): Json {
      if (isObject(value)) return value
      if (value === undefined) missing(field || '/')
      else syntax(field || '/')
      return {}
    },
    list(parent: Json, key: string, field: string, max = 1000): unknown[] {
      const value = parent[key]
      if (value === undefined) {
        missing(field)
        return []
      }
      if (!Array.isArray(value)) {
        syntax(field)
        return []
      }
      if (value.length === 0) {
        add({
          field,
          issue: 'INVALID_ARRAY_MIN_ITEMS',
          description: 'The number of items in an array is too small.',
        })
      } else if (value.length > max) {
        add({
          field,
          issue: 'INVALID_ARRAY_MAX_ITEMS',
          description: 'The number of items in an array is too large.',
        })
        return []
      }
      return value
    },
    text(parent: Json, key: string, field: string, rule: TextRule = {}): string | undefined {
      const value = parent[key]
      if (value === undefined || value === null || (value === '' && rule.required)) {
        if (rule.required) missing(field)
        return undefined
      }
      if (typeof value !== 'string') {
        syntax(field)
        return undefined
      }
      const { max = 4000, exact } = rule
      if (exact !== undefined && value.length !== exact) {
        add({
          field,
          value,
          issue: 'INVALID_STRING_LENGTH',
          description: 'The value of a field is either too short or too long.',
        })
      } else if (value.length > max) {
        add({ field, issue: 'INVALID_STRING_MAX_LENGTH', description: 'The value of a field is too long.' })
      }
      return value
    },
    finish(): void {
      if (details.length > 0) throw new PayPalError('INVALID_REQUEST', dedupe(details))
    },
  }
}

const dedupe = (details: Detail[]): Detail[] => {
  const seen = new Set<string>()
  return details.filter(({ field = '', issue }) => {
    const key = `${field} ${issue}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
