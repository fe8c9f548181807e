import type { Language } from '#shared/languages.ts'
import { ApiError, type FailureTexts, readFailure } from './api-error.ts'

/** Carries a request to the API: `fetch` in a browser, an in-process call on the server. */
export type Transport = (path: string, init: RequestInit) => Promise<Response>

/** What a call needs to know about the caller's tokens; a server has none. */
export interface CallSession {
  accessToken(): string | null
  /**
   * Gets a token newer than the rejected one.
   * @returns null when the session is over; it has then been ended
   */
  renew(rejected: string): Promise<string | null>
}

export interface ApiOptions {
  transport: Transport
  language: Language
  texts: FailureTexts
  session?: CallSession
}

interface CallOptions {
  body?: unknown
  /** `blob` for downloads. */
  answer?: 'json' | 'blob'
  /** Calls that make or end a session: a 401 is their answer, there is nothing to renew. */
  anonymous?: boolean
  signal?: AbortSignal
  /**
   * Name of the call, by which the server tells its repetition from a second one (`Idempotency-Key`). Such a call is
   * repeated once when the connection is cut before an answer came.
   */
  key?: string
}

/** Time for a cut connection to come back, and for a call that arrived all the same to be done: what `Retry-After` says. */
const REPEAT_AFTER_MS = 1000

/** One call of the API. Throws `ApiError` for everything but a success. */
export type ApiCall = <Answer>(method: string, path: string, options?: CallOptions) => Promise<Answer>

/**
 * Makes the function through which every call goes (spec section 7): Bearer token whenever one is stored, page
 * language, no timeout, and on a 401 exactly one renewal and one retry of each request.
 */
export function createApiCall({ transport, language, texts, session }: ApiOptions): ApiCall {
  async function send(
    method: string,
    path: string,
    options: CallOptions,
    token: string | null,
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', 'accept-language': language }
    if (options.answer === 'blob') headers['accept'] = '*/*'
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    if (token !== null) headers['authorization'] = `Bearer ${token}`
    if (options.key !== undefined) headers['idempotency-key'] = options.key
    const request = (): Promise<Response> =>
      transport(path, {
        method,
        headers,
        ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
        ...(options.signal && { signal: options.signal }),
      })
    const repeat = async (): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, REPEAT_AFTER_MS))
      return await request()
    }
    try {
      return await (options.key === undefined ? request() : request().catch(repeat))
    } catch (error) {
      if (options.signal?.aborted) throw error
      throw new ApiError({ status: 0, network: true, message: texts.network })
    }
  }

  async function read<Answer>(response: Response, options: CallOptions): Promise<Answer> {
    if (response.ok && options.answer === 'blob') return (await response.blob()) as Answer
    const text = await response.text()
    const body = parseBody(text)
    if (!response.ok) throw new ApiError(readFailure(response.status, body, texts))
    return body as Answer
  }

  return async (method, path, options = {}) => {
    const token = session?.accessToken() ?? null
    let response = await send(method, path, options, token)
    if (response.status === 401 && session && !options.anonymous) {
      const renewed = await session.renew(token ?? '')
      if (renewed !== null) response = await send(method, path, options, renewed)
    }
    return await read(response, options)
  }
}

/** JSON where it is JSON, otherwise the text itself; nothing for an empty body. */
function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text.startsWith('<') ? undefined : text
  }
}
