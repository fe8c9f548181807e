/** An answer as that client reads it: the body parsed as JSON where it is JSON. */
interface NaiveAnswer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a body is whatever came; the matchers of the tests look into it
  body: any
  contentType: string
}

export interface NaiveClient {
  /** What it keeps in local storage: `access` and `refresh`. */
  storage: Map<string, string>
  get: (path: string) => Promise<NaiveAnswer>
  post: (path: string, body?: unknown) => Promise<NaiveAnswer>
  put: (path: string, body: unknown) => Promise<NaiveAnswer>
  /** POST /api/token/, and both tokens stored. */
  login: (username: string, password: string) => Promise<NaiveAnswer>
  /** Requests sent so far, "METHOD path". */
  sent: string[]
}

/**
 * The client that spec section 7 describes, written from its words alone and over the network: paths with trailing
 * slashes, snake_case, a Bearer header whenever a token is stored, one refresh and one retry after a 401.
 * @param base address of the shop
 */
export function naiveClient(base: string): NaiveClient {
  const storage = new Map<string, string>()
  const sent: string[] = []

  async function send(method: string, path: string, body: unknown): Promise<NaiveAnswer> {
    const headers: Record<string, string> = { 'accept-language': 'en' }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const access = storage.get('access')
    if (access !== undefined) headers['authorization'] = `Bearer ${access}`
    sent.push(`${method} ${path}`)
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(base + path, { method, headers, ...payload })
    const contentType = answer.headers.get('content-type') ?? ''
    const isJson = contentType.startsWith('application/json')
    return {
      status: answer.status,
      body: isJson ? await answer.json() : new Uint8Array(await answer.arrayBuffer()),
      contentType,
    }
  }

  async function call(method: string, path: string, body?: unknown): Promise<NaiveAnswer> {
    const first = await send(method, path, body)
    const refresh = storage.get('refresh')
    if (first.status !== 401 || refresh === undefined) return first
    const renewed = await send('POST', '/api/token/refresh/', { refresh })
    if (renewed.status !== 200) return first
    storage.set('access', renewed.body.access)
    return send(method, path, body)
  }

  return {
    storage,
    sent,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    async login(username, password) {
      const answer = await send('POST', '/api/token/', { username, password })
      for (const name of ['access', 'refresh']) storage.set(name, answer.body[name])
      return answer
    },
  }
}
