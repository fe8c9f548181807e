import { connect } from 'node:net'

/** Says that the body may come, where somebody asked whether it may; the answer follows. */
const CONTINUE = /^HTTP\/1\.1 100 Continue\r\n\r\n/

interface RawAnswer {
  /** 0 when nothing came. */
  status: number
  /** Everything that came, head and body. */
  answer: string
}

/**
 * Sends bytes as no client library would, and reads until the server hangs up; the text should ask for that. Whoever is
 * refused may find the connection reset behind the answer: what came until then counts.
 */
export const sendRaw = (port: number, text: string): Promise<RawAnswer> =>
  new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const last = answer.replace(CONTINUE, '')
      resolve({ status: Number(last.slice(9, 12)), answer: last })
    })
  })
