import http from 'node:http'
import https from 'node:https'

/** A request to the provider. */
export interface Sent {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

/** What came back, whatever its status; a redirect is not followed. */
export interface Received {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

/** Connections kept open to the provider; a sale's rush shares them instead of opening its own. */
const CONNECTIONS = 64

/** Largest answer that is read; the provider's longest are a hundredth of it. */
const ANSWER_MAX_BYTES = 1024 * 1024

/**
 * Sends requests over kept-alive connections. Node's own client, because its `fetch` takes two and a half times as much
 * processor time for a small exchange, and a purchase makes two of them.
 * @param timeoutMs longest wait for a whole answer
 */
export function providerTransport(timeoutMs: number): (url: string, sent: Sent) => Promise<Received> {
  const options = { keepAlive: true, maxSockets: CONNECTIONS }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }

  const exchange = (
    url: string,
    { method, headers, body }: Sent,
    begun: (request: http.ClientRequest) => void,
  ) =>
    new Promise<Received>((resolve, reject) => {
      const target = new URL(url)
      const secure = target.protocol === 'https:'
      const request = (secure ? https : http).request(
        target,
        {
          method,
          agent: secure ? agents['https:'] : agents['http:'],
          headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
        },
        (response) => {
          const chunks: Buffer[] = []
          let size = 0
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            size += chunk.length
            if (size > ANSWER_MAX_BYTES) request.destroy(new Error('the answer is too long'))
          })
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          )
          response.on('error', reject)
          // Cut off in the middle: what came must not pass for the whole.
          response.on('aborted', () => reject(new Error('the answer was cut off')))
        },
      )
      request.on('error', reject)
      begun(request)
      request.end(body)
    })

  return async (url, sent) => {
    // A timer of our own: an abort signal for each request costs more than the rest of it.
    let timer: NodeJS.Timeout | undefined
    try {
      return await exchange(url, sent, (request) => {
        timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs)
      })
    } finally {
      clearTimeout(timer)
    }
  }
}
