import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { lastBackupRun } from '#platform/backups.ts'
import { testDatabase } from '../../test/support/database.ts'
import { openShop } from '../../test/support/shop.ts'
import { PATIENCE } from '../../test/support/shop-process.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { isExtended } from '../../test/support/tier.ts'
import { projectDir, withClient } from '../database/tool.ts'
import { fingerprint, listTables } from '../database/tables.ts'
import { bareEnvironment } from '../testbed/program.ts'
import { draftOf } from './folder.ts'

const shop = await openShop()
await shop.newOffer({ slug: 'backed-up' })
const identity = await generateIdentity()
const recipient = await identityToRecipient(identity)

let folder = ''
let dataDir = ''
let parent = ''
beforeEach(() => {
  folder = temporaryFolder('volant-backup-')
  dataDir = path.join(folder, 'data')
  parent = path.join(folder, 'backups')
  mkdirSync(path.join(dataDir, 'media/cars'), { recursive: true })
  writeFileSync(path.join(dataDir, 'media/hero.webp'), 'a picture')
  writeFileSync(path.join(dataDir, 'media/cars/a b.webp'), 'another one')
  for (const key of ['secret-key', 'log-key']) writeFileSync(path.join(dataDir, key), `the ${key} itself`)
})

interface Run {
  code: number | null
  output: string
}

const environment = (env: Record<string, string>) => ({
  ...bareEnvironment(),
  DATABASE_URL: shop.url,
  DATA_DIR: dataDir,
  BACKUP_DIR: parent,
  ...env,
})

function start(tool: string, args: readonly string[], env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [`tools/${tool}.ts`, ...args], {
    cwd: projectDir,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (output += String(part)))
  const ended = once(child, 'close').then(([code]): Run => ({ code: code as number | null, output }))
  return { child, ended }
}
const run = (tool: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Run> =>
  start(tool, args, env).ended

const backups = (): string[] => readdirSync(parent).filter((name) => !name.startsWith('.'))
const drafts = (): string[] => readdirSync(parent).filter((name) => name.startsWith('.'))

async function made(env: Record<string, string> = {}): Promise<string> {
  const { code, output } = await run('backup', [], env)
  expect(`${code} ${output}`).toMatch(/^0 /)
  const [name = ''] = backups().toSorted().slice(-1)
  return path.join(parent, name)
}

/** Where a run is noted. */
const NOTED = new Set(['audit_log', 'backups'])

/** Of every table but those. */
const contents = (url: string) =>
  withClient(url, 'test', async (client) => {
    const found: Record<string, unknown> = {}
    for (const shape of await listTables(client))
      if (!NOTED.has(shape.table)) found[shape.table] = await fingerprint(client, shape)
    return found
  })

describe('a backup', () => {
  test('has the database and the pictures of the shop, checksums, and no key', async () => {
    const { code, output } = await run('backup')
    expect(`${code} ${output}`).toMatch(/^0 .*rows of .*not encrypted/s)
    expect(output).toContain('Not in it: the settings with their keys (SECRET_KEY, LOG_KEY')
    const [name = ''] = backups()
    const backup = path.join(parent, name)
    expect(name).toMatch(/^volant-\d{4}-\d{2}-\d{2}T\d{6}Z$/)
    expect(readdirSync(backup).toSorted()).toEqual([
      'SHA256SUMS',
      'backup.json',
      'database.gz',
      'files.tar.gz',
    ])
    expect(drafts()).toEqual([])
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: backup })
    expect(statSync(backup).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(backup))
      expect(`${file} ${(statSync(path.join(backup, file)).mode & 0o777).toString(8)}`).toBe(`${file} 600`)
    const listed = execFileSync('tar', ['--list', '-zf', path.join(backup, 'files.tar.gz')], {
      encoding: 'utf8',
    })
    expect(listed.trim().split('\n').toSorted()).toEqual([
      'media/',
      'media/cars/',
      'media/cars/a b.webp',
      'media/hero.webp',
    ])
    const plain = ['database.gz', 'files.tar.gz'].map((file) =>
      gunzipSync(readFileSync(path.join(backup, file))),
    )
    expect(Buffer.concat(plain).includes('key itself')).toBe(false)
  })

  test('restores into an empty database and folder, all of it', async () => {
    const backup = await made()
    const empty = await testDatabase({ empty: true })
    const restored = path.join(folder, 'restored')
    const env = { DATABASE_URL: empty.url, DATA_DIR: restored }
    const { code, output } = await run('db-restore', [backup, '--closed'], env)
    expect(`${code} ${output}`).toMatch(/^0 .*Closed: backed-up.*2 files of the backup/s)
    const [theirs, ours] = [await contents(empty.url), await contents(shop.url)]
    // The contest was stopped.
    for (const table of ['offers', 'offer_events']) expect(theirs[table]).not.toEqual(ours[table])
    expect({ ...theirs, offers: 0, offer_events: 0 }).toEqual({ ...ours, offers: 0, offer_events: 0 })
    expect(readFileSync(path.join(restored, 'media/cars/a b.webp'), 'utf8')).toBe('another one')
    expect(readdirSync(restored)).toEqual(['media'])
    await empty.close()
  })

  test.runIf(isExtended)('of a shop without pictures has none', async () => {
    rmSync(dataDir, { recursive: true })
    const backup = await made()
    const empty = await testDatabase({ empty: true })
    const { code, output } = await run('db-restore', [backup], { DATABASE_URL: empty.url })
    expect(`${code} ${output}`).toMatch(/^0 .*\n0 files of the backup/s)
    await empty.close()
  })

  test.runIf(isExtended)(
    'is there before an update, when the database has no table for its time',
    async () => {
      const older = await testDatabase()
      await older.pool.query('DROP TABLE backups')
      const { code, output } = await run('backup', [], { DATABASE_URL: older.url })
      expect(`${code} ${output}`).toMatch(/^0 .*rows of /s)
      expect(await lastBackupRun(older.db)).toMatchObject({ isMade: true })
      await older.close()
    },
  )

  test.runIf(isExtended)('is there when the server takes no writes, which the shop cannot know', async () => {
    const standby = await testDatabase()
    await withClient(standby.url, 'test', (client) =>
      client.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`,
      ),
    )
    const { code, output } = await run('backup', [], { DATABASE_URL: standby.url })
    expect(`${code} ${output}`).toMatch(/^0 .*takes no writes/s)
    expect(backups()).toHaveLength(1)
    await standby.close()
  })
})

describe('an encrypted backup', () => {
  const asFile = (key: string): string => {
    const file = path.join(folder, 'identity.txt')
    writeFileSync(file, `# created: 2026-01-31\n# public key: …\n${key}\n`)
    return file
  }

  test('opens with any of its keys, and with nothing else', async () => {
    const second = await generateIdentity()
    const keys = `${recipient}, ${await identityToRecipient(second)}`
    const backup = await made({ BACKUP_PUBLIC_KEY: keys })
    const files = readdirSync(backup).toSorted()
    expect(files).toEqual(['SHA256SUMS', 'backup.json', 'database.gz.age', 'files.tar.gz.age'])
    expect(() => gunzipSync(readFileSync(path.join(backup, 'database.gz.age')))).toThrow('incorrect header')
    for (const [key, outcome] of [
      [undefined, /^1 .*is encrypted: name the file of a secret key with --identity/s],
      [await generateIdentity(), /^1 .*cannot be decrypted/s],
      ['not a key', /^1 .*has no secret key of age/s],
      [identity, /^0 .*2 files of the backup/s],
      [second, /^0 .*2 files of the backup/s],
    ] as const) {
      const target = await testDatabase({ empty: true })
      const args = [backup, ...(key ? ['--identity', asFile(key)] : [])]
      const env = { DATABASE_URL: target.url, DATA_DIR: path.join(folder, 'restored') }
      const { code, output } = await run('db-restore', args, env)
      expect(`${code} ${output}`).toMatch(outcome)
      expect(Object.keys(await contents(target.url)).length > 0).toBe(code === 0)
      await target.close()
    }
  })

  test.skipIf(!isExtended || spawnSync('age', ['--version']).error)(
    'is one that the program age decrypts',
    async () => {
      const backup = await made({ BACKUP_PUBLIC_KEY: recipient })
      const file = path.join(backup, 'database.gz.age')
      const plain = execFileSync('age', ['--decrypt', '--identity', asFile(identity), file], {
        maxBuffer: 1e9,
      })
      expect(gunzipSync(plain).toString()).toContain('"kind":"volant-database"')
    },
  )

  test.runIf(isExtended)('is not written for what is no public key', async () => {
    for (const key of [identity, 'age1short', 'ssh-ed25519 AAAA']) {
      const { code, output } = await run('backup', [], { BACKUP_PUBLIC_KEY: key })
      expect(`${code} ${output}`).toMatch(/^1 BACKUP_PUBLIC_KEY: expected public keys/)
      expect(output).not.toContain(key)
    }
    expect(existsSync(parent)).toBe(false)
  })
})

type Damage = [what: string, damage: (backup: string) => void, message: RegExp]

describe('a damaged backup', () => {
  let whole = ''
  beforeAll(async () => {
    const into = temporaryFolder('volant-backup-', 'file')
    const { code, output } = await run('backup', [], { BACKUP_DIR: into })
    if (code !== 0) throw new Error(output)
    whole = path.join(into, readdirSync(into)[0]!)
  })

  const DAMAGES: Damage[] = [
    [
      'cut short',
      (at) => truncateSync(path.join(at, 'database.gz'), 1000),
      /is not whole: database\.gz has 1000 of/,
    ],
    [
      'without a part',
      (at) => rmSync(path.join(at, 'files.tar.gz')),
      /is not whole: files\.tar\.gz has no of/,
    ],
    [
      'with another byte',
      (at) => {
        const file = path.join(at, 'database.gz')
        const bytes = readFileSync(file)
        bytes[bytes.length >> 1]! ^= 1
        writeFileSync(file, bytes)
      },
      /is damaged: database\.gz has another checksum/,
    ],
    ['without its description', (at) => rmSync(path.join(at, 'backup.json')), /is no backup/],
    ['with half a description', (at) => truncateSync(path.join(at, 'backup.json'), 20), /cannot be read/],
    [
      'of a newer kind',
      (at) => {
        const file = path.join(at, 'backup.json')
        writeFileSync(file, readFileSync(file, 'utf8').replace('"format": 1', '"format": 2'))
      },
      /has format 2/,
    ],
    ...['null', '[]', '{"kind":"another"}', '"volant-backup"'].map((text): Damage => [
      `described by ${text}`,
      (at) => writeFileSync(path.join(at, 'backup.json'), text),
      /is no backup of Volant/,
    ]),
    ...['{"kind":"volant-backup","format":1}', '{"kind":"volant-backup","format":1,"files":null}'].map(
      (text): Damage => [
        `described by ${text}`,
        (at) => writeFileSync(path.join(at, 'backup.json'), text),
        /lacks something/,
      ],
    ),
    [
      'that leads out of its folder',
      (at) => {
        const file = path.join(at, 'backup.json')
        writeFileSync(file, readFileSync(file, 'utf8').replace('"files.tar.gz"', '"../files.tar.gz"'))
      },
      /lacks something/,
    ],
  ]
  /** One that the sizes, the checksums and the description tell; `backup.db.test.ts` damages what is inside. */
  const QUICK = ['cut short', 'with another byte', 'with half a description']
  test.each(isExtended ? DAMAGES : DAMAGES.filter(([what]) => QUICK.includes(what)))(
    '%s is refused, and changes nothing',
    async (what, damage, message) => {
      const backup = path.join(parent, path.basename(whole))
      cpSync(whole, backup, { recursive: true })
      damage(backup)
      const target = await testDatabase({ empty: true })
      const env = { DATABASE_URL: target.url, DATA_DIR: path.join(folder, 'restored') }
      const restored = await run('db-restore', [backup], env)
      expect([restored.code, restored.output]).toEqual([1, expect.stringMatching(message)])
      expect(await contents(target.url)).toEqual({})
      expect(existsSync(env.DATA_DIR)).toBe(false)
      await target.close()
      // It reads a backup the same way.
      if (!isExtended && what !== 'with another byte') return
      const rehearsed = await run('backup-rehearse', [backup])
      expect([rehearsed.code, rehearsed.output]).toEqual([1, expect.stringMatching(message)])
    },
  )
})

/** While a backup waits for a table in the middle of its work. */
async function withHalfABackup(end: NodeJS.Signals): Promise<Run> {
  return withClient(shop.url, 'test', async (client) => {
    await client.query('BEGIN; LOCK TABLE tickets IN ACCESS EXCLUSIVE MODE')
    const { child, ended } = start('backup', [])
    await vi.waitUntil(async () => {
      // Of a transaction it would show its beginning.
      const { rows } = await shop.pool.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'volant tool backup' AND wait_event_type = 'Lock'
           AND datname = current_database()`,
      )
      return rows.length === 1
    }, PATIENCE)
    expect(backups()).toEqual([])
    expect(drafts()).toHaveLength(1)
    child.kill(end)
    const done = await ended
    await client.query('ROLLBACK')
    return done
  })
}

describe('a backup that is ended in the middle', () => {
  test('by kill -9 leaves nothing under the name of a backup, and the next run cleans up', async () => {
    expect((await withHalfABackup('SIGKILL')).code).toBe(null)
    expect([backups(), drafts()]).toEqual([[], [expect.stringContaining('.part-')]])
    const { code, output } = await run('backup')
    expect(`${code} ${output}`).toMatch(/^0 Removed 1 that a run had left unfinished/)
    expect([backups().length, drafts()]).toEqual([1, []])
  })

  test.runIf(isExtended)('by SIGTERM leaves nothing at all', async () => {
    expect((await withHalfABackup('SIGTERM')).code).toBe(143)
    expect([backups(), drafts()]).toEqual([[], []])
  })

  test.runIf(isExtended)('is not cleaned up while it is written', async () => {
    mkdirSync(parent)
    const other = draftOf('volant-2026-01-31T034012Z').replace(`part-${process.pid}`, `part-${process.ppid}`)
    mkdirSync(path.join(parent, other))
    await made()
    expect(drafts()).toEqual([other])
  })
})

const canMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0

describe.skipIf(!canMount)('a disk that is full', () => {
  test.each([
    ['of the database', 200],
    ['of the files', 1_400],
  ])('in the middle %s: what is there stays, and the shop is told', async (_what, kilobytes) => {
    const before = await made()
    const kept = path.join(folder, 'kept')
    renameSync(before, kept)
    writeFileSync(path.join(dataDir, 'media/film.mp4'), randomBytes(2_000_000))
    const own = process.geteuid?.() === 0 ? '-m' : '-rm'
    const script = `
      mount -t tmpfs -o size=${kilobytes}k none "$BACKUP_DIR" && cp -a "$1" "$BACKUP_DIR/$2" &&
      { [ ${kilobytes} != 200 ] || head -c 150000 /dev/urandom > "$BACKUP_DIR/other"; }
      "$3" tools/backup.ts; echo "code $?"; ls -A "$BACKUP_DIR"`
    const name = path.basename(before)
    const { stdout, stderr } = spawnSync(
      'unshare',
      [own, 'sh', '-c', script, 'sh', kept, name, process.execPath],
      { cwd: projectDir, encoding: 'utf8', env: environment({}) },
    )
    expect(stderr).toMatch(/No backup was written: ENOSPC: no space left on device/)
    const left = stdout.slice(stdout.indexOf('code')).trim().split('\n')
    expect(left.filter((line) => line !== 'other')).toEqual(['code 1', name])
    const fault = expect.stringContaining('ENOSPC') as string
    expect(await lastBackupRun(shop.db)).toMatchObject({ isMade: false, bytes: null, fault })
  })
})

describe('the copy to another place', () => {
  /** A program that the test writes. */
  function script(text: string): string {
    const file = path.join(folder, 'copy.sh')
    writeFileSync(file, `#!/bin/sh\n${text}\n`)
    chmodSync(file, 0o700)
    return file
  }

  test('is made by a program without a shell, which gets the folder and no setting of the shop', async () => {
    const there = path.join(folder, 'there')
    mkdirSync(there)
    const command = `${script(`cp -r "$1" "$2"; shift 2; printf '%s|' "$@" > ${there}/words; env > ${there}/env`)} {} ${there} ; $HOME`
    const env = {
      BACKUP_COPY_COMMAND: command,
      SECRET_KEY: 'x'.repeat(40),
      RCLONE_CONFIG: '/etc/rclone.conf',
    }
    const backup = await made(env)
    expect(readdirSync(path.join(there, path.basename(backup)))).toEqual(readdirSync(backup))
    expect(readFileSync(path.join(there, 'words'), 'utf8')).toBe(';|$HOME|')
    const given = readFileSync(path.join(there, 'env'), 'utf8')
    expect(given).toContain('RCLONE_CONFIG=')
    expect(given).not.toMatch(/SECRET_KEY|DATABASE_URL/)
    expect(await lastBackupRun(shop.db)).toMatchObject({ isMade: true, isCopied: true, fault: null })
  })

  test.each<[string, () => string, RegExp]>([
    [
      'fails',
      () => `${script('echo "remote: quota exceeded" >&2; exit 3')} {}`,
      /ended with 3: remote: quota exceeded/,
    ],
    ['is killed', () => `${script('kill -9 $$')} {}`, /ended with SIGKILL/],
    ['does not exist', () => '/nowhere/rclone copy {}', /\/nowhere\/rclone cannot be run/],
  ])('that %s is an error, and the backup stays', async (_what, command, message) => {
    const { code, output } = await run('backup', [], { BACKUP_COPY_COMMAND: command() })
    expect([code, output]).toEqual([1, expect.stringMatching(message)])
    expect(backups()).toHaveLength(1)
    const fault = expect.stringMatching(message) as string
    expect(await lastBackupRun(shop.db)).toMatchObject({ isMade: true, isCopied: false, fault })
  })
})

describe('old backups', () => {
  /** The same backup with another date. */
  function dated(backup: string, name: string): string {
    const copy = path.join(parent, name)
    cpSync(backup, copy, { recursive: true })
    const file = path.join(copy, 'backup.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(path.basename(backup), name))
    return copy
  }

  test('go by BACKUP_KEEP; nothing goes that the shop did not write, and no damaged one counts', async () => {
    const first = await made()
    dated(first, 'volant-2025-01-30T034000Z')
    dated(first, 'volant-2025-01-31T034000Z')
    writeFileSync(path.join(dated(first, 'volant-2025-01-29T034000Z'), 'note.txt'), 'keep this one')
    truncateSync(path.join(dated(first, 'volant-2099-01-01T034000Z'), 'database.gz'), 10)
    cpSync(first, path.join(parent, 'volant-2025-01-28T034000Z'), { recursive: true })
    mkdirSync(path.join(parent, 'volant-2025-01-27T034000Z'))
    mkdirSync(path.join(parent, 'photographs'))
    writeFileSync(path.join(parent, 'volant-2025-01-26T034000Z'), 'a file')
    symlinkSync(first, path.join(parent, 'volant-2025-01-25T034000Z'))
    const { code, output } = await run('backup', [], { BACKUP_KEEP: '1 0 0' })
    expect(`${code} ${output}`).toMatch(/^0 /)
    const newest = backups()
      .toSorted()
      .findLast((name) => name < 'volant-2099')!
    expect(backups().toSorted()).toEqual(
      [
        'photographs',
        'volant-2025-01-25T034000Z',
        'volant-2025-01-26T034000Z',
        'volant-2025-01-27T034000Z',
        'volant-2025-01-28T034000Z',
        'volant-2025-01-29T034000Z',
        // Of the last two days.
        path.basename(first),
        newest,
        'volant-2099-01-01T034000Z',
      ].toSorted(),
    )
    expect(newest).not.toBe(path.basename(first))
    for (const told of [
      /Removed volant-2025-01-30/,
      /is not whole/,
      /has a file of others/,
      /was volant-.* once/,
    ])
      expect(output).toMatch(told)
    expect(drafts()).toEqual([])
  })

  test.runIf(isExtended)('stay when no new one was written', async () => {
    const first = await made()
    dated(first, 'volant-2025-01-30T034000Z')
    const env = { BACKUP_KEEP: '1 0 0', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }
    const { code, output } = await run('backup', [], env)
    expect([code, output]).toEqual([1, expect.stringContaining('No backup was written')])
    expect(backups()).toHaveLength(2)
  })

  test.each(isExtended ? ['0 1 1', '7', '7 4', 'many'] : ['0 1 1'])(
    'are not counted by BACKUP_KEEP=%s',
    async (keep) => {
      const { code, output } = await run('backup', [], { BACKUP_KEEP: keep })
      expect([code, output]).toEqual([
        1,
        'BACKUP_KEEP: expected three numbers: of days, weeks and months, the first 1 or more.\n',
      ])
    },
  )
})

test('a whole backup is one that the doctor counts, and a failed run is none', async () => {
  const other = await testDatabase()
  await other.pool.query(
    'CREATE TABLE IF NOT EXISTS backups (taken_at timestamptz PRIMARY KEY DEFAULT clock_timestamp())',
  )
  const counted = async () => (await other.pool.query('SELECT FROM backups')).rows.length
  await made({ DATABASE_URL: other.url })
  expect(await counted()).toBe(1)
  await run('backup', [], { DATABASE_URL: other.url, BACKUP_DIR: path.join(dataDir, 'log-key') })
  expect(await counted()).toBe(1)
  expect(await lastBackupRun(other.db)).toMatchObject({ isMade: false, fault: expect.any(String) })
  await other.close()
})

test.runIf(isExtended)(
  'the shop knows the last backup and what came of it, and nothing before the first',
  async () => {
    const other = await testDatabase()
    expect(await lastBackupRun(other.db)).toBe(undefined)
    await other.close()
    const backup = await made({ BACKUP_PUBLIC_KEY: recipient })
    const last = await lastBackupRun(shop.db)
    expect(last).toMatchObject({
      name: path.basename(backup),
      isMade: true,
      isEncrypted: true,
      isCopied: null,
      fault: null,
    })
    expect(last!.bytes).toBeGreaterThan(1_000)
  },
)
