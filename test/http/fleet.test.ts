import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { bareEnvironment, projectDir } from '../../tools/testbed/program.ts'
import { isExtended } from '../support/tier.ts'

const ENGINES = ['patroni', 'etcd', 'pgbouncer', 'haproxy', 'unshare']
const isMissing = process.geteuid?.() !== 0 || ENGINES.some((name) => spawnSync('which', [name]).status !== 0)

/** Where the engines are installed; the test installs nothing. */
test.runIf(isExtended && !isMissing)(
  "no acknowledged sale is lost with the primary's machine",
  async () => {
    const args = ['tools/fleet.ts', '--only', 'kill', '--buyers', '6']
    const fleet = spawn(process.execPath, args, { cwd: projectDir, env: bareEnvironment() })
    const [printed] = await Promise.all([text(fleet.stdout), once(fleet, 'exit')])
    expect(printed).toContain('none lost, every invariant held')
    expect(fleet.exitCode).toBe(0)
  },
  900_000,
)

test('the fleet refuses scenarios that it does not have', () => {
  const args = ['tools/fleet.ts', '--only', 'flood']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: projectDir, encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('Usage: npm run fleet')])
})
