/** What came back. A broken connection has status 0: nobody knows what became of the call. */
export interface CallResponse {
  status: number
  retryAfter: string | null
  // oxlint-disable-next-line typescript/no-explicit-any -- a body is whatever came
  body: any
}

const RESPONSE_WITHIN_MS = 25_000

/** GET, or POST with a body. Never throws. */
export async function call(url: string, token: string | undefined, body?: unknown): Promise<CallResponse> {
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-language': 'en',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
    })
    const text = await response.text()
    const isJson = text.startsWith('{') || text.startsWith('[')
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, retryAfter, body: isJson ? JSON.parse(text) : text }
  } catch {
    return { status: 0, retryAfter: null, body: undefined }
  }
}
