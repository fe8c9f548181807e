import { expect, test, vi } from 'vitest'
import { share } from './share.ts'

const data = { title: 'Coupé', url: 'https://shop.example/draws/coupe' }
const refuse = (name: string) => () => Promise.reject(new DOMException('', name))

test.each([
  ['the system’s sheet', { share: () => Promise.resolve() }, 'done'],
  ['a sheet that the person closes', { share: refuse('AbortError') }, 'done'],
  ['a sheet that the browser refuses', { share: refuse('NotAllowedError') }, 'copied'],
  ['no sheet', {}, 'copied'],
  ['neither sheet nor clipboard', { clipboard: undefined }, 'failed'],
])('with %s', async (_, parts, result) => {
  const copied: string[] = []
  const clipboard = { writeText: async (text: string) => void copied.push(text) }
  vi.stubGlobal('navigator', { clipboard, ...parts })
  expect(await share(data)).toBe(result)
  expect(copied).toEqual(result === 'copied' ? [data.url] : [])
  vi.unstubAllGlobals()
})
