import { isMainThread } from 'node:worker_threads'

const made: string[] = []

/** A document that tells where it was made, and which ones this thread made before it. */
export async function sample(name: string): Promise<Buffer> {
  if (name.startsWith('broken')) throw new Error(`no document ${name}`)
  const before = [...made]
  made.push(name)
  return Buffer.from(JSON.stringify({ name, isMainThread, before }))
}
