import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { sized } from '../../test/support/tier.ts'
import { toBytes, toHex, toText } from './bytes.ts'
import { DrawFault } from './faults.ts'
import { checkStamp, hasNonce, stampRequest } from './stamp-tokens.ts'
import { authorityFile, parseAuthority } from './stamps.ts'
import { type AuthorityOptions, TIME_STAMPING, authorityOf } from './stamps.test-support.ts'

const HASH = toHex(sha256(toBytes('what is stamped')))
const OTHER = toHex(sha256(toBytes('something else')))
const TIME = 1_800_000_000
const NONCE = Uint8Array.of(0x80, 0, 7)
const HONEST = authorityOf()

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
    return 'none'
  } catch (error) {
    if (!(error instanceof DrawFault)) throw error
    return error.code
  }
}
const codeOfStamp = (bytes: Uint8Array, certificates = HONEST.certificates, hash = HASH) =>
  codeOf(() => checkStamp(bytes, { certificates, hash }))
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** What OpenSSL says of a stamp. */
function openssl(bytes: Uint8Array, file: Uint8Array): boolean {
  const folder = temporaryFolder('volant-stamps-', 'test')
  writeFileSync(path.join(folder, 'authority.pem'), file)
  writeFileSync(path.join(folder, 'stamp.tsr'), bytes)
  const args = `ts -verify -digest ${HASH} -in stamp.tsr -CAfile authority.pem -partial_chain -attime ${TIME}`
  return spawnSync('openssl', args.split(' '), { cwd: folder }).status === 0
}

test('an honest stamp has its time and the name of its authority', async () => {
  const stamp = await checkStamp(HONEST.stamp(HASH, TIME), { certificates: HONEST.certificates, hash: HASH })
  expect(stamp).toEqual({ time: TIME, name: 'Horodatage Nord' })
})

test.each([
  ['Temps Sûr S.A.', 'Temps Sûr S.A.'],
  // Of what ends the quotation, turns the direction of writing, or begins a line, nothing is left.
  ['one”, confirmed by 9 of 9 \u202Ewitnesses\n“two', 'one , confirmed by 9 of 9 witnesses two'],
  ['é'.repeat(60), 'é'.repeat(60)],
  ['é'.repeat(61), `${'é'.repeat(60)}...`],
  ['\u0000 ', ''],
])('a certificate that calls itself %j is called %j', async (name, said) => {
  const { certificates, stamp } = authorityOf({ name })
  expect(await checkStamp(stamp(HASH, TIME), { certificates, hash: HASH })).toEqual({
    time: TIME,
    name: said,
  })
})

type Case = [what: string, options: AuthorityOptions, code: string, refusedBy?: 'the document alone']
const CASES: Case[] = [
  ['of the authority whose own certificate is trusted', { trusted: 'signer' }, 'none'],
  ['with changes that the authority has made', { status: 1 }, 'none'],
  ['with a fraction of its second', { writeTime: (at) => `${plain(at)}.75Z` }, 'none'],
  ['that was refused', { status: 2 }, 'stamp-form'],
  ['of another version', { version: 2 }, 'stamp-form'],
  ['of two signers', { signers: 2 }, 'stamp-form'],
  ['of no signer', { signers: 0 }, 'stamp-form'],
  ['whose time has no zone', { writeTime: plain }, 'stamp-form', 'the document alone'],
  [
    'whose time has another zone',
    { writeTime: (at) => `${plain(at)}+0100` },
    'stamp-form',
    'the document alone',
  ],
  [
    'of a day that does not exist',
    { writeTime: () => '20270230000000Z' },
    'stamp-form',
    'the document alone',
  ],
  [
    'of another kind of hash',
    { imprintAlgorithm: '2.16.840.1.101.3.4.2.2' },
    'stamp-other',
    'the document alone',
  ],
  ['whose authority has no certificate of this time', { until: TIME - 1 }, 'stamp-foreign'],
  ['whose authority has a certificate of later', { from: TIME + 1 }, 'stamp-foreign'],
  ['of a certificate of later that is trusted', { from: TIME + 1, trusted: 'signer' }, 'stamp-foreign'],
  [
    'of a certificate that has expired and is trusted',
    { until: TIME - 1, trusted: 'signer' },
    'stamp-foreign',
  ],
  ['of a certificate for servers', { purposes: ['1.3.6.1.5.5.7.3.1'] }, 'stamp-foreign'],
  ['of a certificate for more', { purposes: [TIME_STAMPING, '1.3.6.1.5.5.7.3.1'] }, 'stamp-foreign'],
  ['of a certificate for anything', { purposes: ['2.5.29.37.0'] }, 'stamp-foreign'],
  ['of a certificate whose purpose is not critical', { isCritical: false }, 'stamp-foreign'],
  ['that names another certificate', { names: 'other' }, 'stamp-foreign'],
  ['that names no certificate', { names: 'none' }, 'stamp-foreign'],
  ['without the certificate of its signer', { hasCertificate: false }, 'stamp-foreign'],
  [
    'whose signature is of another kind of content',
    { contentType: '1.2.840.113549.1.7.1' },
    'stamp-foreign',
    'the document alone',
  ],
  ['of a content that was changed', { spoil: lastChanged }, 'stamp-foreign'],
  ['whose fraction of a second ends with zeros', { writeTime: (at) => `${plain(at)}.50Z` }, 'none'],
  ['of 1969', { writeTime: () => '19691231235959Z' }, 'stamp-form', 'the document alone'],
  ['on P-384', { curve: 'P-384' }, 'none'],
  ['on P-521', { curve: 'P-521' }, 'none'],
  ['on another curve', { curve: 'secp256k1' }, 'stamp-foreign', 'the document alone'],
  ['that is signed under another hash than its content', { signedHash: 'SHA-384' }, 'stamp-foreign'],
  ['of a key for signatures', { keyUsage: 0xc0 }, 'none'],
  ['of a key for other things, too', { keyUsage: 0xa0 }, 'stamp-foreign'],
  ['of a certificate with a critical extension that nobody knows', { isStrange: true }, 'stamp-foreign'],
  ['of such a certificate that is trusted itself', { isStrange: true, trusted: 'signer' }, 'stamp-foreign'],
  ['that has the name of its certificate', { tsa: 'Horodatage Nord' }, 'none'],
  ['that has another name', { tsa: 'Horodatage Sud' }, 'stamp-foreign'],
  ['that names its certificate by SHA-1', { names: 'own by SHA-1' }, 'none'],
  [
    'that does so where SHA-2 is asked for',
    { names: 'own by SHA-1 in the second attribute' },
    'stamp-foreign',
    'the document alone',
  ],
  ['whose two attributes name two certificates', { names: 'other in the first attribute' }, 'stamp-foreign'],
  ['that names its chain', { names: 'own and the root' }, 'none'],
  ['that does so, and all are trusted', { names: 'own and the root', trusted: 'both' }, 'none'],
  ['over another issuer', { between: 'allowed', names: 'own and the root' }, 'none'],
  ['over an issuer that the root does not allow', { between: 'forbidden' }, 'stamp-foreign'],
  ['that names a certificate outside its chain', { names: 'own and a stranger' }, 'stamp-foreign'],
  ['that names issuer and serial number', { names: 'own with its serial number' }, 'none'],
  ['that names another serial number', { names: 'own with another serial number' }, 'stamp-foreign'],
]

test.each(CASES)('a stamp %s', async (_, options, code) => {
  const authority = authorityOf(options)
  expect(await codeOfStamp(authority.stamp(HASH, TIME), authority.certificates)).toBe(code)
})

test.skipIf(!hasOpenssl).each(CASES.filter((one) => one.length < 4))(
  'OpenSSL says the same of a stamp %s',
  (_, options, code) => {
    const authority = authorityOf(options)
    expect(openssl(authority.stamp(HASH, TIME), authority.file)).toBe(code === 'none')
  },
)

function plain(time: Date): string {
  return time.toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')
}
function lastChanged(content: Uint8Array): Uint8Array {
  const changed = content.slice()
  // The last digit of the seconds, before the letter of the zone.
  changed[changed.length - 2]! ^= 1
  return changed
}

test('a stamp of another file, of a foreign authority or against certificates that nobody can read', async () => {
  const stamp = HONEST.stamp(HASH, TIME)
  expect(await codeOfStamp(stamp, HONEST.certificates, OTHER)).toBe('stamp-other')
  const foreign = authorityOf({ name: 'Horodatage Sud' })
  expect(await codeOfStamp(foreign.stamp(HASH, TIME))).toBe('stamp-foreign')
  expect(await codeOfStamp(stamp, [])).toBe('stamp-foreign')
  const [root] = HONEST.certificates
  for (const other of [
    Uint8Array.of(0x30, 0),
    Uint8Array.of(...root!, 0),
    authorityOf({ curve: 'secp256k1', trusted: 'signer' }).certificates[0]!,
  ])
    expect(await codeOfStamp(stamp, [root!, other])).toBe('stamp-foreign')
})

test('every byte that is changed, cut off or added is found, and nothing is thrown but a fault', async () => {
  const stamp = HONEST.stamp(HASH, TIME)
  const found = new Set<string>()
  for (let at = 0; at < stamp.length; at += sized({ short: 7, extended: 1 })) {
    expect(await codeOfStamp(stamp.subarray(0, at))).toBe('stamp-form')
    const changed = stamp.slice()
    changed[at]! ^= 0x01
    try {
      // Some bytes mean nothing to anybody, such as the list of all kinds of hashes.
      const same = await checkStamp(changed, { certificates: HONEST.certificates, hash: HASH })
      expect(same).toEqual({ time: TIME, name: 'Horodatage Nord' })
    } catch (error) {
      if (!(error instanceof DrawFault)) throw error
      found.add(error.code)
    }
  }
  expect([...found].toSorted()).toEqual(['stamp-foreign', 'stamp-form', 'stamp-other'])
  expect(await codeOfStamp(Uint8Array.of(...stamp, 0))).toBe('stamp-form')
  expect(await codeOfStamp(new Uint8Array(70_000))).toBe('stamp-form')
  // A length that is left open, and one that is longer than it need be.
  expect(await codeOfStamp(Uint8Array.of(0x30, 0x80, 0, 0))).toBe('stamp-form')
  expect(await codeOfStamp(Uint8Array.of(0x30, 0x83, 0, ...stamp.subarray(2)))).toBe('stamp-form')
})

describe('authority.pem', () => {
  test('has the certificates that were written', () => {
    expect(parseAuthority(authorityFile(HONEST.certificates))).toEqual(HONEST.certificates)
    const both = [...HONEST.certificates, new Uint8Array(48)]
    expect(parseAuthority(authorityFile(both))).toEqual(both)
  })

  const text = toText(HONEST.file)
  test.each([
    ['empty', '', 'no-final-newline', 1],
    ['a line that is empty', '\n', 'certificate', 1],
    ['words before it', `Root\n${text}`, 'certificate', 1],
    ['words after it', `${text}Root\n`, 'certificate', text.split('\n').length],
    ['lines of 76 characters', text.replace(/^(.{64})\n(.{12})/m, '$1$2\n'), 'certificate', 2],
    ['no end', text.slice(0, text.lastIndexOf('-----END')), 'certificate', 1],
    ['nothing within', text.replace(/(?<=-\n)[^-]+/, ''), 'certificate', 1],
    ['another base64', text.replace(/(?<=.{20}).(?=.*\n)/, '*'), 'certificate', 1],
    ['CRLF', text.replaceAll('\n', '\r\n'), 'character', 1],
    ['no LF at the end', text.trimEnd(), 'no-final-newline', text.split('\n').length - 1],
    ['more than 64 KiB', text.repeat(200), 'file-large', 0],
  ])('with %s is refused', (_, given, code, line) => {
    let fault: unknown
    try {
      parseAuthority(toBytes(given))
    } catch (error) {
      fault = error
    }
    expect(fault).toMatchObject({ code, line })
  })
})

test('a request has the hash, and a stamp for another request has another nonce', () => {
  expect(toHex(stampRequest(HASH, NONCE))).toContain(HASH)
  expect(hasNonce(HONEST.stamp(HASH, TIME), NONCE)).toBe(false)
})

test.skipIf(!hasOpenssl)('OpenSSL reads a request, which asks for the certificate', () => {
  const folder = temporaryFolder('volant-stamps-', 'test')
  writeFileSync(path.join(folder, 'request.tsq'), stampRequest(HASH, NONCE))
  const { stdout } = spawnSync('openssl', ['ts', '-query', '-in', 'request.tsq', '-text'], { cwd: folder })
  expect(String(stdout)).toMatch(
    /Version: 1\nHash Algorithm: sha256\n[^]+Nonce: 0x01800007\nCertificate required: yes/,
  )
})
