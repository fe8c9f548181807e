import { LF, concatBytes } from './bytes.ts'

/** How much is read at once. */
const PART = 1 << 16
const NOTHING = new Uint8Array()

/** Reads a file from its beginning to its end, and holds no more of it than was asked for at once. */
export class ByteReader {
  /** How many bytes were taken. */
  at = 0
  private readonly parts: AsyncIterator<Uint8Array> | Iterator<Uint8Array>
  private held: Uint8Array[] = []
  private count = 0
  private ended = false

  constructor(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.parts = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]()
  }

  /** The next bytes: so many, or fewer at the end of the file. */
  async peek(length: number): Promise<Uint8Array> {
    while (!this.ended && this.count < length) {
      const next = await this.parts.next()
      if (next.done) this.ended = true
      else if (next.value.length > 0) {
        this.held.push(next.value)
        this.count += next.value.length
      }
    }
    const wanted = Math.min(length, this.count)
    if (this.held.length > 1 && this.held[0]!.length < wanted) this.held = [concatBytes(...this.held)]
    return this.held[0]?.subarray(0, wanted) ?? NOTHING
  }

  /** The next bytes, which are read then. */
  async take(length: number): Promise<Uint8Array> {
    const bytes = await this.peek(length)
    const [first] = this.held
    if (first && bytes.length === first.length) this.held.shift()
    else if (first) this.held[0] = first.subarray(bytes.length)
    this.count -= bytes.length
    this.at += bytes.length
    return bytes
  }

  /** The next line without its LF, which is not read by this; null when the file has no more LF. */
  async peekLine(): Promise<Uint8Array | null> {
    for (let length = 256; ; length *= 2) {
      const bytes = await this.peek(length)
      const end = bytes.indexOf(LF)
      if (end !== -1) return bytes.subarray(0, end)
      if (bytes.length < length) return null
    }
  }

  /** The next whole lines, or one that is longer than a part; last of all what has no LF. Empty at the end. */
  async takeLines(): Promise<Uint8Array> {
    for (let length = PART; ; length *= 2) {
      const bytes = await this.peek(length)
      const end = bytes.lastIndexOf(LF) + 1
      if (end > 0) return await this.take(end)
      if (bytes.length < length) return await this.take(bytes.length)
    }
  }

  /** Everything that is left; null when it is more than `most` bytes. */
  async rest(most: number): Promise<Uint8Array | null> {
    const bytes = await this.take(most + 1)
    return bytes.length > most ? null : bytes
  }
}
