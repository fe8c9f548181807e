import { type Socket, connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

export interface Door {
  port: number
  /** Certificate to trust, as PEM, of one that speaks TLS. */
  trust?: string | undefined
}

export interface Reply {
  status: number
  body: string
}

/** A minimal kept-alive HTTP/1.1 connection (Content-Length, no chunks), so that the load generator stays cheap. */
export class Connection {
  readonly #socket: Socket
  readonly #host = 'localhost'
  #received: Buffer = Buffer.alloc(0)
  #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')))
  }

  static to({ port, trust }: Door): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const where = { port, host: '127.0.0.1' }
      const done = (): void => resolve(new Connection(socket))
      const socket =
        trust === undefined
          ? connect(where, done)
          : connectSecurely({ ...where, servername: 'localhost', ca: trust }, done)
      socket.once('error', reject)
    })
  }

  post(path: string, body: unknown, token?: string): Promise<Reply> {
    const text = JSON.stringify(body)
    const authorization = token ? `authorization: Bearer ${token}\r\n` : ''
    const done = new Promise<Reply>((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n${authorization}accept-language: en\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
    return done
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#received.toString('latin1', 0, end)
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) {
      this.#waiting?.reject(new Error(`a response without a length: ${head.slice(0, 80)}`))
      return
    }
    const total = end + 4 + length
    if (this.#received.length < total) return
    const reply = { status: Number(head.slice(9, 12)), body: this.#received.toString('utf8', end + 4, total) }
    this.#received = this.#received.subarray(total)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(reply)
  }
}
