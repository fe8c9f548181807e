import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Client, Submittable } from 'pg'

/** What COPY needs of the driver's connection; the driver itself only offers the messages. */
interface CopyConnection {
  stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

const PENDING_LIMIT = 1024 * 1024
const BATCH = 64 * 1024

abstract class CopyQuery implements Submittable {
  readonly done: Promise<void>
  protected finish: () => void = () => {}
  protected fail: (error: unknown) => void = () => {}
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    this.done = new Promise((resolve, reject) => {
      this.finish = resolve
      this.fail = reject
    })
  }

  submit(connection: unknown): void {
    ;(connection as CopyConnection).query(this.#text)
  }
  handleError(error: unknown): void {
    this.fail(error)
  }
  handleReadyForQuery(): void {
    this.finish()
  }
  handleCommandComplete(): void {}
  handleRowDescription(): void {}
}

class CopyOut extends CopyQuery {
  readonly #sink: (chunk: Buffer) => Promise<void>
  #pending = 0
  #batch: Buffer[] = []
  #batchSize = 0
  #writing = Promise.resolve()

  constructor(text: string, sink: (chunk: Buffer) => Promise<void>) {
    super(text)
    this.#sink = sink
  }

  handleCopyData(message: { chunk: Buffer }, connection: CopyConnection): void {
    // The driver reuses the memory behind the chunk.
    this.#batch.push(Buffer.from(message.chunk))
    this.#batchSize += message.chunk.length
    if (this.#batchSize >= BATCH) this.#flush(connection)
  }

  #flush(connection?: CopyConnection): void {
    const chunk = Buffer.concat(this.#batch)
    this.#batch = []
    this.#batchSize = 0
    this.#pending += chunk.length
    if (this.#pending > PENDING_LIMIT) connection?.stream.pause()
    this.#writing = this.#writing
      .then(() => this.#sink(chunk))
      .catch(this.fail)
      .then(() => {
        this.#pending -= chunk.length
        if (this.#pending <= PENDING_LIMIT) connection?.stream.resume()
      })
  }

  override handleReadyForQuery(): void {
    this.#flush()
    void this.#writing.then(this.finish)
  }
}

class CopyIn extends CopyQuery {
  readonly #source: AsyncIterable<Buffer>
  #refused = false

  constructor(text: string, source: AsyncIterable<Buffer>) {
    super(text)
    this.#source = source
  }

  handleCopyInResponse(connection: CopyConnection): void {
    void this.#feed(connection)
  }

  async #feed(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of this.#source) {
        if (this.#refused) return
        connection.sendCopyFromChunk(chunk)
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
      }
      connection.endCopyFrom()
    } catch (error) {
      this.fail(error)
      connection.sendCopyFail('the source broke off')
    }
  }

  override handleError(error: unknown): void {
    this.#refused = true
    this.fail(error)
  }
}

/** Runs `COPY … TO STDOUT`; `sink` gets the text and may take its time. */
export function copyOut(client: Client, text: string, sink: (chunk: Buffer) => Promise<void>): Promise<void> {
  return client.query(new CopyOut(text, sink)).done
}

/** Runs `COPY … FROM STDIN` with the text that `source` yields. */
export function copyIn(client: Client, text: string, source: AsyncIterable<Buffer>): Promise<void> {
  return client.query(new CopyIn(text, source)).done
}
