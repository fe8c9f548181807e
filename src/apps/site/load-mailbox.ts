import { data } from 'react-router'
import { ApiError } from '#client/api-error.ts'

/** An answer of the mailbox; null with status 404 when it has none, or may not be seen. */
export async function loadFromMailbox<Answer>(answer: Promise<Answer>) {
  try {
    return data<Answer | null>(await answer)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 403))
      return data<Answer | null>(null, { status: 404 })
    throw error
  }
}
