import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/support/database.ts'
import { openShop } from '../../test/support/shop.ts'
import { PATIENCE, startShopProcess } from '../../test/support/shop-process.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { isExtended } from '../../test/support/tier.ts'
import { projectDir } from '../database/tool.ts'
import { bareEnvironment } from '../testbed/program.ts'

/** In the place of everybody whom a shop calls: PayPal, mail server, beacon. */
let calls = 0
const others = createServer((socket) => {
  calls += 1
  socket.destroy()
})
others.listen(0, '127.0.0.1')
await once(others, 'listening')
afterAll(() => void others.close())
const { port } = others.address() as AddressInfo

const shop = await openShop()
// Its receipt waits to be sent.
await shop.paidOrder()

let folder = ''
let temporary = ''
beforeEach(() => {
  calls = 0
  folder = temporaryFolder('volant-rehearsal-')
  temporary = path.join(folder, 'tmp')
  mkdirSync(temporary)
  // PostgreSQL has another account where root starts it.
  for (const one of [folder, temporary]) chmodSync(one, 0o711)
})

const partners = {
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  PAYPAL_BASE_URL: `http://127.0.0.1:${port}`,
  BEACON_URLS: `http://127.0.0.1:${port}`,
}

async function run(tool: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [`tools/${tool}.ts`, ...args], {
    cwd: projectDir,
    env: {
      ...bareEnvironment(),
      TMPDIR: temporary,
      // A package of a process may begin a cache there, outside of a run of all tests, which has one elsewhere.
      ...(!('NODE_COMPILE_CACHE' in bareEnvironment()) && { NODE_DISABLE_COMPILE_CACHE: '1' }),
      DATABASE_URL: shop.url,
      DATA_DIR: path.join(folder, 'data'),
      BACKUP_DIR: path.join(folder, 'backups'),
      ...partners,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

const linesOf = (output: string): string[] =>
  output
    .split('\n')
    .flatMap((line) => /^(?:ok|FAULT) +(?:Audit log|\w+)/.exec(line)?.[0].replace(/ +/, ' ') ?? [])

describe('a rehearsal', () => {
  test('starts a shop on the newest backup, walks through it, calls nobody, and leaves nothing', async () => {
    await run('backup')
    const [first = ''] = readdirSync(path.join(folder, 'backups'))
    await run('backup')
    const newest = readdirSync(path.join(folder, 'backups')).toSorted().at(-1)!
    expect(newest > first).toBe(true)
    const { code, output } = await run('backup-rehearse')
    expect(`${code} ${output}`).toMatch(/^0 /)
    expect(linesOf(output)).toEqual([
      'ok Checksums',
      'ok Database',
      'ok Files',
      'ok Audit log',
      'ok Invariants',
      'ok Shop',
      'ok Pages',
    ])
    expect(output).toContain(`${newest} can be restored.`)
    expect(output).toMatch(/Pages +7 open/)
    expect(calls).toBe(0)
    expect(readdirSync(temporary)).toEqual([])
  })

  test.runIf(isExtended)(
    'is what keeps it from calling: the same shop as a process of its own does',
    async () => {
      const copy = await testDatabase({ empty: true })
      await run('backup')
      const [name = ''] = readdirSync(path.join(folder, 'backups'))
      await run('db-restore', [path.join(folder, 'backups', name)], { DATABASE_URL: copy.url })
      const env = { DATABASE_URL: copy.url, DATA_DIR: path.join(folder, 'data'), ...partners }
      const usual = await startShopProcess({ env: { ...env, LOG_LEVEL: 'silent' } })
      try {
        await expect.poll(() => calls, PATIENCE).toBeGreaterThan(0)
      } finally {
        await usual.end('SIGKILL')
        await copy.close()
      }
    },
  )

  test.runIf(isExtended)('tells why the shop does not start', async () => {
    await run('backup')
    const { code, output } = await run('backup-rehearse', [], { HOLD_MINUTES: 'many' })
    expect([code, linesOf(output)]).toEqual([1, expect.arrayContaining(['ok Invariants', 'FAULT Shop'])])
    expect(output).toMatch(/it does not start.*HOLD_MINUTES/s)
  })

  test.runIf(isExtended)('needs a backup', async () => {
    const nowhere = path.join(folder, 'nowhere')
    expect(await run('backup-rehearse', [], { BACKUP_DIR: nowhere })).toEqual({
      code: 1,
      output: `${nowhere} has no whole backup: npm run backup.\n`,
    })
    expect(await run('backup-rehearse', [folder])).toMatchObject({
      code: 1,
      output: expect.stringContaining('is no backup'),
    })
    writeFileSync(path.join(folder, 'file'), '')
    expect((await run('backup-rehearse', [path.join(folder, 'file')])).code).toBe(1)
    expect(readFileSync(path.join(folder, 'file'), 'utf8')).toBe('')
  })

  // The last one: it breaks the shop's own database.
  test.runIf(isExtended)('finds a broken invariant and a rewritten audit log, and says which', async () => {
    // Each is noted in the audit log, which the next one has.
    await run('backup')
    await shop.pool.query('ALTER TABLE offers DISABLE TRIGGER USER')
    await shop.pool.query('UPDATE offers SET tickets_sold = tickets_sold - 1 WHERE tickets_sold > 0')
    await shop.pool.query('ALTER TABLE audit_log DISABLE TRIGGER USER')
    const { rowCount } = await shop.pool.query(
      `WITH changed AS (SELECT id, replace(entry, 'volant-', 'vilant-') AS entry FROM audit_log
                        WHERE entry LIKE '%volant-%' ORDER BY id LIMIT 1)
       UPDATE audit_log l SET entry = c.entry, hash = sha256(l.previous_hash || convert_to(c.entry, 'UTF8'))
       FROM changed c WHERE c.id = l.id`,
    )
    expect(rowCount).toBe(1)
    await run('backup', [], { BACKUP_DIR: path.join(folder, 'broken') })
    const { code, output } = await run('backup-rehearse', [], { BACKUP_DIR: path.join(folder, 'broken') })
    expect([code, linesOf(output)]).toEqual([
      1,
      expect.arrayContaining(['FAULT Audit log', 'FAULT Invariants', 'ok Shop', 'ok Pages']),
    ])
    expect(output).toMatch(/BROKEN +I1 /)
    expect(output).toContain('does not give a shop that works')
    expect(readdirSync(temporary)).toEqual([])
  })
})
