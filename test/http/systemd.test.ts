import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { nowMs } from '#shared/clock.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = path.resolve(import.meta.dirname, '../..')
const units = path.join(root, 'deploy/systemd')
const isMissing = spawnSync('systemd-analyze', ['--version']).error !== undefined

/** In tenths: 2.0 of 10. */
const MOST_EXPOSED = 20

const names = globSync('volant-*', { cwd: units })

/** The units as installed, with this checkout in the place of the release and a template as one of its processes. */
function installed(): string {
  const folder = temporaryFolder('volant-units-')
  mkdirSync(folder, { recursive: true })
  for (const name of names) {
    const text = readFileSync(path.join(units, name), 'utf8').replaceAll('/srv/shop/current', root)
    writeFileSync(path.join(folder, name.replace('@', '@3001')), text.replaceAll('%i', '3001'))
  }
  return folder
}

test('the units run what a release has, and everything that they name is there', () => {
  expect(names.toSorted()).toEqual([
    'volant-backup.service',
    'volant-backup.timer',
    'volant-web@.service',
    'volant-worker.service',
  ])
  for (const name of names.filter((one) => one.endsWith('.service'))) {
    const text = readFileSync(path.join(units, name), 'utf8')
    const named = [...text.matchAll(/(?:^| )((?:tools|src|node_modules)\/[\w./-]+)/gm)].map(
      ([, file]) => file!,
    )
    const inRelease = [...text.matchAll(/\/srv\/shop\/current\/([\w./-]+)/g)].map(([, file]) => file!)
    expect(named.length, name).toBeGreaterThan(0)
    for (const file of [...named, ...inRelease]) expect(existsSync(path.join(root, file)), file).toBe(true)
    expect(text).toContain('User=volant')
  }
})

test('the unit of the backup writes one, and keeps those of a month', async () => {
  const { url } = await openShop()
  const folder = temporaryFolder('volant-backup-')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'settings'), `DATABASE_URL=${url}\n`)
  for (const name of ['volant-new.gz', 'volant-old.gz', 'other.gz'])
    writeFileSync(path.join(folder, name), '')
  const longAgo = new Date(nowMs() - 40 * 24 * 3_600_000)
  for (const name of ['volant-old.gz', 'other.gz']) utimesSync(path.join(folder, name), longAgo, longAgo)
  const unit = readFileSync(path.join(units, 'volant-backup.service'), 'utf8')
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? []
  const [, cleaning = ''] = /^ExecStartPost=(.*)$/m.exec(unit) ?? []
  const env = { ...bareEnvironment(), CREDENTIALS_DIRECTORY: folder, STATE_DIRECTORY: folder }
  const run = (line: string): void =>
    void execFileSync('/bin/sh', ['-fc', line.replaceAll('$$', '$').replaceAll('%%', '%')], {
      cwd: root,
      env,
    })
  run(command)
  run(cleaning)
  const kept = globSync('*.gz', { cwd: folder }).toSorted()
  expect(kept).toEqual(['other.gz', expect.stringMatching(/^volant-\d{4}-.*Z\.gz$/), 'volant-new.gz'])
  expect(gunzipSync(readFileSync(path.join(folder, kept[1]!))).length).toBeGreaterThan(10_000)
})

describe.skipIf(isMissing)('systemd-analyze', () => {
  test('finds no fault in the units', () => {
    const folder = installed()
    const files = globSync('volant-*', { cwd: folder }).map((name) => path.join(folder, name))
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], {
      encoding: 'utf8',
    })
    const ours = (stdout + stderr).split('\n').filter((line) => line.includes('volant'))
    expect(ours).toEqual([])
  })

  test('finds no service more exposed than 2.0 of 10', () => {
    const folder = installed()
    for (const name of globSync('*.service', { cwd: folder })) {
      const args = [
        'security',
        '--offline=true',
        '--no-pager',
        `--threshold=${MOST_EXPOSED}`,
        path.join(folder, name),
      ]
      expect(spawnSync('systemd-analyze', args, { encoding: 'utf8' }), name).toMatchObject({ status: 0 })
    }
  })
})
