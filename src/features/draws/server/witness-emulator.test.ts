import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toBase64, toBytes } from '#draw-protocol/bytes.ts'
import { parseCheckpoints } from '#draw-protocol/checkpoints.ts'
import { type WitnessKey, cosignaturesOf, readWitnessKey } from '#draw-protocol/cosignatures.ts'
import { MerkleRoots, leafHash } from '#draw-protocol/merkle.ts'
import { consistencyProof } from '#draw-protocol/tiles.ts'
import { logKeyOf } from './log-key.ts'
import { sha256 } from './sha256.ts'
import { rootOfProof } from '../../../../emulators/witness/consistency.ts'
import { startWitnessEmulator } from '../../../../emulators/witness/server.ts'
import { type EmulatorOptions, readSettings } from '../../../../emulators/witness/settings.ts'

const ORIGIN = 'shop.test/draws'
const key = logKeyOf('11'.repeat(32))
const [, keyName = '', keyText = ''] = /^([^+]+)\+[^+]+\+(.+)$/.exec(key.verifierKey('shop.test')) ?? []
const log = { origin: ORIGIN, keyName, publicKey: Buffer.from(keyText, 'base64').subarray(1) }
const NOW = 1_800_000_000

/** Hashes of the leaves of a log; another `salt` gives another history. */
const hashesOf = (size: number, salt = ''): Uint8Array[] =>
  Array.from({ length: size }, (_, at) => leafHash(sha256, toBytes(`${salt}${at}`)))
const rootOf = (hashes: readonly Uint8Array[]): Uint8Array => {
  const roots = new MerkleRoots(sha256)
  for (const hash of hashes) roots.addHash(hash)
  return roots.root()
}
const proofOf = (hashes: readonly Uint8Array[], old: number): Promise<Uint8Array[]> =>
  consistencyProof(old, hashes.length, async (_, index) => Buffer.concat(hashes.slice(index * 256)), sha256)
const noteOf = (hashes: readonly Uint8Array[], origin = ORIGIN): string =>
  key.note('shop.test', { origin, size: hashes.length, root: rootOf(hashes), time: NOW })

const requestOf = (old: number, proof: readonly Uint8Array[], note: string): string =>
  `old ${old}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${note}`

async function open(options: EmulatorOptions = {}) {
  const emulator = await startWitnessEmulator({
    port: 0,
    logs: [log],
    now: () => new Date(NOW * 1000),
    ...options,
  })
  onTestFinished(() => emulator.close())
  const post = async (body: string, at = 0) => {
    const response = await fetch(`${emulator.witnesses[at]!.url}/add-checkpoint`, { method: 'POST', body })
    return {
      status: response.status,
      body: await response.text(),
      type: response.headers.get('content-type'),
    }
  }
  const keys = emulator.witnesses.map(({ vkey }) => readWitnessKey(vkey, sha256)) as WitnessKey[]
  const add = async (hashes: readonly Uint8Array[], old: number, at = 0) =>
    post(
      requestOf(old, old === 0 || old >= hashes.length ? [] : await proofOf(hashes, old), noteOf(hashes)),
      at,
    )
  return { emulator, post, add, keys }
}

test.each([1, 2, 3, 5, 8, 13, 70])(
  'proofs of the shop from every size to %i verify, and no other',
  async (size) => {
    const hashes = hashesOf(size)
    for (let old = 1; old <= size; old += 1) {
      const proof = old === size ? [] : await proofOf(hashes, old)
      const claim = { first: rootOf(hashes.slice(0, old)), old, size, root: rootOf(hashes), proof }
      expect(rootOfProof(claim), `${old}`).toBe(true)
      expect(rootOfProof({ ...claim, root: rootOf(hashesOf(size, 'x')) }), `${old}`).toBe(false)
      expect(rootOfProof({ ...claim, first: rootOf(hashesOf(old, 'x')) }), `${old}`).toBe(false)
      expect(rootOfProof({ ...claim, proof: [...proof, hashes[0]!] }), `${old}`).toBe(false)
      expect(proof.length > 0 && rootOfProof({ ...claim, proof: proof.slice(1) }), `${old}`).toBe(false)
    }
  },
)

test('witnesses cosign a log that grows, each with its own key and its time', async () => {
  const { add, keys } = await open()
  for (const [at, witness] of keys.entries()) {
    let old = 0
    for (const size of [1, 4, 4, 9]) {
      const hashes = hashesOf(size)
      const { status, body } = await add(hashes, old, at)
      expect(status).toBe(200)
      const checkpoint = parseCheckpoints(toBytes(noteOf(hashes) + body))[0]!
      expect(cosignaturesOf(checkpoint, keys)).toEqual([{ key: witness, time: NOW }])
      old = size
    }
  }
})

test('a witness says which size it has, and refuses other histories, logs and keys', async () => {
  const { add, post } = await open()
  expect((await add(hashesOf(4), 0)).status).toBe(200)
  const conflict = { status: 409, body: '4\n', type: 'text/x.tlog.size' }
  expect(await add(hashesOf(9), 0)).toEqual(conflict)
  expect(await add(hashesOf(9), 5)).toEqual(conflict)
  expect(await add(hashesOf(4, 'other '), 4)).toEqual(conflict)
  expect((await add(hashesOf(9, 'other '), 4)).status).toBe(422)
  expect((await post(requestOf(9, [], noteOf(hashesOf(4))))).status).toBe(400)
  expect((await post(requestOf(4, [], noteOf(hashesOf(9))))).status).toBe(422)
  expect((await post(requestOf(4, [], noteOf(hashesOf(9), 'other.test/draws')))).status).toBe(404)
  const forged = noteOf(hashesOf(9)).replace(/^— \S+ ....(..)/m, (line) => line.slice(0, -2) + 'AA')
  expect((await post(requestOf(4, [], forged))).status).toBe(403)
  for (const body of [
    '',
    'old 4',
    'old 04\n\nx\n',
    'old x\n\n\n\n',
    `old 0\n${'x\n'.repeat(64)}\n${noteOf([])}`,
  ])
    expect((await post(body)).status, JSON.stringify(body)).toBe(400)
  expect((await add(hashesOf(9), 4)).status).toBe(200)
})

test('what a witness has seen stays across starts', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'witness-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const stateFile = path.join(folder, 'state.json')
  const first = await open({ stateFile })
  expect((await first.add(hashesOf(4), 0)).status).toBe(200)
  await first.emulator.close()
  const second = await open({ stateFile })
  expect((await second.add(hashesOf(9), 0)).body).toBe('4\n')
  expect((await second.add(hashesOf(9), 0, 1)).status).toBe(200)
})

test('a witness misbehaves as it is told, alone or with the others', async () => {
  const { emulator, add, keys } = await open()
  const timeOf = (body: string): number =>
    cosignaturesOf(parseCheckpoints(toBytes(noteOf(hashesOf(4)) + body))[0]!, keys)[0]!.time
  emulator.behaveAlone(0, 'slow-clock')
  expect(timeOf((await add(hashesOf(4), 0)).body)).toBe(NOW - 3600)
  expect(timeOf((await add(hashesOf(4), 0, 1)).body)).toBe(NOW)
  emulator.behave('fast-clock')
  expect(timeOf((await add(hashesOf(4), 4, 1)).body)).toBe(NOW + 7200)
  for (const behaviour of ['bad-signature', 'other-key'] as const) {
    emulator.behaveAlone(0, behaviour)
    const { body } = await add(hashesOf(4), 4)
    expect(() => timeOf(body), behaviour).toThrow('not valid')
  }
  emulator.behaveAlone(0, 'signs-all')
  expect((await add(hashesOf(9, 'other '), 4)).status).toBe(200)
  emulator.behaveAlone(0, 'unknown-log')
  expect((await add(hashesOf(9), 4)).status).toBe(404)
  emulator.behaveAlone(0, 'error')
  expect((await add(hashesOf(9), 4)).status).toBe(500)
  emulator.behaveAlone(0)
  emulator.behave('honest')
  expect((await add(hashesOf(9), 4)).status).toBe(200)
})

test('settings: every fault is named at once', () => {
  const vkey = key.verifierKey('shop.test')
  const wrong = readSettings({ PORT: 'x', NAMES: 'a,a', LOGS: `${ORIGIN}` }, ['--seed']).wrong.join('\n')
  for (const name of ['PORT', 'NAMES', 'LOGS', '--seed']) expect(wrong).toContain(`${name}: `)
  expect(readSettings({ LOGS: `${ORIGIN} ${vkey}`, NAMES: 'a.test, b.test' }, [])).toEqual({
    options: { logs: [log], names: ['a.test', 'b.test'] },
    wrong: [],
  })
})
