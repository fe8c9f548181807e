import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { bareEnvironment, projectDir } from '../../tools/testbed/program.ts'
import { isExtended } from '../support/tier.ts'

const ENGINES = ['patroni', 'etcd', 'pgbouncer', 'haproxy', 'unshare']
const isMissing = process.geteuid?.() !== 0 || ENGINES.some((name) => spawnSync('which', [name]).status !== 0)

async function runFleet(...args: string[]): Promise<{ code: number | null; printed: string }> {
  const fleet = spawn(process.execPath, ['tools/fleet.ts', '--buyers', '6', ...args], {
    cwd: projectDir,
    env: bareEnvironment(),
  })
  const [printed] = await Promise.all([text(fleet.stdout), once(fleet, 'exit')])
  return { code: fleet.exitCode, printed }
}

/** Where the engines are installed; the test installs nothing. */
describe.runIf(isExtended && !isMissing)('of three database machines', () => {
  test('the primary is killed, cut off from the others, and gets a full disk: no acknowledged sale is lost', async () => {
    const { code, printed } = await runFleet('--only', 'kill,split,disk')
    expect(printed).toContain('none lost, every invariant held')
    expect(code).toBe(0)
  }, 900_000)

  test('the primary is cut off from the others: sales are lost, and found lost, where commits wait for nobody', async () => {
    const { code, printed } = await runFleet('--only', 'split', '--asynchronous')
    expect(printed).toMatch(/LOST: the acknowledged ticket .*BROKEN/s)
    expect(code).toBe(1)
  }, 900_000)
})

test('the fleet refuses scenarios that it does not have', () => {
  const args = ['tools/fleet.ts', '--only', 'flood']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: projectDir, encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('Usage: npm run fleet')])
})
