import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { Client } from 'pg'
import { expect, inject, test } from 'vitest'
import { deleteExpired } from '#server/maintenance.ts'
import { builtFolders } from '#server/pages/built-folders.ts'
import { storeAssets } from '#server/pages/release-assets.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// A process of one release; a folder stands for the build of another one.
const shop = await openShop({ pages: true })

/** A build whose files only the process of another release has. */
function otherBuild(files: Record<string, string>) {
  const build = temporaryFolder('volant-build-')
  const folders = builtFolders(build)
  for (const { folder } of folders) mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(build, name)
    writeFileSync(file, text)
    if (!/\.(?:js|css)$/.test(name)) continue
    writeFileSync(`${file}.br`, brotliCompressSync(text))
    writeFileSync(`${file}.gz`, gzipSync(text))
  }
  return folders
}

/** Whether the database is there, for everybody. */
async function connections(areAllowed: boolean): Promise<void> {
  const name = new URL(shop.url).pathname.slice(1)
  const admin = new Client({ connectionString: inject('databaseAdminUrl') })
  await admin.connect()
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${areAllowed}`)
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
  await admin.end()
}

const get = (url: string, headers: Record<string, string> = {}) => shop.app.inject({ url, headers })
const FOR_EVER = 'public, max-age=31536000, immutable'

test('a process serves the files of another release as that release does, compressed as asked', async () => {
  const folders = otherBuild({
    'client/assets/base-N2n2N2n2.js': 'export const release = "shop"',
    'client/assets/app-N2n2N2n2.css': 'main { color: red }',
    'client/fonts/volant-next.woff2': 'a font',
    'console/assets/main-N2n2N2n2.js': 'export const release = "console"',
    'preview/assets/main-N2n2N2n2.js': 'export const release = "preview"',
  })
  const addresses = {
    '/assets/base-N2n2N2n2.js': ['export const release = "shop"', FOR_EVER],
    '/assets/app-N2n2N2n2.css': ['main { color: red }', FOR_EVER],
    '/fonts/volant-next.woff2': ['a font', 'public, max-age=3600'],
    '/admin/assets/main-N2n2N2n2.js': ['export const release = "console"', FOR_EVER],
    '/admin/preview/assets/main-N2n2N2n2.js': ['export const release = "preview"', FOR_EVER],
  }
  // Asked for too early: that is not remembered.
  for (const url of Object.keys(addresses)) expect((await get(url)).statusCode, url).toBe(404)
  expect(await Promise.all([storeAssets(shop.db, folders), storeAssets(shop.db, folders)])).toHaveLength(2)
  expect(await storeAssets(shop.db, folders)).toBe(0)
  for (const [url, [text, caching]] of Object.entries(addresses)) {
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
      ['gzip, br;q=0', 'gzip'],
      ['br; q=0.0, gzip;q=0', undefined],
      ['br;q=0.1', 'br'],
    ] as const) {
      const { statusCode, headers, rawPayload } = await get(url, { 'accept-encoding': accepted })
      expect(statusCode, url).toBe(200)
      const sent = url.endsWith('.woff2') ? undefined : encoding
      expect(headers).toMatchObject({ 'cache-control': caching, vary: 'accept-encoding' })
      expect(headers['content-encoding']).toBe(sent)
      const read = { br: brotliDecompressSync, gzip: gunzipSync, '': (bytes: Buffer) => bytes }[sent ?? '']
      expect(read(rawPayload).toString()).toBe(text)
    }
  }
})

test('HEAD and ranges of a file of another release get its length and the whole of it', async () => {
  await storeAssets(shop.db, otherBuild({ 'client/assets/ranged-R1r1R1r1.js': 'let ranged' }))
  const url = '/assets/ranged-R1r1R1r1.js'
  const head = await shop.app.inject({ method: 'HEAD', url })
  expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '10', ''])
  const many = `bytes=${Array.from({ length: 500 }, (_, at) => `${at}-${at}`).join(',')}`
  for (const range of ['bytes=0-3', 'bytes=99999999999999-', many]) {
    const { statusCode, body } = await get(url, { range })
    expect([statusCode, body]).toEqual([200, 'let ranged'])
  }
})

test('a file that is cut short in the database is mended by the next start of its release', async () => {
  const build = otherBuild({
    'client/assets/cut-C1c1C1c1.js': 'content of a file',
    'client/assets/copy-C1c1C1c1.js': 'compressed copy',
    'client/assets/whole-C1c1C1c1.js': 'whole',
  })
  await storeAssets(shop.db, build)
  await sql`UPDATE assets SET content = substr(content, 1, 4) WHERE path = '/assets/cut-C1c1C1c1.js'`.execute(
    shop.db,
  )
  await sql`UPDATE assets SET brotli = NULL WHERE path = '/assets/copy-C1c1C1c1.js'`.execute(shop.db)
  expect(await storeAssets(shop.db, build)).toBe(2)
  expect((await get('/assets/cut-C1c1C1c1.js')).body).toBe('content of a file')
  const { headers } = await get('/assets/copy-C1c1C1c1.js', { 'accept-encoding': 'br' })
  expect(headers['content-encoding']).toBe('br')
})

test('two releases have another content at one address: each serves its own, a third one that of the last start', async () => {
  const clash = (text: string) => storeAssets(shop.db, otherBuild({ 'client/fonts/clash.woff2': text }))
  expect(await clash('first')).toBe(1)
  expect(await clash('second')).toBe(1)
  expect((await get('/fonts/clash.woff2')).body).toBe('second')
  await storeAssets(shop.db, otherBuild({ 'client/fonts/volant-text.woff2': 'foreign' }))
  expect((await get('/fonts/volant-text.woff2')).body).not.toBe('foreign')
})

test('while the database is away, what is in memory is served, and the rest may be asked for again', async () => {
  await storeAssets(
    shop.db,
    otherBuild({ 'client/assets/kept-D1d1D1d1.js': 'kept', 'client/assets/rest-D1d1D1d1.js': 'rest' }),
  )
  expect((await get('/assets/kept-D1d1D1d1.js')).body).toBe('kept')
  try {
    await connections(false)
    expect((await get('/assets/kept-D1d1D1d1.js')).body).toBe('kept')
    const { statusCode, headers } = await get('/assets/rest-D1d1D1d1.js')
    expect([statusCode, headers['retry-after']]).toEqual([503, expect.any(String)])
    expect(headers['cache-control']).toBe('no-store')
  } finally {
    await connections(true)
  }
  expect((await get('/assets/rest-D1d1D1d1.js')).body).toBe('rest')
})

test('the files of a build have the same type and security headers from the disk and from the database', async () => {
  await storeAssets(shop.db)
  const stored = await shop.db.selectFrom('assets').select(['path', 'type']).execute()
  const named = stored.filter(({ path: address }) => !address.includes('N2n2N2n2'))
  const ofDisk = new Map<string, Record<string, unknown>>()
  const others: Record<string, string> = {}
  for (const { path: address, type } of named.filter((one) => !one.path.includes('next'))) {
    const ending = path.extname(address)
    if (ofDisk.has(ending)) continue
    const { headers } = await get(address)
    expect(headers['content-type'], address).toBe(type)
    ofDisk.set(ending, headers)
    others[`client/assets/other-K9k9K9k9${ending}`] = 'x'
  }
  expect([...ofDisk.keys()]).toEqual(expect.arrayContaining(['.js', '.css', '.woff2']))
  await storeAssets(shop.db, otherBuild(others))
  const secure = ['content-type', 'x-content-type-options', 'content-security-policy', 'referrer-policy']
  for (const [ending, headers] of ofDisk) {
    const other = (await get(`/assets/other-K9k9K9k9${ending}`)).headers
    for (const name of secure) expect(other[name], `${ending} ${name}`).toBe(headers[name])
  }
})

test.each([
  '/assets/none-12345678.js',
  `/assets/${'a'.repeat(190)}.js`,
  '/assets/a%00b.js',
  '/assets/folder/file.js',
  '/assets/..%2fpackage.json',
  '/assets/base-N2n2N2n2.js%20',
  '/fonts/none.woff2',
  '/admin/assets/none-12345678.js',
  '/admin/preview/assets/none.js',
])('%s, which no release has, is not found', async (url) => {
  const { statusCode, headers } = await get(url)
  expect(statusCode).toBe(404)
  expect(headers['cache-control']).toBe('no-store')
})

test('files that no process has had for a month are deleted, and those in use stay', async () => {
  const old = otherBuild({ 'client/assets/old-O1o1O1o1.js': 'old', 'client/assets/both-O1o1O1o1.js': 'both' })
  await storeAssets(shop.db, old)
  await sql`UPDATE assets SET used_at = used_at - interval '31 days' WHERE path LIKE '%O1o1O1o1%'`.execute(
    shop.db,
  )
  await storeAssets(shop.db, otherBuild({ 'client/assets/both-O1o1O1o1.js': 'both' }))
  await deleteExpired(shop.db)
  expect((await get('/assets/old-O1o1O1o1.js')).statusCode).toBe(404)
  expect((await get('/assets/both-O1o1O1o1.js')).body).toBe('both')
})
