/**
 * `node tools/release/image-sbom.ts ROOT` writes into the root of an image, for which Containerfile calls it, the list of
 * what this release and that root consist of.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { SBOM, type Sbom, withSystem } from './sbom.ts'

const [system = ''] = process.argv.slice(2)
const released = JSON.parse(readFileSync(path.join(import.meta.dirname, '../..', SBOM), 'utf8')) as Sbom
writeFileSync(path.join(system, SBOM), `${JSON.stringify(withSystem(released, system), null, 2)}\n`)
