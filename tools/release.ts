/**
 * `npm run release [-- --to FOLDER]`: builds the pages and packs what a shop runs with into a tarball for this kind of
 * system, with Node and without anything that only builds or tests. Writes its checksum and the list of its components
 * beside it, and the two programs that check draws. `--without-database` leaves out the programs of the embedded database, for a shop that has a PostgreSQL server.
 * docs/deployment.md installs it, and Containerfile makes an image of it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { releaseName } from '#server/release.ts'
import { LIST } from './bootstrap/whole-release.mjs'
import { fromCaller, projectDir, runTool } from './database/tool.ts'
import { SBOM } from './release/sbom.ts'
import { stageRelease } from './release/stage.ts'
import { writeVerifiers } from './release/verifiers.ts'
import { VERIFIER, buildIfNeeded } from './run/build.ts'
import { atEnd, endingSignal } from './run/ending.ts'
import { readOptions, say } from './run/say.ts'

const { values } = readOptions('npm run release -- [--to FOLDER] [--without-database]', {
  options: { to: { type: 'string', default: '.' }, 'without-database': { type: 'boolean', default: false } },
})

await runTool(async () => {
  await buildIfNeeded(projectDir, endingSignal())
  const kind = { hasDatabase: !values['without-database'] }
  const name = `volant-${releaseName()}`
  const folder = fromCaller(values.to)
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(path.join(os.tmpdir(), 'volant-release-'))
  const done = atEnd(async () => rmSync(work, { recursive: true, force: true }))
  try {
    const stage = path.join(work, name)
    mkdirSync(stage)
    const files = Object.keys(stageRelease(projectDir, stage, releaseName(), kind))
    // The list comes last: whatever is unpacked in part has none.
    const listed = path.join(work, 'files')
    writeFileSync(listed, [...files, LIST].map((file) => `${name}/${file}\n`).join(''))
    const tarball = path.join(folder, `${name}-${process.platform}-${process.arch}.tar.gz`)
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go+rX,go-w']
    execFileSync('tar', ['-czf', tarball, '-C', work, '--no-recursion', ...owner, '-T', listed])
    const hash = createHash('sha256')
    await pipeline(createReadStream(tarball), hash)
    writeFileSync(`${tarball}.sha256`, `${hash.digest('hex')}  ${path.basename(tarball)}\n`)
    say(`${tarball}: ${files.length} files, ${(statSync(tarball).size / 1e6).toFixed(0)} MB.`)
    copyFileSync(path.join(stage, SBOM), path.join(folder, `${name}.cdx.json`))
    say(`Its checksum is in ${path.basename(tarball)}.sha256, what it consists of in ${name}.cdx.json.`)
    const verifiers = path.join(folder, `${name}-verifiers`)
    writeVerifiers(projectDir, path.join(projectDir, VERIFIER), verifiers)
    say(`The programs that check draws, and their hashes, are in ${path.basename(verifiers)}.`)
  } finally {
    rmSync(work, { recursive: true, force: true })
    done()
  }
})
