import { expect, test } from 'vitest'
import { ByteReader } from './byte-reader.ts'
import { toBytes, toText } from './bytes.ts'

/** The bytes of a text in parts of some length. */
function* partsOf(text: string, length: number): Iterable<Uint8Array> {
  const bytes = toBytes(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

test.each([1, 2, 3, 7, 1000])('lines are read whole from parts of %i bytes', async (length) => {
  const text = 'first\n\nthird line\nwithout an end'
  const reader = new ByteReader(partsOf(text, length))
  expect(toText((await reader.peekLine())!)).toBe('first')
  expect(toText(await reader.peek(7))).toBe('first\n\n')
  expect(toText(await reader.take(6))).toBe('first\n')
  expect(reader.at).toBe(6)
  expect(toText(await reader.takeLines())).toBe('\nthird line\n')
  expect(await reader.peekLine()).toBeNull()
  expect(toText(await reader.takeLines())).toBe('without an end')
  expect([await reader.takeLines(), reader.at]).toEqual([new Uint8Array(), text.length])
})

test('a line that is longer than a part is read whole, and a file that is too long is not', async () => {
  const line = 'x'.repeat(300_000)
  const reader = new ByteReader(partsOf(`${line}\ny\n`, 1000))
  expect((await reader.peekLine())?.length).toBe(line.length)
  expect(toText(await reader.takeLines()).startsWith(`${line}\n`)).toBe(true)
  expect(await new ByteReader(partsOf(line, 1000)).rest(line.length - 1)).toBeNull()
  expect((await new ByteReader(partsOf(line, 1000)).rest(line.length))?.length).toBe(line.length)
})
