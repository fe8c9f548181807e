import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../../tools/run/free-port.ts'
import { concatBytes, toBytes, toText, u64be } from '#draw-protocol/bytes.ts'
import { parseCheckpoints, signatureLine } from '#draw-protocol/checkpoints.ts'
import { cosignedMessage, readWitnessKey, witnessKey, witnessKeyText } from '#draw-protocol/cosignatures.ts'
import { logKeyOf } from '../log-key.ts'
import { sha256 } from '../sha256.ts'
import { addCheckpoint } from './witness-client.ts'

const NOW = 1_800_000_000
const note = logKeyOf('5e'.repeat(32)).note('shop.test', {
  origin: 'shop.test/draws',
  size: 3,
  root: sha256(toBytes('root')),
  time: NOW,
})

/** An address that responds with this. */
async function responding(status: number, body: string, type = 'text/plain'): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, { 'content-type': type }).end(body))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/w/`
}
const ask = (url: string, key = own.key) => addCheckpoint({ key, url }, { old: 0, proof: [], note }, 2_000)

/** A witness with a key of the kind that is recommended for new ones. */
function mlDsaWitness() {
  const { privateKey, publicKey } = generateKeyPairSync('ml-dsa-44')
  const raw = Uint8Array.from(publicKey.export({ format: 'der', type: 'spki' }).subarray(-1312))
  const key = witnessKey('witness.test/new', 'ml-dsa-44', raw, sha256)
  const lineOf = (time: number): string => {
    const message = cosignedMessage(key, time, parseCheckpoints(toBytes(note))[0]!)
    return toText(signatureLine(key.name, key.id, concatBytes(u64be(time), sign(null, message, privateKey))))
  }
  return { key, lineOf }
}
const own = mlDsaWitness()

test('a signature of ML-DSA-44 is taken, and one of another key is not', async () => {
  expect(readWitnessKey(witnessKeyText(own.key), sha256)).toEqual(own.key)
  const line = own.lineOf(NOW)
  const others = '— other.test/w AAAAAAAAAAA=\n'
  expect(await ask(await responding(200, others + line))).toEqual({
    kind: 'signed',
    time: NOW,
    line: line.trimEnd(),
  })
  const other = mlDsaWitness()
  const forged = other.lineOf(NOW).replace(/ \S+\n$/, (text) => {
    const bytes = Buffer.from(text.trim(), 'base64')
    return ` ${Buffer.concat([own.key.id, bytes.subarray(4)]).toString('base64')}\n`
  })
  expect(await ask(await responding(200, forged))).toEqual({ kind: 'failed', fault: 'a false signature' })
})

test.each([
  [409, '12\n', 'text/x.tlog.size', { kind: 'size', size: 12 }],
  [409, '12\n', 'text/plain', { kind: 'failed', fault: 'status 409' }],
  [409, '012', 'text/x.tlog.size', { kind: 'failed', fault: 'status 409' }],
  [422, '', 'text/plain', { kind: 'inconsistent' }],
  [403, '', 'text/plain', { kind: 'failed', fault: 'status 403' }],
  [302, '', 'text/plain', { kind: 'failed', fault: 'status 302' }],
  [200, '', 'text/plain', { kind: 'failed', fault: 'no signature of its key' }],
  [200, '\nx\n', 'text/plain', { kind: 'failed', fault: 'not the answer of a witness' }],
] as const)('a response with %i and %j as %s', async (status, body, type, expected) => {
  expect(await ask(await responding(status, body, type))).toEqual(expected)
})

test('a witness that cannot be reached is said to be', async () => {
  expect(await ask(`http://127.0.0.1:${await freePort()}`)).toEqual({ kind: 'failed', fault: 'ECONNREFUSED' })
})
