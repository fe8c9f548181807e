import { PreparingClient } from '#platform/database-dialect.ts'

const LOCK = /\bfor (no key )?(update|share)( of "?\w+"?)?/i

type Query = (this: PreparingClient, ...args: unknown[]) => never

/**
 * Removes the lock from matching statements of the shop while something runs.
 * @param statement pattern of the statement; at least one must occur
 */
export async function withoutLock<Result>(statement: RegExp, act: () => Promise<Result>): Promise<Result> {
  const prototype = PreparingClient.prototype as unknown as { query: Query }
  const { query } = prototype
  let unlocked = 0
  prototype.query = function (text, ...rest) {
    if (typeof text !== 'string' || !statement.test(text) || !LOCK.test(text)) {
      return query.call(this, text, ...rest)
    }
    unlocked += 1
    return query.call(this, text.replace(LOCK, ''), ...rest)
  }
  try {
    const result = await act()
    if (unlocked === 0) throw new Error(`no statement like ${String(statement)} locks anything`)
    return result
  } finally {
    prototype.query = query
  }
}
