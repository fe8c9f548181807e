/** Just enough DER to write one certificate (X.690). */

function header(tag: number, length: number): Buffer {
  if (length < 128) return Buffer.from([tag, length])
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes])
}

const wrap = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([header(tag, content.length), content])
}

export const sequence = (...parts: Buffer[]): Buffer => wrap(0x30, ...parts)
export const set = (...parts: Buffer[]): Buffer => wrap(0x31, ...parts)
export const octets = (content: Buffer): Buffer => wrap(0x04, content)
export const utf8 = (text: string): Buffer => wrap(0x0c, Buffer.from(text))
export const truth = (value: boolean): Buffer => wrap(0x01, Buffer.from([value ? 0xff : 0]))
export const nothing = (): Buffer => wrap(0x05)
export const tagged = (number: number, content: Buffer): Buffer => wrap(0xa0 | number, content)
export const bits = (content: Buffer, unused = 0): Buffer => wrap(0x03, Buffer.from([unused]), content)

/** A positive integer from its big-endian bytes. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const short = first === -1 ? Buffer.from([0]) : bytes.subarray(first)
  return (short[0] ?? 0) & 0x80 ? wrap(0x02, Buffer.from([0]), short) : wrap(0x02, short)
}

/** An object identifier such as `2.5.4.3`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const groups = [part & 0x7f]
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return wrap(0x06, Buffer.from(bytes))
}

/** UTCTime until 2049, GeneralizedTime after, as X.509 asks. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050
    ? wrap(0x17, Buffer.from(digits.slice(2)))
    : wrap(0x18, Buffer.from(digits))
}
