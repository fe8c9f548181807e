import { expect, test } from 'vitest'
import { readPdf } from '../../tickets/server/pdf-reader.test-support.ts'
import type { Policy } from '../policies.contract.ts'
import { policyPdf } from './policy-pdf.ts'

const paragraph = 'Words that fill a line or two of the page, and pages in the end. '.repeat(4)

const policy: Policy = {
  title: 'Rules',
  lead: 'Write to contact@shop.example first.',
  updated: '16.06.2025',
  sections: Array.from({ length: 12 }, (_, index) => ({
    id: `part-${index}`,
    title: `Part ${index}`,
    blocks: [
      { kind: 'heading', id: `heading-${index}`, text: 'Heading' },
      { kind: 'text', text: paragraph },
      { kind: 'list', items: ['First point', paragraph] },
      { kind: 'facts', facts: [{ name: 'Name', text: 'Meaning' }] },
    ],
  })),
}

const draw = async (change: Partial<Policy> = {}, language: 'fr' | 'en' = 'en') =>
  await policyPdf({ ...policy, ...change }, language, 'Shop')

test('the PDF is tagged, in its language, with a title, bookmarks and our own fonts', async () => {
  const { objects } = readPdf(await draw())
  const parts = ['/Marked true', '/DisplayDocTitle true', '/Lang (en)', '(Rules | Shop)', '(12. Part 11)']
  for (const part of parts) expect(objects).toContain(part)
  for (const type of ['Document', 'Sect', 'H1', 'H2', 'H3', 'P', 'L', 'LI', 'Lbl', 'LBody', 'Link'])
    expect(objects).toMatch(new RegExp(`/S /${type}\\b`))
  expect(objects).not.toMatch(/Helvetica|Times|Courier|\/JavaScript|\/Encrypt/)
})

test('the first page begins with the shop, the title and the date, and addresses are links', async () => {
  const { elements, objects } = readPdf(await draw())
  expect(elements.slice(0, 6)).toEqual([
    { tag: 'P', text: 'Shop' },
    { tag: 'H1', text: 'Rules' },
    { tag: 'P', text: 'Last updated: 16.06.2025' },
    { tag: 'P', text: 'Write to' },
    { tag: 'Link', text: 'contact@shop.example' },
    { tag: 'P', text: 'first.' },
  ])
  expect(objects).toContain('/URI (mailto:contact@shop.example)')
})

test('long rules have several pages', async () => {
  expect(readPdf(await draw()).objects).toMatch(/\/Count [3-9]\b/)
  expect(readPdf(await draw({ sections: [] })).objects).toMatch(/\/Count 1\b/)
})

test('the PDF has the same bytes each time, and other bytes for another text or language', async () => {
  const first = await draw()
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await draw()).equals(first)).toBe(true)
  expect((await draw({ title: 'Other' })).equals(first)).toBe(false)
  expect((await draw({}, 'fr')).equals(first)).toBe(false)
})
