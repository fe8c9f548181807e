import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { concatBytes, toBase64, toBytes, toHex, u64be } from './bytes.ts'
import {
  type Checkpoint,
  checkpointFile,
  checkpointText,
  parseCheckpoints,
  signatureLine,
} from './checkpoints.ts'
import {
  FalseCosignature,
  type WitnessKey,
  cosignaturesOf,
  cosignedMessage,
  readWitnessKey,
  witnessKey,
} from './cosignatures.ts'
import { PolicyFault, confirmedAt, fewest, parsePolicy } from './witness-policy.ts'

const secretOf = (name: string): Uint8Array => sha256(toBytes(name))
const keyOf = (name: string): WitnessKey =>
  witnessKey(name, 'ed25519', ed25519.getPublicKey(secretOf(name)), sha256)
const textOf = ({ name, id, kind, publicKey }: WitnessKey): string =>
  `${name}+${toHex(id)}+${toBase64(concatBytes(Uint8Array.of(kind === 'ed25519' ? 4 : 6), publicKey))}`

const BODY = { origin: 'shop.example/draws', size: 7, root: sha256(toBytes('root')), time: 1_800_000_000 }
const TEXT = checkpointText(BODY)

/** The line of a witness that signs at this time. */
const lineOf = (name: string, time: number, text = TEXT): Uint8Array => {
  const key = keyOf(name)
  const message = cosignedMessage(key, time, { ...BODY, text })
  return signatureLine(name, key.id, concatBytes(u64be(time), ed25519.sign(message, secretOf(name))))
}
const noteOf = (...lines: Uint8Array[]): Checkpoint => parseCheckpoints(checkpointFile(TEXT, lines))[0]!

test('a witness of Ed25519 signs the header, its time and the whole note', () => {
  expect(new TextDecoder().decode(cosignedMessage(keyOf('w'), 1_679_315_147, { ...BODY, text: TEXT }))).toBe(
    `cosignature/v1\ntime 1679315147\nshop.example/draws\n7\n${toBase64(BODY.root)}\ntime 2027-01-15T08:00:00Z\n`,
  )
})

test('a witness of ML-DSA-44 signs its name, its time, and origin, size and root', () => {
  const message = cosignedMessage({ name: 'w.example', kind: 'ml-dsa-44' }, 258, { ...BODY, text: TEXT })
  expect(toHex(message)).toBe(
    [
      toHex(toBytes('subtree/v1\n\0')),
      `09${toHex(toBytes('w.example'))}`,
      '0000000000000102',
      `12${toHex(toBytes('shop.example/draws'))}`,
      '0000000000000000',
      '0000000000000007',
      toHex(BODY.root),
    ].join(''),
  )
})

test('cosignatures of the keys that one knows are read, and lines of others ignored', () => {
  const note = noteOf(lineOf('a', 5), lineOf('b', 9), lineOf('stranger', 1))
  const keys = [keyOf('b'), keyOf('a'), keyOf('silent')]
  expect(cosignaturesOf(note, keys).map(({ key, time }) => [key.name, time])).toEqual([
    ['a', 5],
    ['b', 9],
  ])
})

test.each<[what: string, line: () => Uint8Array]>([
  ['of another text', () => lineOf('a', 5, toBytes('shop.example/draws\n8\nroot\n'))],
  [
    'with another time than the signed one',
    () => {
      const { signature } = noteOf(lineOf('a', 5)).signatures[0]!
      return signatureLine('a', keyOf('a').id, concatBytes(u64be(4), signature.subarray(8)))
    },
  ],
  [
    'without a time',
    () => signatureLine('a', keyOf('a').id, noteOf(lineOf('a', 5)).signatures[0]!.signature.subarray(8)),
  ],
  ['at the time zero', () => lineOf('a', 0)],
  ['of nothing', () => signatureLine('a', keyOf('a').id, new Uint8Array(72))],
])('a line %s under the name of a witness refuses the checkpoint', (_, line) => {
  expect(() => cosignaturesOf(noteOf(lineOf('b', 5), line()), [keyOf('b'), keyOf('a')])).toThrow(
    FalseCosignature,
  )
})

test('a signature of ML-DSA-44 goes to the library for it, and counts for nothing without one', () => {
  const publicKey = new Uint8Array(1312).fill(3)
  const key = witnessKey('pq.example', 'ml-dsa-44', publicKey, sha256)
  const signature = new Uint8Array(2420).fill(9)
  const note = noteOf(signatureLine(key.name, key.id, concatBytes(u64be(77), signature)))
  const asked: unknown[] = []
  const found = cosignaturesOf(note, [key], (...given) => asked.push(given) > 0)
  expect(found).toEqual([{ key, time: 77 }])
  expect(asked).toEqual([[signature, cosignedMessage(key, 77, note), publicKey]])
  expect(() => cosignaturesOf(note, [key])).toThrow(FalseCosignature)
})

test.each([
  ['', 'nothing'],
  [textOf(keyOf('a')).replace('+', '-'), 'no name'],
  [textOf(keyOf('a')).replace('a+', 'b+'), 'the id of another name'],
  [textOf(keyOf('a')).slice(0, -4), 'a key that is too short'],
  [`a+00000000+${toBase64(new Uint8Array(33).fill(1))}`, 'a key for checkpoints'],
])('%j is no key of a witness: %s', (text) => expect(readWitnessKey(text, sha256)).toBeNull())

const NAMES = ['x1', 'x2', 'x3', 'y1', 'y2']
const WITNESSES = NAMES.map((name) => `witness ${name} ${textOf(keyOf(name))} https://${name}.example`)
const POLICY = `# two organisations
log ignored+key
${WITNESSES.join('\n')}

group xs 2 x1 x2 x3
group\tys any y1 y2
group both all xs ys
quorum both
`

test.each<[confirmed: string, at: number | null]>([
  ['', null],
  ['x1@1 x2@2 x3@3', null],
  ['y1@1 y2@2', null],
  ['x1@1 y1@2', null],
  ['x1@1 x2@5 y2@3', 5],
  ['x1@9 x2@5 x3@2 y1@8 y2@3', 5],
  ['x1@1 x2@1 y1@7', 7],
])('%j of a policy of groups is confirmed at %j', (confirmed, at) => {
  const policy = parsePolicy(POLICY, sha256)
  const cosignatures = confirmed.split(' ').flatMap((one) => {
    const [name, time] = one.split('@')
    const witness = policy.witnesses.find(({ key }) => key.name === name)
    return witness ? [{ key: witness.key, time: Number(time) }] : []
  })
  expect(confirmedAt(policy, cosignatures)).toBe(at)
})

test('a policy may ask for one witness, or for nobody', () => {
  const one = parsePolicy(`${WITNESSES[0]}\nquorum x1`, sha256)
  expect(one.witnesses).toEqual([{ key: keyOf('x1'), url: 'https://x1.example' }])
  expect([confirmedAt(one, [{ key: one.witnesses[0]!.key, time: 4 }]), fewest(one)]).toEqual([4, 1])
  const nobody = parsePolicy('quorum none\n', sha256)
  expect(nobody).toEqual({ witnesses: [], quorum: null })
  expect([confirmedAt(nobody, []), fewest(nobody)]).toEqual([null, 0])
  expect(fewest(parsePolicy(POLICY, sha256))).toBe(3)
})

test.each([
  ['', 'the quorum is missing'],
  ['quorum x', 'line 1: "x" is not defined above'],
  ['quorum none\nquorum none', 'line 2: a second quorum'],
  ['quorum', 'line 1: expected one name'],
  ['witnes x', 'line 1: "witnes" is unknown'],
  ['witness x', 'line 1: expected the key of a witness'],
  [`witness none ${textOf(keyOf('a'))}`, 'line 1: a name is missing'],
  [`witness a ${textOf(keyOf('a'))} ftp://a`, 'line 1: "ftp://a" is no address'],
  [`witness a ${textOf(keyOf('a'))}\nwitness b ${textOf(keyOf('a'))}`, 'line 2: the same key twice'],
  [`witness a ${textOf(keyOf('a'))}\nwitness a ${textOf(keyOf('b'))}`, 'line 2: "a" is defined twice'],
  [`${WITNESSES[0]}\ngroup g 2 x1`, 'line 2: expected all, any or a number'],
  [`${WITNESSES[0]}\ngroup g 0 x1`, 'line 2: expected all, any or a number'],
  [`${WITNESSES[0]}\ngroup g any`, 'line 2: expected all, any or a number'],
  [`${WITNESSES[0]}\ngroup g any x1\ngroup h any x1`, 'line 3: "x1" is in two groups'],
  ['group g any later\nquorum g', 'line 1: "later" is not defined above'],
  ['quorum none\u0007', 'line 1: a control character'],
  ['\n'.repeat(300), 'line 201: at most 200 lines'],
])('the policy %j is refused: %s', (text, why) => {
  expect(() => parsePolicy(text, sha256)).toThrow(PolicyFault)
  expect(() => parsePolicy(text, sha256)).toThrow(why)
})
