/** An answer; status 0 when none came. */
export interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a body is whatever came
  body: any
}

const PATIENCE_MS = 25_000

/** POST, or GET without a body. Never throws: a line that broke is an answer of its own. */
export async function call(url: string, token: string | undefined, body?: unknown): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-language': 'en',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
    }
  } catch {
    return { status: 0, body: undefined }
  }
}
