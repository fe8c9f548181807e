/** The polynomial of CRC-32, lowest power in the highest bit (RFC 1952, 8). */
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

/**
 * The product of two polynomials modulo that of CRC-32. The checksum of two texts behind each other is the second one's,
 * added (XOR) to the first one's multiplied by `pastBytes` of the second one's length.
 */
export function product(one: number, other: number): number {
  let [sum, shifted] = [0, other]
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (one & bit) sum ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1
  }
  return sum >>> 0
}

/** What moves a checksum past that many bytes: x to the power of eight times `length`. */
export function pastBytes(length: number): number {
  let [result, power] = [ONE, 0x00800000]
  for (let left = length; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = product(result, power)
    power = product(power, power)
  }
  return result
}
