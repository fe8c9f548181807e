import { data } from 'react-router'
import { ApiError } from '#client/api-error.ts'

/** A response of the mailbox; null with status 404 when it has none, or may not be seen. */
export async function loadFromMailbox<Payload>(response: Promise<Payload>) {
  try {
    return data<Payload | null>(await response)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 403))
      return data<Payload | null>(null, { status: 404 })
    throw error
  }
}
