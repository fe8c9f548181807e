import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { NoncedPage } from './nonced-page.ts'

const PLACEHOLDER = 'PLACEHOLDER'
const html = `<script nonce="${PLACEHOLDER}">1</script>${'<p>é – €</p>'.repeat(2000)}<script nonce="${PLACEHOLDER}"></script>`

describe('a kept page', () => {
  test.each(['', 'x', 'no nonce at all'])('is sent whole: %j', (text) => {
    const page = new NoncedPage(200, text, PLACEHOLDER)
    expect(page.plain('n').toString()).toBe(text)
    expect(gunzipSync(page.gzip('n')).toString()).toBe(text)
  })

  test('carries another nonce each time, in every place', () => {
    const page = new NoncedPage(200, html, PLACEHOLDER)
    for (const nonce of ['first', 'a-second-and-longer-one']) {
      expect(page.plain(nonce).toString()).toBe(html.replaceAll(PLACEHOLDER, nonce))
      expect(gunzipSync(page.gzip(nonce)).toString()).toBe(html.replaceAll(PLACEHOLDER, nonce))
    }
  })

  test('is small when compressed', () => {
    const page = new NoncedPage(200, html, PLACEHOLDER)
    expect(page.gzip('nonce').length).toBeLessThan(page.plain('nonce').length / 20)
  })
})
