import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  DATABASES,
  FLEET_FILES,
  SCENARIOS,
  etcdEnv,
  exampleEnv,
  longestGap,
  patroniEnv,
  readScenarios,
} from './settings.ts'

const unwritten = { superuser: '…', replication: '…', shop: '…' }
const [first] = DATABASES
const fileOf = (name: string): string => readFileSync(path.join(FLEET_FILES, name), 'utf8')

test('the examples for operators are what the fleet runs with', () => {
  expect(exampleEnv('patroni.env')).toEqual(patroniEnv(first, unwritten))
  expect(exampleEnv('etcd.env')).toEqual(etcdEnv(first))
  for (const { name, address } of DATABASES)
    expect(fileOf('haproxy-database.cfg')).toContain(
      `server ${name} "\${DB_${name.slice(2)}-${address}}:5432"`,
    )
})

test('the times of Patroni fit together, and its commits wait for a second machine', () => {
  const number = (name: string): number =>
    Number(new RegExp(`^ +${name}: (\\d+)$`, 'm').exec(fileOf('patroni.yml'))?.[1])
  expect(number('loop_wait') + 2 * number('retry_timeout')).toBeLessThanOrEqual(number('ttl'))
  for (const line of ['synchronous_mode: true', 'synchronous_mode_strict: true', "synchronous_commit: 'on'"])
    expect(fileOf('patroni.yml')).toContain(` ${line}\n`)
})

test('Patroni reaches etcd by the interface through which its version compares before it writes', () => {
  expect(fileOf('patroni.yml')).toMatch(/^etcd:$/m)
  expect(fileOf('patroni.yml')).not.toMatch(/^etcd3:/m)
  expect(exampleEnv('etcd.env')).toMatchObject({ ETCD_ENABLE_V2: 'true' })
})

test.each([
  [undefined, Object.keys(SCENARIOS)],
  ['kill', ['kill']],
  ['draw,cut', ['draw', 'cut']],
  ['kill,', undefined],
  ['', undefined],
  ['flood', undefined],
  ['toString', undefined],
])('the scenarios %j are %j', (given, names) => {
  expect(readScenarios(given)).toEqual(names)
})

test.each([
  ['a pause inside', [10, 20, 90, 100], 0, 110, 70],
  ['one that began before', [5, 80], 10, 90, 75],
  ['one that has not ended', [5, 20], 10, 90, 70],
  ['nothing sold', [], 10, 90, 80],
])('the longest time without a sale: %s', (_what, moments, from, to, longest) => {
  expect(longestGap(moments, from, to)).toBe(longest)
})
