import { createReadStream, existsSync, mkdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'

export type Line = [kind: string, id: string, patch: unknown]

export type Journal = {
  append(line: Line): void
  /** Resolves when everything appended so far has been handed to the operating system. */
  written(): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

export const memoryJournal: Journal = {
  append() {},
  written: () => Promise.resolve(),
  clear: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/**
 * An append-only file of JSON lines. Appends that wait at the same moment leave in one write; a killed
 * process loses nothing that was answered, because answers wait for `written()`. No fsync: a power cut is
 * not imitated.
 */
export async function openJournal(file: string, replay: (line: Line) => void): Promise<Journal> {
  mkdirSync(dirname(file), { recursive: true })
  const whole = existsSync(file) ? await replayFile(file, replay) : 0
  const handle: FileHandle = await open(file, 'a', 0o600)
  const { size } = await handle.stat()
  if (size > whole) await handle.truncate(whole)
  else if (size < whole) await handle.appendFile('\n')

  let gathering = newBatch()
  let writer: Promise<void> = Promise.resolve()

  const flush = async (): Promise<void> => {
    // One turn of the event loop lets the requests of the same moment share the write.
    await new Promise((resolve) => setImmediate(resolve))
    const batch = gathering
    gathering = newBatch()
    try {
      await handle.appendFile(batch.lines.join(''))
      batch.resolve()
    } catch (error) {
      batch.reject(error)
    }
  }

  return {
    append(line) {
      gathering.lines.push(`${JSON.stringify(line)}\n`)
      if (gathering.lines.length === 1) writer = writer.then(flush)
    },
    written: () => (gathering.lines.length > 0 ? gathering.done : writer),
    async clear() {
      await writer
      await handle.truncate(0)
    },
    async close() {
      await writer
      await handle.close()
    },
  }
}

type Batch = { lines: string[]; done: Promise<void>; resolve: () => void; reject: (error: unknown) => void }

function newBatch(): Batch {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {})
  return { lines: [], done: promise, resolve, reject }
}

/** Replays whole lines and returns how many bytes of the file are good: a torn last line is left out. */
async function replayFile(file: string, replay: (line: Line) => void): Promise<number> {
  let good = 0
  let number = 0
  let torn: number | undefined
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  for await (const text of lines) {
    number += 1
    if (torn !== undefined) throw new Error(`${file}: line ${torn} is damaged and is not the last one`)
    const line = parseLine(text)
    if (line) {
      replay(line)
      good += Buffer.byteLength(text) + 1
    } else {
      torn = number
    }
  }
  return good
}

function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.length === 3 ? (value as Line) : undefined
  } catch {
    return undefined
  }
}
