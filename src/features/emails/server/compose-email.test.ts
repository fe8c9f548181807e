import { describe, expect, test } from 'vitest'
import { composeEmail } from './compose-email.ts'

const SHOP = { brand: 'Volant', publicUrl: 'https://shop.test', contactEmail: 'help@shop.test' }
const EVIL = `<script>alert("1")</script> & 'so on'`

const write = () =>
  composeEmail(SHOP, {
    language: 'nl',
    subject: EVIL,
    preview: EVIL,
    blocks: [
      { kind: 'heading', text: EVIL },
      { kind: 'text', text: EVIL },
      { kind: 'note', text: EVIL },
      { kind: 'quote', text: `${EVIL}\nsecond line` },
      { kind: 'button', label: EVIL, url: 'https://shop.test/?a=1&b="><i>' },
      { kind: 'facts', facts: [{ name: EVIL, text: EVIL, isStrong: true }] },
      { kind: 'plates', numbers: ['0042'] },
    ],
  })

describe('an email', () => {
  test('as HTML says every text as text, and loads nothing from anywhere', () => {
    const { html } = write()
    expect(html).toContain('<html lang="nl">')
    expect(html).not.toMatch(/<script|<i>|<img|<link|url\(|@import/)
    expect(html.match(/&lt;script&gt;/g)).toHaveLength(10)
    expect(html).toContain('href="https://shop.test/?a=1&amp;b=&quot;&gt;&lt;i&gt;"')
    expect(html).toContain('>0042</span>')
  })

  test('keeps an amount in one piece and lets a long number break', () => {
    const facts = [
      { name: 'Total', text: '€41.99' },
      { name: 'Order', text: '0195f3a2-6c1e-7d34-9b42-8f0f5ce1a7d3' },
    ]
    const content = {
      language: 'en' as const,
      subject: 'S',
      preview: 'P',
      blocks: [{ kind: 'facts' as const, facts }],
    }
    const { html } = composeEmail(SHOP, content)
    expect(html).toMatch(/white-space:nowrap;[^"]*">€41\.99</)
    expect(html).not.toMatch(/white-space:nowrap;[^"]*">0195f3a2/)
  })

  test('as text marks what somebody else has written, line by line', () => {
    const { text } = write()
    expect(text).toContain(`> ${EVIL}\n> second line\n`)
    expect(text).toContain('help@shop.test')
    expect(text).not.toContain('&lt;')
  })

  test.each([
    ['fr', 'Total\u00a0: 9,80\u00a0€'],
    ['nl', 'Total: 9,80\u00a0€'],
  ] as const)('as text sets the colon of a fact as its language does (%s)', (language, line) => {
    const facts = [{ name: 'Total', text: '9,80\u00a0€' }]
    const content = { language, subject: 'S', preview: 'P', blocks: [{ kind: 'facts' as const, facts }] }
    expect(composeEmail(SHOP, content).text).toContain(line)
  })
})
