import type { Language } from '#shared/languages.ts'
import { PROOF_CHALLENGE } from '#shared/proof-headers.ts'
import { ApiError, type FailureTexts, readFailure } from './api-error.ts'

/** `fetch` in a browser, an in-process call on the server. */
export type Transport = (
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
) => Promise<Response>

/** Repeats a call once that is refused until a proof of work comes with it (ADR 0019). */
export const withProofOfWork =
  (transport: Transport, language: Language): Transport =>
  async (path, init) => {
    const response = await transport(path, init)
    const challenge = response.headers.get(PROOF_CHALLENGE)
    if (!challenge) return response
    const { repeatWithProof } = await import('./proof-of-work.ts')
    const repeated = await repeatWithProof(challenge, language, (headers) =>
      transport(path, { ...init, headers: { ...init.headers, ...headers } }),
    )
    return repeated ?? response
  }

/** The caller's tokens; a server has none. */
export interface CallSession {
  accessToken(): string | null
  /** @returns a newer token; null when the session has ended */
  renew(rejected: string): Promise<string | null>
}

export interface ApiOptions {
  transport: Transport
  language: Language
  texts: FailureTexts
  session?: CallSession
  /** Called with each response that has a body. */
  onResponse?: (response: unknown, headers: Headers) => void
}

interface CallOptions {
  body?: unknown
  /** For calls that begin or end a session: a 401 is their response. */
  anonymous?: boolean
  signal?: AbortSignal
  /** Value of `Idempotency-Key`. With it the call is repeated once after a cut connection. */
  key?: string
}

/** The same pause as in `Retry-After`. */
const REPEAT_AFTER_MS = 1000

/** A file is given as a Blob. @throws ApiError for every response but a success */
export type ApiCall = <Payload>(method: string, path: string, options?: CallOptions) => Promise<Payload>

/** For all calls (spec section 7): Bearer token, language, no timeout, and one renewal and one retry after a 401. */
export function createApiCall({ transport, language, texts, session, onResponse }: ApiOptions): ApiCall {
  const call = withProofOfWork(transport, language)

  async function send(
    method: string,
    path: string,
    options: CallOptions,
    token: string | null,
  ): Promise<Response> {
    const headers: Record<string, string> = { 'accept-language': language }
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    if (token !== null) headers['authorization'] = `Bearer ${token}`
    if (options.key !== undefined) headers['idempotency-key'] = options.key
    const request = (): Promise<Response> =>
      call(path, {
        method,
        headers,
        body: options.body === undefined ? null : JSON.stringify(options.body),
        signal: options.signal ?? null,
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

  async function read<Payload>(response: Response): Promise<Payload> {
    if (response.headers.has('content-disposition')) return (await response.blob()) as Payload
    const text = await response.text()
    const body = parseBody(text)
    if (!response.ok) throw new ApiError(readFailure(response.status, body, texts))
    onResponse?.(body, response.headers)
    return body as Payload
  }

  return async (method, path, options = {}) => {
    const token = session?.accessToken() ?? null
    let response = await send(method, path, options, token)
    if (response.status === 401 && session && !options.anonymous) {
      const renewed = await session.renew(token ?? '')
      if (renewed !== null) response = await send(method, path, options, renewed)
    }
    return await read(response)
  }
}

/** JSON, otherwise text; undefined for HTML and an empty body. */
function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text.startsWith('<') ? undefined : text
  }
}
