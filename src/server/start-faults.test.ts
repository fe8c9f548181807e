import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { logKeyFault, rootFault, startFault } from './start-faults.ts'

const places = {
  dataDir: '/srv/data',
  databaseUrl: 'postgres://shop:secret@db.example:5433/volant',
  host: '127.0.0.1',
  port: 3000,
}
const failed = (code: string, about: object = {}) => Object.assign(new Error('why'), { code, ...about })

const server = 'the PostgreSQL server at db.example:5433'
test.each([
  [`DATABASE_URL: ${server} does not accept this user and password (why).`, failed('28P01')],
  [`DATABASE_URL: ${server} does not accept this user (why).`, failed('28000')],
  [`DATABASE_URL: ${server} has no database of this name (why).`, failed('3D000')],
  [`DATABASE_URL: ${server} does not let this user create tables or`, failed('42501')],
  [
    `DATABASE_URL: ${server} does not answer or takes no writes`,
    failed('ECONNREFUSED', { syscall: 'connect' }),
  ],
  [
    `DATABASE_URL: ${server} does not answer`,
    failed('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'db.example' }),
  ],
  [`DATABASE_URL: ${server} is too busy (why).`, failed('53300')],
  [`DATABASE_URL: ${server} wants a password`, new Error('SASL: client password must be a string')],
  [`DATABASE_URL: no secure connection to ${server}`, failed('DEPTH_ZERO_SELF_SIGNED_CERT')],
  [
    'DATABASE_URL: a file that the address names cannot be read (why);',
    failed('ENOENT', { path: '/etc/ca.pem', syscall: 'open' }),
  ],
  [
    'DATA_DIR: this account may not write to /srv/data/x;',
    failed('EACCES', { path: '/srv/data/x', syscall: 'open' }),
  ],
  ['DATA_DIR: the disk is read-only at /srv/data/x;', failed('EROFS', { path: '/srv/data/x' })],
  ['DATA_DIR: the disk is full at /srv/data;', failed('ENOSPC', { syscall: 'write' })],
  ['DATA_DIR: this account may not write to /srv;', failed('EACCES', { path: '/srv' })],
  ['PORT: another program uses port 3000;', failed('EADDRINUSE', { syscall: 'listen' })],
  ['PORT: this account may not use port 3000;', failed('EACCES', { syscall: 'listen' })],
  ['HOST: cannot listen on 127.0.0.1, port 3000', failed('EADDRNOTAVAIL', { syscall: 'listen' })],
])('%s', (sentence, error) => {
  const said = startFault(error, places)
  expect(said?.slice(0, sentence.length)).toBe(sentence)
  expect(said).not.toMatch(/\n|secret/)
})

test('the place of a wrong key of the logs is said, and not the key', () => {
  const fault = logKeyFault({ logKey: 'ab'.repeat(32), dataDir: '/srv/data' }, 'shop.example/register')
  expect(fault).toMatch(/^LOG_KEY: .* shop\.example\/register .* in the settings;/)
  expect(fault).not.toContain('abab')
  // A database that was restored without the file beside it.
  const generated = logKeyFault({ logKey: undefined, dataDir: '/srv/data' }, 'shop.example/register')
  expect(generated).toContain(' in /srv/data/log-key;')
})

test('a server that is reached by a socket is named by its folder', () => {
  const databaseUrl = 'postgres://shop@localhost/volant?host=%2Fvar%2Frun%2Fpostgresql'
  expect(startFault(failed('28000'), { ...places, databaseUrl })).toBe(
    'DATABASE_URL: the PostgreSQL server at /var/run/postgresql does not accept this user (why).',
  )
})

test('several servers are named without a password', () => {
  const databaseUrl = 'postgres://shop:secret@db1:5432,db2:5433/volant?target_session_attrs=read-write'
  expect(startFault(failed('28P01'), { ...places, databaseUrl })).toBe(
    'DATABASE_URL: the PostgreSQL server at db1:5432, db2:5433 does not accept this user and password (why).',
  )
})

test('a fault of the code has no sentence and keeps its stack', () => {
  for (const error of [
    new TypeError('x is undefined'),
    failed('42601'),
    failed('EACCES', { path: '/etc/x' }),
    'x',
  ])
    expect(startFault(error, places)).toBeUndefined()
  expect(startFault(failed('28P01'), { ...places, databaseUrl: undefined })).toBeUndefined()
})

test('a file in the place of the data folder is named', () => {
  const dataDir = path.join(temporaryFolder(), 'file')
  writeFileSync(dataDir, '')
  const said = [dataDir, path.join(dataDir, 'below')].map((folder) => {
    try {
      return mkdirSync(folder, { recursive: true })
    } catch (error) {
      return startFault(error, { ...places, dataDir: folder })
    }
  })
  expect(said).toEqual([
    expect.stringContaining(`DATA_DIR: there is a file and no folder at ${dataDir};`),
    expect.stringContaining('DATA_DIR: a file stands in the way of'),
  ])
})

test.each([
  ['live mode as root', false, 0, /^MODE: live mode does not run as root\. .*README\.md/],
  ['live mode as a user', false, 1_000, /^undefined$/],
  ['the demonstration as root', true, 0, /^undefined$/],
])('%s gets the right explanation', (_, demo, userId, response) => {
  expect(String(rootFault({ demo }, userId))).toMatch(response)
})
