import PDFDocument from 'pdfkit'
import { expect, test } from 'vitest'
import { textSetter } from './pdf-text.ts'

const style = { face: 'display', size: 17 } as const
const text = textSetter(new PDFDocument({ size: 'A5' }))

test('even lines leave no word alone where the plain ones do', () => {
  const title = 'Ignara V8 voor minder dan een euro'
  expect(text.wrap(title, style, 300, 2)).toEqual(['Ignara V8 voor minder dan een', 'euro'])
  expect(text.wrapEvenly(title, style, 300, 2)).toEqual(['Ignara V8 voor', 'minder dan een euro'])
})

test('what fits in no narrower lines takes the whole width, cut where it ends', () => {
  const title = 'Zeer lang '.repeat(20).trim()
  expect(text.wrapEvenly(title, style, 300, 2)).toEqual(text.wrap(title, style, 300, 2))
  expect(text.wrapEvenly(title, style, 300, 2).at(-1)).toMatch(/…$/)
})
