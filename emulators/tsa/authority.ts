import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/** Whether this machine has the program that makes certificates and stamps. */
export const hasOpenssl = (): boolean => spawnSync('openssl', ['version']).status === 0

/** Of a folder: the certificate that anchors its authority. */
export const certificatesIn = (folder: string): string => path.join(folder, 'authority.pem')

const NAME = 'Time stamp emulator'
const CONFIG = `
[req]
distinguished_name = name
prompt = no
[name]
O = ${NAME}
CN = Root
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[signer]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
authorityKeyIdentifier = keyid
[stamps]
serial = serial
default_policy = 1.3.6.1.4.1.99999.1
digests = sha256
signer_digest = sha256
accuracy = secs:1
`
const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
const CERTIFY =
  'x509 -req -in signer.csr -CA authority.pem -CAkey root.key -CAcreateserial -extfile openssl.cnf'

/** Runs the program in a folder. @param words by spaces @returns what it prints */
const openssl = async (cwd: string, words: string, ...more: string[]): Promise<Buffer> =>
  (await promisify(execFile)('openssl', [...words.split(' '), ...more], { cwd, encoding: 'buffer' })).stdout

/** Makes an authority: its root, a certificate that signs, and one of the same key that has expired. */
async function make(folder: string): Promise<void> {
  const beside = path.resolve(folder, '..')
  mkdirSync(beside, { recursive: true })
  const draft = mkdtempSync(path.join(beside, '.stamps-'))
  try {
    writeFileSync(path.join(draft, 'openssl.cnf'), CONFIG)
    const ask = `req ${NEW_KEY} -config openssl.cnf`
    await openssl(draft, `${ask} -x509 -days 7300 -extensions root -keyout root.key -out authority.pem`)
    await openssl(draft, `${ask} -keyout signer.key -out signer.csr`, '-subj', `/O=${NAME}/CN=Stamps`)
    await openssl(draft, `${CERTIFY} -extensions signer -days 7300 -out signer.pem`)
    await openssl(draft, `${CERTIFY} -extensions signer -days -1 -out expired.pem`)
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
}

/** How an authority may misbehave in what it stamps. */
export interface Stamping {
  /** Its certificate has expired. */
  isExpired?: boolean
  /** The stamp is one of another file. */
  isOfOther?: boolean
  /** The stamp answers another request. */
  isOfOtherRequest?: boolean
  /** No stamp, status 2. */
  isRefused?: boolean
}

/** Changes one bit of the hash in a request, or of the number that follows it. */
function spoiled(request: Buffer, { isOfOther, isOfOtherRequest }: Stamping): Buffer {
  const hash = request.indexOf(Buffer.from([0x04, 0x20])) + 2
  const changed = Buffer.from(request)
  if (isOfOther) changed[hash]! ^= 1
  // After the 32 bytes: its type, its length.
  if (isOfOtherRequest) changed[hash + 33 + changed[hash + 33]!]! ^= 1
  return changed
}

/** An authority of time stamps (RFC 3161) with keys in a folder, which gets new ones if it has none. */
export async function openAuthority(folder: string) {
  if (!existsSync(certificatesIn(folder))) await make(folder)
  // Serial numbers follow one another.
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** @returns the response to a request, as the authority sends it */
    stamp(request: Buffer, stamping: Stamping = {}): Promise<Buffer> {
      const signer = stamping.isExpired ? 'expired.pem' : 'signer.pem'
      const words = `ts -reply -config openssl.cnf -section stamps -queryfile request.tsq -signer ${signer} -inkey signer.key`
      const asked = stamping.isRefused ? Buffer.from('not a request') : spoiled(request, stamping)
      const next = last.then(() => {
        writeFileSync(path.join(folder, 'request.tsq'), asked)
        return openssl(folder, words)
      })
      last = next.catch(() => {})
      return next
    },
  }
}
