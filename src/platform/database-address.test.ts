import { expect, test } from 'vitest'
import { describeHosts, readAddress } from './database-address.ts'
import { databaseClient } from './database-client.ts'

test.each([
  ['postgres://u:p@a/db', ['a:5432']],
  ['postgresql://u:p@a:6000/db', ['a:6000']],
  ['postgres://u:p%40x@a:5432,b:5433/db?target_session_attrs=read-write', ['a:5432', 'b:5433']],
  ['postgres://u@a,b,c/db', ['a:5432', 'b:5432', 'c:5432']],
  ['postgres://u@[::1]:5432,b/db', ['::1:5432', 'b:5432']],
  ['postgres://u@/db?host=a,b&port=5432,6432', ['a:5432', 'b:6432']],
  ['postgres://u@localhost/db?host=a,b&port=6432', ['a:6432', 'b:6432']],
  ['postgres://u@x:7000/db?host=a,b', ['a:7000', 'b:7000']],
  ['postgres://u@localhost/db?host=%2Frun%2Fone,%2Frun%2Ftwo', ['/run/one:5432', '/run/two:5432']],
  ['postgres://u@localhost/db?host=/run/postgresql', ['/run/postgresql:5432']],
  ['postgres://u@a/db?target_session_attrs=any', ['a:5432']],
])('%s names %j', (given, servers) => {
  const clients = readAddress(given)!.urls.map((url) => databaseClient(url))
  expect(clients.map(({ host, port }) => `${host}:${port}`)).toEqual(servers)
  for (const client of clients) expect([client.user, client.database]).toEqual(['u', 'db'])
})

test.each([
  '',
  'a:5432',
  'http://a/db',
  'postgres://u@a,/db',
  'postgres://u@a:x,b/db',
  'postgres://u@/db?host=a,b&port=1,2,3',
  'postgres://u@a,b/db?target_session_attrs=read',
  'postgres://u@a/db?target_session_attrs=toString',
])('%j is no address', (given) => {
  expect(readAddress(given)).toBeUndefined()
})

test.each([
  ['postgres://u:secret@a:5432,b/db', 'a:5432, b'],
  ['postgres://u:secret@db.example:5433/db', 'db.example:5433'],
  ['postgres://u@localhost/db?host=%2Frun%2Fpostgresql', '/run/postgresql'],
])('%s is described as %s', (given, words) => {
  expect(describeHosts(given)).toBe(words)
})

test('every parameter but those of several servers reaches the driver', () => {
  const given = 'postgres://u@a,b/db?sslmode=verify-full&sslrootcert=/etc/ca.pem&target_session_attrs=primary'
  for (const url of readAddress(given)!.urls)
    expect([...new URL(url).searchParams]).toEqual([
      ['sslmode', 'verify-full'],
      ['sslrootcert', '/etc/ca.pem'],
    ])
})
