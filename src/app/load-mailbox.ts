import { data } from 'react-router'
import { ApiError } from '#client/api-error.ts'

/** What the demonstration's mailbox answers; null, as a page that is missing, where there is none. */
export async function loadFromMailbox<Answer>(answer: Promise<Answer>) {
  try {
    return data<Answer | null>(await answer)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return data<Answer | null>(null, { status: 404 })
    throw error
  }
}
