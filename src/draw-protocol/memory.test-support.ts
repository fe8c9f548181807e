import { sha256 } from '@noble/hashes/sha2.js'

/** Keeps what a slow check of a signature has found: tests verify almost the same draw hundreds of times. */
function memory<A extends unknown[]>(ask: (...args: A) => boolean): (...args: A) => boolean {
  const responses = new Map<string, boolean>()
  return (...args) => {
    const key = JSON.stringify(args, (_, value: unknown) =>
      value instanceof Uint8Array ? [...value] : value,
    )
    const known = responses.get(key) ?? ask(...args)
    responses.set(key, known)
    return known
  }
}

type Original<Module> = () => Promise<Module>

/** In the place of ./beacon.ts. */
export async function rememberingBeacon(original: Original<typeof import('./beacon.ts')>) {
  const beacon = await original()
  const ask = memory((question: Parameters<typeof beacon.isRoundSignature>[0]) =>
    beacon.isRoundSignature(question, sha256),
  )
  return { ...beacon, isRoundSignature: ask }
}

/** In the place of the library of Ed25519. */
export async function rememberingEd25519(original: Original<typeof import('@noble/curves/ed25519.js')>) {
  const { ed25519 } = await original()
  return { ed25519: { ...ed25519, verify: memory(ed25519.verify) } }
}

/** In the place of ./ml-dsa.ts. */
export async function rememberingMlDsa(original: Original<typeof import('./ml-dsa.ts')>) {
  return { verifyMlDsa: memory((await original()).verifyMlDsa) }
}
