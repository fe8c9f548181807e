import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { NoncedPage } from './nonced-page.ts'

const PLACEHOLDER = 'PLACEHOLD_'
const html = `<script nonce="${PLACEHOLDER}">1</script>${'<p>é – €</p>'.repeat(2000)}<script nonce="${PLACEHOLDER}"></script>`

describe('a kept page', () => {
  test.each(['', 'x', 'no nonce at all'])('is sent whole: %j', (text) => {
    const page = new NoncedPage(200, text, PLACEHOLDER)
    expect(page.plain('0123456789').toString()).toBe(text)
    expect(gunzipSync(page.gzip('0123456789')).toString()).toBe(text)
  })

  test('carries another nonce each time, in every place', () => {
    const page = new NoncedPage(200, html, PLACEHOLDER)
    for (const nonce of ['firstnonce', 'other-once']) {
      expect(page.plain(nonce).toString()).toBe(html.replaceAll(PLACEHOLDER, nonce))
      expect(gunzipSync(page.gzip(nonce)).toString()).toBe(html.replaceAll(PLACEHOLDER, nonce))
    }
  })

  test('repeats nothing that stands before a nonce, nor the nonce', () => {
    const part = Array.from({ length: 400 }, (_, index) => index.toString(36)).join(' ')
    const text = [part, part, part].join(PLACEHOLDER)
    const page = new NoncedPage(200, text, PLACEHOLDER)
    const once = new NoncedPage(200, part, PLACEHOLDER).gzip('0123456789').length
    expect(page.gzip('0123456789').length).toBeLessThan(once * 1.2)
    // As in the text itself: what is copied must not come out of a nonce.
    for (const nonce of ['4a 4b 4c 4', '0000000000'])
      expect(gunzipSync(page.gzip(nonce)).toString()).toBe(text.replaceAll(PLACEHOLDER, nonce))
  })

  test('is small when compressed', () => {
    const page = new NoncedPage(200, html, PLACEHOLDER)
    expect(page.gzip('0123456789').length).toBeLessThan(page.plain('0123456789').length / 20)
  })
})
