import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTsaEmulator } from './server.ts'
import { readSettings } from './settings.ts'

const QUERY = 'application/timestamp-query'

test('an authority stamps, misbehaves as it is told, and keeps its key', async () => {
  const base = mkdtempSync(path.join(os.tmpdir(), 'tsa-test-'))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const folder = path.join(base, 'authority')
  let emulator = await startTsaEmulator({ port: 0, folder })
  onTestFinished(() => emulator.close())
  const query = path.join(base, 'q.tsq')
  execFileSync('openssl', ['ts', '-query', '-digest', 'ab'.repeat(32), '-sha256', '-cert', '-out', query])
  const ask = async (type = QUERY): Promise<string> => {
    const body = execFileSync('cat', [query])
    const response = await fetch(emulator.url, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
      redirect: 'manual',
    })
    if (response.status !== 200) return String(response.status)
    expect(response.headers.get('content-type')).toBe('application/timestamp-reply')
    const reply = path.join(base, 'r.tsr')
    writeFileSync(reply, Buffer.from(await response.arrayBuffer()))
    const words = `ts -verify -queryfile ${query} -in ${reply} -CAfile ${emulator.certificates}`
    const { stdout, stderr } = spawnSync('openssl', words.split(' '), { encoding: 'utf8' })
    return `${stdout}${stderr}`
  }
  expect(await Promise.all([ask(), ask('text/plain')])).toEqual([expect.stringContaining('OK'), '415'])
  for (const [behaviour, says] of [
    ['refuses', 'status code: rejection'],
    ['other-file', 'message imprint mismatch'],
    ['other-request', 'nonce mismatch'],
    ['foreign', 'unable to get local issuer certificate'],
    ['expired', 'certificate has expired'],
    ['redirect', '302'],
    ['error', '500'],
  ] as const) {
    emulator.behave(behaviour)
    expect(await ask(), behaviour).toContain(says)
  }
  await emulator.close()
  emulator = await startTsaEmulator({ port: 0, folder })
  expect(await ask()).toContain('OK')
})

test('settings: every fault is named at once', () => {
  const { wrong } = readSettings({ PORT: 'x', HOST: ' ' }, ['--folder'])
  for (const name of ['PORT', 'HOST', '--folder']) expect(wrong.join('\n')).toContain(`${name}: `)
  expect(readSettings({ FOLDER: 'a' }, ['--port', '0'])).toEqual({
    options: { folder: 'a', port: 0 },
    wrong: [],
  })
})
