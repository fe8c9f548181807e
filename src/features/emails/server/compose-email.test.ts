import { expect, test } from 'vitest'
import { type Block, composeEmail } from './compose-email.ts'
import type { Language } from '#shared/languages.ts'

const SHOP = { brand: 'Volant', publicUrl: 'https://shop.test', contactEmail: 'help@shop.test' }
const EVIL = `<script>alert("1")</script> & 'so on'`

const compose = (blocks: readonly Block[], language: Language = 'nl', text = 'S') =>
  composeEmail(SHOP, {
    language,
    subject: text,
    preview: text,
    picture: { path: '/media/car.jpg', alt: text },
    blocks,
  })
const factsOf = (...texts: string[]): Block[] => [
  { kind: 'facts', facts: texts.map((text) => ({ name: 'Total', text })) },
]

const EVERY_BLOCK: Block[] = [
  { kind: 'heading', text: EVIL },
  { kind: 'text', text: EVIL },
  { kind: 'note', text: EVIL },
  { kind: 'quote', text: `${EVIL}\nsecond line` },
  { kind: 'button', label: EVIL, url: 'https://shop.test/?a=1&b="><i>' },
  { kind: 'facts', facts: [{ name: EVIL, text: EVIL, isStrong: true }] },
  { kind: 'plates', numbers: ['0042', EVIL] },
  { kind: 'bigPlate', number: EVIL },
  { kind: 'link', label: EVIL, url: 'https://shop.test/' },
  { kind: 'plain', blocks: [{ kind: 'facts', facts: [{ name: 'SHA-256', text: EVIL }] }] },
]

test('HTML escapes every text and loads nothing but a picture of the shop', () => {
  const { html } = compose(EVERY_BLOCK, 'nl', EVIL)
  expect(html).toContain('<html lang="nl">')
  expect(html).not.toMatch(/<script|<i>|<link|url\(|@import/)
  expect(html.match(/<img[^>]*/g)).toEqual([
    expect.stringMatching(
      /^<img src="https:\/\/shop\.test\/media\/car\.jpg" alt="&lt;script.* width="600" height="315" /,
    ),
  ])
  expect(html.match(/&lt;script&gt;/g)).toHaveLength(14)
  expect(html).toContain('href="https://shop.test/?a=1&amp;b=&quot;&gt;&lt;i&gt;"')
  expect(html).toContain('>0042</span>')
})

test('HTML keeps an amount in one piece and lets a long number break', () => {
  const { html } = compose(factsOf('€41.99', '0195f3a2-6c1e-7d34-9b42-8f0f5ce1a7d3'))
  expect(html).toMatch(/white-space:nowrap;[^"]*">€41\.99</)
  expect(html).not.toMatch(/white-space:nowrap;[^"]*">0195f3a2/)
})

test('plain text marks each line of a quote', () => {
  const { text } = compose(EVERY_BLOCK)
  expect(text).toContain(`> ${EVIL}\n> second line\n`)
  expect(text).toContain('help@shop.test')
  expect(text).not.toContain('&lt;')
})

test.each([
  ['fr', 'Total\u00a0: 9,80\u00a0€'],
  ['nl', 'Total: 9,80\u00a0€'],
] as const)('plain text sets the colon of a fact as its language does (%s)', (language, line) => {
  expect(compose(factsOf('9,80\u00a0€'), language).text).toContain(line)
})

test('plain text alone says what proves an email, and needs no picture', () => {
  const { text, html } = compose(EVERY_BLOCK)
  expect(text).toContain('SHA-256: ')
  expect(text).not.toContain('car.jpg')
  expect(html).not.toContain('SHA-256')
})

test.each(['7', '0042', '1234567'])('the large plate of %s fits a phone of 360 pixels', (number) => {
  const { html } = compose([{ kind: 'bigPlate', number }])
  const size = Number(/font-size:(\d+)px[^"]*"><span class="figures"/.exec(html)?.[1])
  expect(size).toBeGreaterThan(40)
  expect(size * 0.64 * number.length).toBeLessThanOrEqual(224)
})
