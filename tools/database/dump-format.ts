import type { Fingerprint, SequencePosition, TableShape } from './catalogue.ts'

/**
 * A dump is lines of text: one header, then for every table its shape and its rows as COPY writes them,
 * closed by `\.`, and one trailer. Without its trailer a dump is cut off and is refused.
 */
export const FORMAT = 1

export interface DumpHeader {
  kind: 'volant-database'
  format: typeof FORMAT
  madeAt: string
  migrations: { version: number; name: string; checksum: string }[]
}

export interface DumpTrailer {
  end: true
  sequences: SequencePosition[]
  fingerprints: Record<string, Fingerprint>
}

export type DumpPart = DumpHeader | TableShape | DumpTrailer

export const END_OF_ROWS = '\\.'

/** A dump or its target cannot be used; the message tells the operator why. */
export class DumpError extends Error {
  override name = 'DumpError'
}

export const lineOf = (part: DumpPart): Buffer => Buffer.from(`${JSON.stringify(part)}\n`)

/** Cuts a stream of bytes into lines, without their ends; only a line feed ends a line. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer[] = []
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = chunk.subarray(from, at)
      yield rest.length > 0 ? Buffer.concat([...rest, line]) : line
      rest = []
      from = at + 1
    }
    if (from < chunk.length) rest.push(Buffer.from(chunk.subarray(from)))
  }
  if (rest.length > 0) throw new DumpError('The dump is cut off in the middle of a line.')
}
