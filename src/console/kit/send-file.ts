import { ApiError, readFailure } from '#client/api-error.ts'
import { translatorOf } from '#i18n/active-messages.ts'
import { consoleLanguage, leaveSession } from './console-call.ts'

/** Sends a file as the body of a call that needs no step-up. @throws ApiError */
export async function sendFile<Answer>(path: string, file: Blob, type: string): Promise<Answer> {
  const t = translatorOf(consoleLanguage())
  const texts = { network: t('console.common.network'), unexpected: t('console.common.unexpected') }
  const headers = { 'accept-language': consoleLanguage(), 'content-type': type }
  const answer = await fetch(path, { method: 'POST', credentials: 'same-origin', headers, body: file }).catch(
    () => {
      throw new ApiError({ status: 0, network: true, message: texts.network })
    },
  )
  const body: unknown = await answer.json().catch(() => undefined)
  if (answer.ok) return body as Answer
  const failure = new ApiError(readFailure(answer.status, body, texts))
  if (failure.code === 'staff.signInRequired') leaveSession()
  throw failure
}
