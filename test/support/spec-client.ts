/** A response as the client reads it, parsed where it is JSON. */
interface SpecResponse {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a body of any shape, which the tests match
  body: any
  contentType: string
}

export type SpecClient = ReturnType<typeof specClient>

/**
 * The client of section 7 of the specification, written from its text alone, over the network: paths with trailing
 * slashes, snake_case, a Bearer header whenever a token is stored, one refresh and one retry after a 401.
 * @param base address of the shop
 */
export function specClient(base: string) {
  /** Its local storage: `access` and `refresh`. */
  const storage = new Map<string, string>()
  /** Requests so far, "METHOD path". */
  const sent: string[] = []

  async function send(method: string, path: string, body: unknown): Promise<SpecResponse> {
    const headers: Record<string, string> = { 'accept-language': 'en' }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const access = storage.get('access')
    if (access !== undefined) headers['authorization'] = `Bearer ${access}`
    sent.push(`${method} ${path}`)
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(base + path, { method, headers, ...payload })
    const contentType = response.headers.get('content-type') ?? ''
    const isJson = contentType.startsWith('application/json')
    return {
      status: response.status,
      body: isJson ? await response.json() : new Uint8Array(await response.arrayBuffer()),
      contentType,
    }
  }

  async function call(method: string, path: string, body?: unknown): Promise<SpecResponse> {
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
    get: (path: string) => call('GET', path),
    post: (path: string, body?: unknown) => call('POST', path, body),
    put: (path: string, body: unknown) => call('PUT', path, body),
    /** POST /api/token/; stores both tokens. */
    async login(username: string, password: string): Promise<SpecResponse> {
      const response = await send('POST', '/api/token/', { username, password })
      for (const name of ['access', 'refresh']) storage.set(name, response.body[name])
      return response
    },
  }
}
