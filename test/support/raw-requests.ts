import { connect } from 'node:net'

/** The interim answer to `Expect: 100-continue`. */
const CONTINUE = /^HTTP\/1\.1 100 Continue\r\n\r\n/

/** Status 0 is no answer; the answer is head and body. */
interface RawAnswer {
  status: number
  answer: string
}

/**
 * Sends bytes that no client library would send, and reads until the server closes the connection, which the text should
 * request, or begins a stream of events, which has no end. A reset after the answer is ignored.
 */
export const sendRaw = (port: number, text: string): Promise<RawAnswer> =>
  new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      answer += String(chunk)
      if (/^content-type: text\/event-stream/im.test(answer.slice(0, 4_000))) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const last = answer.replace(CONTINUE, '')
      resolve({ status: Number(last.slice(9, 12)), answer: last })
    })
  })
