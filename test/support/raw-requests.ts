import { connect } from 'node:net'

/** The interim response to `Expect: 100-continue`. */
const CONTINUE = /^HTTP\/1\.1 100 Continue\r\n\r\n/

/** Status 0 is no response; the response is head and body. */
interface RawResponse {
  status: number
  response: string
}

/**
 * Sends bytes that no client library would send, and reads until the server closes the connection, which the text should
 * request, or begins a stream of events, which has no end. A reset after the response is ignored.
 */
export const sendRaw = (port: number, text: string): Promise<RawResponse> =>
  new Promise((resolve) => {
    let response = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      response += String(chunk)
      if (/^content-type: text\/event-stream/im.test(response.slice(0, 4_000))) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const last = response.replace(CONTINUE, '')
      resolve({ status: Number(last.slice(9, 12)), response: last })
    })
  })
