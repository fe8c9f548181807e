import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { toBytes, toHex } from './bytes.ts'
import { claimText } from './claims.ts'
import { keyIdOf, parseCheckpoints, parseVerifierKey, verifierKeyText } from './checkpoints.ts'
import { commitmentOf, parseProofFragment, proofFragment } from './commitments.ts'
import { LIVE, LOG_KEY, TERMS, claimOf, secretOf, wholeDraw } from './draw.test-support.ts'
import { DrawFault } from './faults.ts'
import { type Leaf, leafText, parseLeaf } from './leaves.ts'
import { listHeader, parseList, rowsFile } from './lists.ts'
import { beaconFile, forfeitureFile, parseBeaconFile, parseForfeiture } from './results.ts'
import { type Terms, parseTerms, termsFile } from './terms.ts'

const pack = wholeDraw().pack()
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The fault that `read` throws, as "code line". */
function faultOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof DrawFault) return `${error.code} ${error.line}`
    throw error
  }
  return 'none'
}

const readTerms = (bytes: Uint8Array): Terms => parseTerms(bytes, sha256)
const changed = (file: string, from: string | RegExp, to: string): Uint8Array => {
  const text = textOf(pack.get(file)!)
  const result = text.replace(from, to)
  expect(result).not.toBe(text)
  return toBytes(result)
}

test('every file that is read is written again with the same bytes', () => {
  expect(termsFile(readTerms(pack.get('terms.txt')!))).toEqual(pack.get('terms.txt'))
  for (const name of ['provisional.txt', 'list.txt']) {
    const { header, rows } = parseList(pack.get(name)!)
    expect(Uint8Array.of(...listHeader(header), ...rowsFile([...rows]))).toEqual(pack.get(name))
  }
  expect(forfeitureFile(parseForfeiture(pack.get('forfeiture-0.txt')!))).toEqual(pack.get('forfeiture-0.txt'))
  expect(beaconFile(parseBeaconFile(pack.get('beacon-0.json')!))).toEqual(pack.get('beacon-0.json'))
})

test('terms with none and with a rehearsal are read as they were written', () => {
  const terms: Terms = {
    ...TERMS,
    rehearsal: true,
    perPerson: null,
    prizeValue: null,
    question: null,
    voidReasons: [],
    kinds: ['postal', 'demo'],
  }
  expect(readTerms(termsFile(terms))).toEqual(terms)
})

test('only a demonstration has a short notice, tickets that are given away and a chain of its own', () => {
  const of = (changes: Partial<Terms>): string =>
    faultOf(() => readTerms(termsFile({ ...TERMS, ...LIVE, ...changes })))
  const { draw, beacon } = TERMS
  expect(of({ notice: 3600 })).toBe('none')
  expect(of({ notice: 3599 })).toBe('range 23')
  expect(of({ kinds: ['paid', 'demo'] })).toBe('words 6')
  expect(of({ draw, beacon })).toBe('chain-unknown 16')
  expect(of({ demonstration: true, notice: 1, kinds: ['demo'], draw, beacon })).toBe('none')
})

test.each<[from: string | RegExp, to: string, fault: string]>([
  ['volant-terms-v1', 'volant-terms-v2', 'tag 1'],
  ['volant-terms-v1', '\ufeffvolant-terms-v1', 'character 1'],
  ['contest: berline', 'contest: Berline', 'slug 2'],
  ['contest: berline-bleue', 'contest: berline--bleue', 'slug 2'],
  ['contest: ', 'contest:', 'header 2'],
  ['contest: ', 'contest:  ', 'slug 2'],
  ['bleue\n', 'bleue\r\n', 'character 2'],
  ['bleue\n', 'bleue \n', 'slug 2'],
  ['host: volant.example', 'host: volant.example/x', 'host 3'],
  ['demonstration: yes', 'demonstration: no', 'chain-unknown 16'],
  ['demonstration: yes', 'demonstration: true', 'word 4'],
  ['demonstration: yes\n', '', 'header 4'],
  ['notice: 3600', 'notice: 0', 'range 23'],
  ['host: volant.example', 'host: other.example', 'host-of-key 24'],
  ['tickets: 50', 'tickets: 050', 'integer 5'],
  ['tickets: 50', 'tickets: +50', 'integer 5'],
  ['tickets: 50', 'tickets: 0', 'range 5'],
  ['tickets: 50', 'tickets: 10000001', 'range 5'],
  ['tickets: 50', 'tickets: none', 'integer 5'],
  ['tickets: 50', 'tickets: 9007199254740992', 'integer 5'],
  ['kinds: paid,postal', 'kinds: postal,paid', 'words 6'],
  ['kinds: paid,postal', 'kinds: paid,paid', 'words 6'],
  ['kinds: paid,postal', 'kinds: none', 'words 6'],
  ['kinds: paid,postal', 'kinds: ', 'words 6'],
  ['post-reserve: 5', 'post-reserve: 51', 'range 8'],
  [/closes: (.*)T08/, 'closes: $1T24', 'time 11'],
  [/closes: \d{4}-\d\d-\d\d/, 'closes: 2026-02-30', 'time 11'],
  [/(closes: .*)Z/, '$1.0Z', 'time 11'],
  [/(closes: .*)Z/, '$1+00:00', 'time 11'],
  ['objections: 3600', 'objections: 0', 'range 12'],
  ['objections: 3600', 'objections: 360000', 'draw-too-early 14'],
  ['seal-margin: 7200', 'seal-margin: 0', 'range 13'],
  ['algorithm: draw-v1', 'algorithm: draw-v2', 'word 15'],
  [/beacon-chain: ../, 'beacon-chain: AB', 'hash 16'],
  [/beacon-chain: ../, 'beacon-chain: ', 'hash 16'],
  [
    /beacon-chain: .*/,
    'beacon-chain: 52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
    'pinned-chain 16',
  ],
  ['beacon-period: 3', 'beacon-period: 0', 'range 19'],
  ['beacon-scheme: bls', 'beacon-scheme: pedersen', 'word 20'],
  [/beacon-round: (\d+)\d/, 'beacon-round: $1', 'round 21'],
  [/beacon-genesis: \d+/, 'beacon-genesis: 1900000000', 'round 21'],
  [/log-key: (\S+?)\+../, 'log-key: $1+00', 'key-id 24'],
  ['witness-policy: none', 'witness-policy: 00', 'hash 25'],
  ['stamp-authority: none', 'stamp-authority: 00', 'hash 26'],
  [/(log-key: .*)./, '$1=', 'base64 24'],
  ['alternate-delay: 86400', 'alternate-delay: 0', 'range 28'],
  ['forfeit-reasons: unclaimed,voided', 'forfeit-reasons: unclaimed', 'words 31'],
  ['text-fr: none', 'text-fr: 0', 'hash 33'],
  [/text-fr(.|\n)*$/, '', 'too-short 33'],
  [/text-fr: none\n/, 'text-xyz: none\n', 'header 33'],
  ['text-nl: none', 'text-fr: none', 'too-long 34'],
  [/$/, '\n', 'too-long 36'],
  [/\n$/, '', 'no-final-newline 35'],
  ['per-person: 10\n', '', 'header 7'],
  ['per-person: 10\n', 'per-person: 10\nper-person: 10\n', 'header 8'],
])('terms with %s changed to %j are refused: %s', (from, to, fault) => {
  expect(faultOf(() => readTerms(changed('terms.txt', from, to)))).toBe(fault)
})

const HASH = 'ab'.repeat(32)
const LEAVES: Leaf[] = [
  { type: 'open', termsHash: HASH },
  { type: 'entry', number: 7, kind: 'postal', commitment: HASH },
  { type: 'void', number: 7, reason: 'postal-rule' },
  { type: 'close', instant: 1_800_000_000, pending: 0 },
  { type: 'list', listHash: HASH },
  { type: 'seal', listHash: HASH, listRoot: HASH, valid: 10, validRoot: HASH },
  { type: 'result', attempt: 0, hash: HASH },
  { type: 'claim', attempt: 0, hash: HASH },
  { type: 'forfeit', attempt: 0, hash: HASH },
  { type: 'award', attempt: 1, number: 7 },
  { type: 'cancel', reason: 'beacon-silent' },
]

test('every leaf is read as it was written', () => {
  for (const leaf of LEAVES) {
    for (const rehearsal of [false, true]) {
      const log = { contest: 'berline-bleue', rehearsal }
      expect(parseLeaf(leafText(leaf, log), 1)).toEqual({ ...log, ...leaf })
    }
  }
  expect(leafText(LEAVES[1]!, { contest: 'a', rehearsal: true })).toBe(
    `rehearsal-volant-entry-v1\ta\t7\tpostal\t${HASH}`,
  )
})

test.each([
  ['', 'tag 9'],
  ['volant-entry-v2\ta\t7\tpaid', 'tag 9'],
  ['volant-constructor-v1\ta', 'tag 9'],
  [`volant-entry-v1\ta\t7\tpaid\t${HASH}\t`, 'fields 9'],
  ['volant-entry-v1\ta\t7\tpaid', 'fields 9'],
  [`volant-entry-v1\ta\t0\tpaid\t${HASH}`, 'range 9'],
  [`volant-entry-v1\ta\t7 \tpaid\t${HASH}`, 'integer 9'],
  [`volant-entry-v1\ta\t7\tgift\t${HASH}`, 'word 9'],
  [`volant-entry-v1\ta\t7\tpaid\t${HASH}\r`, 'hash 9'],
  [`volant-entry-v1\ta\t7\tpaid\t${HASH.toUpperCase()}`, 'hash 9'],
  [`volant-entry-v1\tA\t7\tpaid\t${HASH}`, 'slug 9'],
  // A seal as it was before it named its valid rows.
  [`volant-seal-v1\ta\t${HASH}\t${HASH}`, 'fields 9'],
  [`volant-seal-v1\ta\t${HASH}\t${HASH}\t${HASH}\t10`, 'integer 9'],
  [`volant-claim-v1\ta\t0`, 'fields 9'],
  [`volant-claim-v1\ta\t${HASH}\t0`, 'integer 9'],
])('the leaf %j is refused: %s', (text, fault) => {
  expect(faultOf(() => parseLeaf(text, 9))).toBe(fault)
})

test.each([
  ['volant-list-v1', 'volant-list-v2', 'tag 1'],
  ['valid: 10', 'valid: 9', 'line 9'],
  ['\n\n', '\n', 'line 13'],
  [/\n12\t(.*\n)/, '\n11\t$1', 'none'],
  [/\n12\t(.*\n)/, '\n9\t$1', 'order 18'],
  ['\tvalid\n', '\tvoid:valid\n', 'word 14'],
  ['\tvalid\n', '\trefunded\n', 'word 14'],
  ['\tvalid\n', '\tvalid\t\n', 'fields 14'],
  [/\n$/, '', 'no-final-newline 25'],
])('a list with %s changed to %j is refused: %s', (from, to, fault) => {
  expect(faultOf(() => [...parseList(changed('list.txt', from, to)).rows])).toBe(fault)
})

test.each([
  ['"round":', '"round": ', 'json 1'],
  ['{', '{"signature":"00",', 'json 1'],
  ['\n', '', 'json 1'],
])('a response of the beacon with %j changed to %j is refused: %s', (from, to, fault) => {
  expect(faultOf(() => parseBeaconFile(changed('beacon-0.json', from, to)))).toBe(fault)
})

test.each<[from: string | RegExp, to: string, fault: string]>([
  ['\n11\n', '\n011\n', 'integer 2'],
  [/=\ntime/, '\ntime', 'base64 3'],
  // The same bytes in another text: unused bits that are not zero.
  [/([AEIMQUYcgkosw048])=\ntime/, 'B=\ntime', 'base64 3'],
  ['time ', 'Time ', 'header 4'],
  ['Z\n\n', 'Z\nmore\n\n', 'line 5'],
  ['—', '-', 'signature-line 6'],
  ['— volant.example', '—  volant.example', 'signature-line 6'],
  [/— .*\n/, '', 'signature-line 6'],
  [/\n$/, '\n\n', 'too-long 49'],
  [/\n$/, '', 'no-final-newline 48'],
  ['volant', 'vølant', 'character 1'],
  ['volant', '\ufeffvolant', 'character 1'],
])('checkpoints with %s changed to %j are refused: %s', (from, to, fault) => {
  expect(faultOf(() => parseCheckpoints(changed('checkpoints.txt', from, to)))).toBe(fault)
})

test('the key of a log is written and read as a signed note has it', () => {
  // The example of golang.org/x/mod/sumdb/note.
  const known = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const { name, id, publicKey } = parseVerifierKey(known, sha256, 1)
  expect([name, toHex(id)]).toEqual(['PeterNeumann', 'c74f20a3'])
  expect(verifierKeyText(name, publicKey, sha256)).toBe(known)
  expect(keyIdOf(name, LOG_KEY, sha256)).not.toEqual(id)
})

test('a claim is written as the protocol has it', () => {
  const claim = claimOf('berline-bleue', 1, 7)
  const lines = [
    'volant-claim-v1',
    'contest: berline-bleue',
    'attempt: 1',
    'number: 7',
    `salt: ${claim.salt}`,
    'name: Zoé Peeters',
    'address: Rue Haute 1',
    'address: Boîte 3',
    'postcode: 1000',
    'city: Bruxelles',
    'country: BE',
    'phone: none',
    '',
  ]
  expect(claim.salt).toMatch(/^[0-9a-f]{64}$/)
  expect(claimText(claim).split('\n')).toEqual(lines)
  const other = { ...claim, address: ['Rue Haute 1'], postcode: null, phone: '+32 2 555 01 23' }
  expect(claimText(other).split('\n')).toEqual([
    ...lines.slice(0, 7),
    'postcode: none',
    ...lines.slice(9, 11),
    'phone: +32 2 555 01 23',
    '',
  ])
})

test('a proof link is read as it was written, and leads to the commitment of its row', () => {
  const link = { number: 7, ...secretOf(7), termsHash: HASH }
  const fragment = proofFragment(link)
  expect(parseProofFragment(fragment)).toEqual(link)
  const { rows } = parseList(pack.get('list.txt')!)
  const row = [...rows].find(({ number }) => number === 7)
  expect(row?.commitment).toBe(toHex(commitmentOf(link, sha256)))
  for (const wrong of [
    fragment.slice(1),
    fragment.replace('#7', '#07'),
    fragment.replace('#7', '#0'),
    `${fragment} `,
    // Unused bits of the salt's last character that are not zero.
    fragment.replace(/(#7\.[\w-]{42})[\w-]/, '$1B'),
    fragment.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
    // Without the terms, or with half of them.
    fragment.replace(/\.[^.]*$/, ''),
    fragment.slice(0, -20),
    '',
    '#',
  ])
    expect(parseProofFragment(wrong), wrong).toBeNull()
})
