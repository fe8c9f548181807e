import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = path.resolve(import.meta.dirname, '../..')
const units = path.join(root, 'deploy/systemd')
const isMissing = spawnSync('systemd-analyze', ['--version']).error !== undefined

/** In tenths: 2.0 of 10. */
const MOST_EXPOSED = 20

const names = globSync('volant-*', { cwd: units })
const ofPostgres = path.join(root, 'deploy/pgbackrest')

/** The units as installed, with this checkout in the place of the release and a template as one of its processes. */
function installed(): string {
  const folder = temporaryFolder('volant-units-')
  mkdirSync(folder, { recursive: true })
  for (const name of names) {
    const text = readFileSync(path.join(units, name), 'utf8').replaceAll('/srv/shop/current', root)
    writeFileSync(path.join(folder, name.replace('@', '@3001')), text.replaceAll('%i', '3001'))
  }
  for (const name of globSync('volant-*.{service,timer}', { cwd: ofPostgres }))
    writeFileSync(path.join(folder, name), readFileSync(path.join(ofPostgres, name)))
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

/** The way of a shop without systemd that docs/recovery.md names. */
const cronLine = (): string =>
  /^(?:\S+ ){5}cd \S+ && (.*)$/m.exec(readFileSync(path.join(root, 'docs/recovery.md'), 'utf8'))?.[1] ?? ''

test.each([
  ['the unit of the backup', (unit: string) => /^ExecStart=\S+ (.*)$/m.exec(unit)?.[1] ?? ''],
  ['the line for cron', cronLine],
])('%s writes one, by the settings of the shop', async (_which, commandOf) => {
  const { url } = await openShop()
  const folder = temporaryFolder('volant-backup-')
  const unit = readFileSync(path.join(units, 'volant-backup.service'), 'utf8')
  const [, parent = ''] = /^Environment=BACKUP_DIR=(.*)$/m.exec(unit) ?? []
  expect(parent).toBe('/var/lib/volant-backup')
  expect(unit).toContain('StateDirectory=volant-backup')
  writeFileSync(path.join(folder, 'settings'), `DATABASE_URL=${url}\nBACKUP_DIR=/nowhere\n`)
  const command = commandOf(unit).replaceAll('%d', folder)
  const line = command.startsWith('npm') ? command : `"${process.execPath}" ${command}`
  execFileSync('/bin/sh', ['-fc', line], {
    cwd: root,
    env: { ...bareEnvironment(), BACKUP_DIR: folder, DATABASE_URL: url },
  })
  const [name = ''] = globSync('volant-*', { cwd: folder })
  expect(globSync('*', { cwd: path.join(folder, name) })).toContain('database.gz')
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
      // An account of Debian's, which runs PostgreSQL beside it.
      if (name === 'volant-pgbackrest.service') continue
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
