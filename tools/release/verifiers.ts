import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Beside the two programs, in the form of `sha256sum --check`. */
const SUMS = 'SHA256SUMS'
const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Puts the programs that check draws into a folder. @param page the built page @returns their hashes by their names */
export function writeVerifiers(projectDir: string, page: string, folder: string): Map<string, string> {
  const sources = { 'verify.html': page, 'verify-draw.py': path.join(projectDir, 'tools/verify-draw.py') }
  mkdirSync(folder, { recursive: true })
  const hashes = new Map<string, string>()
  for (const [name, source] of Object.entries(sources)) {
    copyFileSync(source, path.join(folder, name))
    hashes.set(name, hashOf(readFileSync(path.join(folder, name))))
  }
  writeFileSync(path.join(folder, SUMS), [...hashes].map(([name, hash]) => `${hash}  ${name}\n`).join(''))
  return hashes
}

/** What a shop has in the place of our programs: the hash that it serves, and the last one of its register. */
export interface Found {
  name: string
  served: string | null
  registered: string | null
}

/** Asks a shop for its programs that check draws, and for its register. */
export async function findVerifiers(address: string, names: Iterable<string>): Promise<Found[]> {
  const get = async (name: string): Promise<Buffer | null> => {
    const url = new URL(name, address)
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch((error: Error) => {
      throw new Error(`${url.href} does not respond: ${error.message}.`, { cause: error })
    })
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`${response.url} responds with status ${response.status}.`)
    return Buffer.from(await response.arrayBuffer())
  }
  const leaves = String((await get('/draws/log.txt')) ?? '').split('\n')
  return Promise.all(
    [...names].map(async (name) => {
      const content = await get(`/${name}`)
      const last = leaves.findLast((leaf) => leaf.startsWith(`volant-verifier-v1\t${name}\t`))
      return { name, served: content && hashOf(content), registered: last?.split('\t')[2] ?? null }
    }),
  )
}
