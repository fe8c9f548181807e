import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromHex, toBase64, toBytes } from '#draw-protocol/bytes.ts'
import { keyIdOf } from '#draw-protocol/checkpoints.ts'
import { checkpointOf, keptOf, keyProofText, refusalToSign, witnessLine } from '#draw-protocol/witness.ts'
import type { WitnessDraw } from '../../witness.contract.ts'
import { drawLab } from '../draw-lab.test-support.ts'
import { sha256 } from '../sha256.ts'

const lab = await drawLab()
const { shop, time } = lab
const host = new URL(shop.config.publicUrl).host
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const KEY = '/api/staff/witness/key/'
const pathOf = (id: number): string => `/api/staff/draws/${id}/witness/`

const textAt = async (url: string): Promise<string> => (await shop.app.inject({ method: 'GET', url })).body

/** An Ed25519 key outside of the shop. */
function outsideKey(name: string) {
  const { privateKey } = generateKeyPairSync('ed25519')
  const secret = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const publicKey = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32)
  const signed = (text: Uint8Array): Uint8Array => sign(null, text, secret)
  return {
    name,
    publicKey,
    body: {
      name,
      public_key: toBase64(publicKey),
      proof: toBase64(signed(toBytes(keyProofText(host, name)))),
    },
    lineOf: (note: string): string =>
      witnessLine({ name, publicKey }, signed(checkpointOf(note).text), sha256),
  }
}

test('a witness registers a key, countersigns the latest checkpoint and that of the seal; both verifiers still pass', async () => {
  const contest = await lab.newContest()
  await shop.paidOrder(3, undefined, contest.id)
  await lab.work()
  const witness = await shop.newStaff('witness')
  const own = outsideKey('Notary-Peeters')
  const { id, slug } = contest

  const before = (await witness.get(pathOf(id))).body as unknown as WitnessDraw
  expect(before).toMatchObject({ key: null, slug, origin: `${host}/draws/${slug}` })
  expect(before.checkpoints.map(({ of }) => of)).toEqual(['latest'])
  const [latest] = before.checkpoints
  const line = own.lineOf(latest!.note)
  const signing = { checkpoint: latest!.id, line }
  expect((await witness.post(pathOf(id), signing)).body).toMatchObject({ code: 'witness.noKey' })

  // Neither the shop's name nor somebody else's key.
  expect((await witness.post(KEY, { ...own.body, name: host })).body).toMatchObject({
    fields: { name: [expect.any(String)] },
  })
  expect((await witness.post(KEY, { ...own.body, name: 'Not ASCII é' })).status).toBe(400)
  expect(
    (await witness.post(KEY, { ...own.body, proof: outsideKey(own.name).body.proof })).body,
  ).toMatchObject({
    fields: { proof: [expect.any(String)] },
  })
  const made = await Promise.all([witness.post(KEY, own.body), witness.post(KEY, own.body)])
  expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const other = await shop.newStaff('witness')
  expect((await other.post(KEY, outsideKey('notary-peeters').body)).body).toMatchObject({
    code: 'witness.keyTaken',
  })
  expect((await (await shop.newStaff('owner')).post(pathOf(id), signing)).status).toBe(403)

  // Another key, another text, and what is no line.
  const faults = [
    outsideKey(own.name).lineOf(latest!.note),
    line.replace('— Notary', '— Other'),
    'signed',
    `${line}\n${line}`,
  ]
  for (const fault of faults)
    expect((await witness.post(pathOf(id), { checkpoint: latest!.id, line: fault })).status, fault).toBe(400)
  expect((await witness.post(pathOf(id), { ...signing, checkpoint: latest!.id + 99 })).status).toBe(404)

  const signed = await Promise.all([witness.post(pathOf(id), signing), witness.post(pathOf(id), signing)])
  expect(signed.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const note = await textAt(`/draws/${slug}/checkpoint`)
  expect(note).toBe(`${latest!.note}${line}\n`)

  await lab.goOn(contest, 'draw')
  const seal = ((await witness.get(pathOf(id))).body as unknown as WitnessDraw).checkpoints.find(
    ({ of }) => of === 'seal',
  )
  expect(
    (await witness.post(pathOf(id), { checkpoint: seal!.id, line: own.lineOf(seal!.note) })).body,
  ).toMatchObject({
    checkpoints: expect.arrayContaining([expect.objectContaining({ of: 'seal', is_signed: true })]),
  })
  const file = await textAt(`/draws/${slug}/checkpoints.txt`)
  expect(file.split('\n').filter((one) => one.startsWith('— Notary-Peeters '))).toHaveLength(2)
  const { open, remarks } = await lab.evidenceOf(slug)
  expect(open.map(({ step }) => step)).toEqual(['forfeitures', 'end'])
  expect(remarks).toEqual(['demonstration'])
  const shown = (await shop.anonymous('GET', `/api/draws/${slug}`)).body
  expect(shown['witnesses']).toMatchObject([{ name: own.name, size: seal!.size }])
  expect(shown['witnesses'][0].key).toMatch(
    new RegExp(`^${own.name}\\+${Buffer.from(keyIdOf(own.name, own.publicKey, sha256)).toString('hex')}\\+`),
  )

  // An ended key signs nothing any more, and what it has signed stays.
  await witness.stepUp('witness.keys')
  expect((await witness.post(`${KEY}end/`)).status).toBe(204)
  expect((await witness.post(`${KEY}end/`)).status).toBe(409)
  expect(await textAt(`/draws/${slug}/checkpoints.txt`)).toBe(file)
  await expect(run('DELETE FROM witness_signatures')).rejects.toThrow(/refused/)
})

test('a witness refuses a log that differs from what it has signed', async () => {
  const contest = await lab.newContest()
  const { id, slug } = contest
  const witness = await shop.newStaff('witness')
  const latest = async () => {
    const draw = (await witness.get(pathOf(id))).body as unknown as WitnessDraw
    return { note: draw.checkpoints[0]!.note, logKey: draw.log_key, origin: draw.origin }
  }
  const proofOf = async (first: number, second: number): Promise<Uint8Array[]> => {
    const { body } = await shop.anonymous('GET', `/draws/${slug}/consistency?first=${first}&second=${second}`)
    return (body['proof'] as string[]).map(fromHex)
  }
  await shop.paidOrder(3, undefined, id)
  await lab.work()
  const first = await latest()
  expect(refusalToSign({ ...first, kept: null, proof: [] }, sha256)).toBeNull()
  const kept = keptOf(checkpointOf(first.note), first.logKey)
  await shop.paidOrder(4, undefined, id)
  await time.goTo(time.seconds() + 60)
  await lab.work()
  const second = await latest()
  const proof = await proofOf(kept.size, checkpointOf(second.note).size)
  const refusal = (change: object) => refusalToSign({ ...second, kept, proof, ...change }, sha256)
  expect(refusal({})).toBeNull()
  // An older checkpoint of the same log, as that of a seal, is fine.
  const later = keptOf(checkpointOf(second.note), second.logKey)
  expect(refusal({ ...first, kept: later })).toBeNull()

  const otherRoot = toBase64(sha256(toBytes('another log')))
  expect(refusal({ kept: { ...kept, root: otherRoot } })).toBe('rewritten')
  expect(refusal({ proof: proof.slice(1) })).toBe('rewritten')
  expect(refusal({ kept: { ...kept, size: 999 }, proof: [] })).toBe('otherTimes')
  expect(refusal({ kept: { ...later, size: 999 }, proof: [] })).toBe('rewritten')
  expect(refusal({ kept: { ...later, root: otherRoot }, proof: [] })).toBe('rewritten')
  expect(refusal({ kept: { ...kept, time: later.time + 1 } })).toBe('otherTimes')
  expect(refusal({ kept: { ...kept, logKey: `${host}+00000000+AA==` } })).toBe('otherKey')
  expect(refusal({ origin: `${host}/draws/another` })).toBe('notTheShop')
  expect(refusal({ note: second.note.replace('time 2', 'time 3') })).toBe('notTheShop')
  expect(refusal({ note: 'signed' })).toBe('notTheShop')
})
