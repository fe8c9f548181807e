import { type ApiCall, createApiCall } from '#client/api-call.ts'
import { ApiError, readFailure } from '#client/api-error.ts'
import { documentLanguage } from '#client/document-language.ts'
import { keepingTime } from '#client/server-clock.ts'
import { translatorOf } from '#i18n/active-messages.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'
import type { SecondFactor } from '#shared/staff-session.ts'
import { noteResponse } from './shown-from.ts'

export interface StepUp {
  permission: StaffPermission
  methods: SecondFactor[]
}

/** Asks the person again. @returns whether they have confirmed */
type AskStepUp = (asked: StepUp) => Promise<boolean>

let askStepUp: AskStepUp = async () => false
let onSignedOut: () => void = () => undefined

/** The dialog that asks for a step-up, and what happens when the session has ended. */
export function connectConsole(handlers: { askStepUp?: AskStepUp; onSignedOut?: () => void }): void {
  askStepUp = handlers.askStepUp ?? askStepUp
  onSignedOut = handlers.onSignedOut ?? onSignedOut
}

export const consoleLanguage = documentLanguage

const transport = keepingTime((path, init) => fetch(path, { ...init, credentials: 'same-origin' }))

let plain: ApiCall | undefined

/** A staff call as it is, for the sign-in. */
export const plainCall: ApiCall = (method, path, options) => {
  const t = translatorOf(consoleLanguage())
  const texts = { network: t('console.common.network'), unexpected: t('console.common.unexpected') }
  plain ??= createApiCall({ transport, language: consoleLanguage(), texts, onResponse: noteResponse })
  return plain(method, path, options)
}

/**
 * A staff call. Asks for a step-up where the action needs one and then repeats the call; leads to the sign-in when the
 * session has ended. @throws ApiError
 */
export const consoleCall: ApiCall = async (method, path, options) => {
  try {
    return await plainCall(method, path, options)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'staff.stepUpRequired' && (await askStepUp(error.body as StepUp)))
      return await plainCall(method, path, options)
    if (error.code === 'staff.signInRequired') onSignedOut()
    throw error
  }
}

const FILE_NAME = /filename="([^"]+)"/

/** Asks for a file and gives it to the person to keep. @throws ApiError */
export async function downloadFile(method: 'GET' | 'POST', path: string, body?: unknown): Promise<void> {
  const send = async () =>
    await transport(path, {
      method,
      headers: {
        'accept-language': consoleLanguage(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
  let response = await send()
  // The calls read refusals in the same way.
  if (response.status === 403) {
    const failure = (await response.clone().json()) as StepUp & { code?: string }
    if (failure.code === 'staff.stepUpRequired' && (await askStepUp(failure))) response = await send()
  }
  if (!response.ok) {
    const failure = (await response.json().catch(() => ({}))) as { detail?: string; code?: string }
    if (failure.code === 'staff.signInRequired') onSignedOut()
    const message = failure.detail ?? translatorOf(consoleLanguage())('console.common.unexpected')
    throw new ApiError({ status: response.status, network: false, message, code: failure.code })
  }
  const name = FILE_NAME.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'volant'
  const address = URL.createObjectURL(await response.blob())
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  document.body.append(link)
  link.click()
  link.remove()
  // A phone's browser reads the file after the press has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Sends a file as the body of a call that needs no step-up. @throws ApiError */
export async function sendFile<Payload>(path: string, file: Blob, type: string): Promise<Payload> {
  const t = translatorOf(consoleLanguage())
  const texts = { network: t('console.common.network'), unexpected: t('console.common.unexpected') }
  const headers = { 'accept-language': consoleLanguage(), 'content-type': type }
  const response = await fetch(path, {
    method: 'POST',
    credentials: 'same-origin',
    headers,
    body: file,
  }).catch(() => {
    throw new ApiError({ status: 0, network: true, message: texts.network })
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as Payload
  const failure = new ApiError(readFailure(response.status, body, texts))
  if (failure.code === 'staff.signInRequired') onSignedOut()
  throw failure
}
