import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** The list of a release's files, with the size of each. */
export const LIST = 'release.json'

const NAMED = 3

const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Whether the folder `root` comes from a tarball of `npm run release`, and is no checkout. */
export const isRelease = (root) => read(path.join(root, 'package.json'))?.release !== undefined

/** Why the folder `root` is not the whole release that it should be; undefined for a whole one and for a checkout. */
export function releaseFault(root) {
  const manifest = read(path.join(root, 'package.json'))
  const say = (reason) =>
    `${root} is not a whole release: ${reason}. Remove the folder, unpack the tarball again and compare its checksum.`
  if (!manifest) return say('package.json is missing or cut off')
  if (manifest.release === undefined) return undefined
  const list = read(path.join(root, LIST))
  if (!list?.files) return say(`${LIST} is missing or cut off`)
  if (list.release !== manifest.release)
    return say(`${LIST} is of ${list.release}, and package.json of ${manifest.release}`)
  const sizeOf = (name) => statSync(path.join(root, name), { throwIfNoEntry: false })?.size
  const wrong = Object.entries(list.files).filter(([name, size]) => sizeOf(name) !== size)
  if (wrong.length === 0) return undefined
  const named = wrong
    .slice(0, NAMED)
    .map(([name]) => `${name}${existsSync(path.join(root, name)) ? ' (another size)' : ' (missing)'}`)
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : ''
  return say(
    `${wrong.length === 1 ? 'this file is' : 'these files are'} not as released: ${named.join(', ')}${more}`,
  )
}
