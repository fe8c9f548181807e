import { expect, test } from 'vitest'
import { readAtMost } from './read-at-most.ts'

/** A response in so many pieces of ten bytes, and how many of them were read. */
function responseOf(pieces: number) {
  let read = 0
  let isLeft = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        if (read === pieces) return stream.close()
        read += 1
        return stream.enqueue(new Uint8Array(10).fill(97))
      },
      cancel() {
        isLeft = true
      },
    },
    { highWaterMark: 0 },
  )
  return { response: new Response(body), seen: () => ({ read, isLeft }) }
}

test.each([0, 1, 10])('a response of %i pieces is read whole up to the most', async (pieces) => {
  const { response } = responseOf(pieces)
  expect((await readAtMost(response, 100))?.toString()).toBe('a'.repeat(pieces * 10))
})

test('a longer response is nothing, and is left where it became too long', async () => {
  const { response, seen } = responseOf(1_000_000)
  expect(await readAtMost(response, 100)).toBeUndefined()
  expect(seen()).toEqual({ read: 11, isLeft: true })
})

test('a response without a body is empty', async () => {
  expect((await readAtMost(new Response(null), 0))?.length).toBe(0)
})
