import { PassThrough } from 'node:stream'
import { once } from 'node:events'
import type { Client } from 'pg'
import { otherUsers } from './catalogue.ts'
import { dump } from './dump.ts'
import { DumpError } from './dump-format.ts'
import { load, type LoadOptions } from './load.ts'

/** Copies everything from one database into another, which must be empty; both sides are compared. */
export async function move(
  source: Client,
  target: Client,
  options: LoadOptions,
): Promise<Record<string, number>> {
  const users = await otherUsers(source)
  // What the shop sells during the copy would be lost.
  if (users.length > 0)
    throw new DumpError(`Stop the shop first; connected to its database: ${users.join(', ')}.`)
  const pipe = new PassThrough({ highWaterMark: 1024 * 1024 })
  // Both ends report their faults themselves.
  pipe.on('error', () => {})
  const reading = load(target, pipe, options)
  const writing = dump(source, async (chunk) => {
    if (!pipe.write(chunk)) await Promise.race([once(pipe, 'drain'), reading])
  }).then(
    () => pipe.end(),
    (error: Error) => pipe.destroy(error),
  )
  try {
    return await reading
  } finally {
    pipe.destroy()
    await writing
  }
}
