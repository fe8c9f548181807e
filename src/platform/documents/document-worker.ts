import { constants, setPriority } from 'node:os'

export interface DocumentTask {
  /** Address of a module, and a function that it exports. */
  module: string
  name: string
  args: unknown[]
}

// Of this thread alone, so that requests come first; other systems would lower the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/** Runs in a thread of the pool. */
export async function makeDocument({ module, name, args }: DocumentTask): Promise<Uint8Array> {
  const made = (await import(module)) as Record<string, (...given: unknown[]) => Promise<Uint8Array>>
  const make = made[name]
  if (!make) throw new Error(`${module} exports no ${name}`)
  return await make(...args)
}
