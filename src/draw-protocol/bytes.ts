import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** SHA-256 as noble offers it; a server passes one on node:crypto, which is faster. */
export interface Sha256 {
  (data: Uint8Array): Uint8Array
  create(): { update(data: Uint8Array): unknown; digest(): Uint8Array }
}

export const LF = 0x0a

export { bytesToHex as toHex, concatBytes, hexToBytes as fromHex, utf8ToBytes as toBytes }

export function u64be(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

/** The bytes of base64 in its one canonical text, otherwise null. */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  return toBase64(bytes) === text ? bytes : null
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  // Not `every`: files have many millions of bytes.
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false
  return true
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** UTF-8 as text; a byte order mark stays, so that readers refuse it. */
export const toText = (bytes: Uint8Array): string => decoder.decode(bytes)
