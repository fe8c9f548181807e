import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Crop,
  HEIGHT_MIN,
  WIDTH_MIN,
  centreOf,
  cropAt,
  cropFault,
  defaultCrop,
  fileTypeOf,
  filesOf,
  keepInside,
  missingAlts,
  sharedPart,
  widthsOf,
} from './pictures.rules.ts'

const sizes = fc.record({
  width: fc.integer({ min: WIDTH_MIN, max: 4_096 }),
  height: fc.integer({ min: HEIGHT_MIN, max: 4_096 }),
})
const points = fc.record({
  x: fc.integer({ min: -100, max: 5_000 }),
  y: fc.integer({ min: -100, max: 5_000 }),
})

const isWithin = (inner: Crop, outer: Crop): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

test('every picture that is large enough has a crop that is accepted, wherever its focal point is', () => {
  fc.assert(
    fc.property(sizes, points, (size, focal) => {
      const crop = defaultCrop(size, focal)
      expect(cropFault(crop, size)).toBeUndefined()
      expect(crop.width === size.width || crop.height === size.height).toBe(true)
      expect(isWithin(sharedPart(crop, keepInside(focal, crop)), crop)).toBe(true)
    }),
  )
})

test('a crop follows the focal point as far as the picture goes', () => {
  expect(defaultCrop({ width: 1600, height: 600 })).toEqual({ x: 320, y: 0, width: 960, height: 600 })
  expect(defaultCrop({ width: 1600, height: 600 }, { x: 1590, y: 0 })).toMatchObject({ x: 640 })
  expect(defaultCrop({ width: 800, height: 2000 }, { x: 0, y: 700 })).toEqual({
    x: 0,
    y: 450,
    width: 800,
    height: 500,
  })
})

test('wherever a frame is drawn, it becomes a crop that is accepted', () => {
  fc.assert(
    fc.property(sizes, points, fc.double({ min: -10, max: 9_000, noNaN: true }), (size, point, wide) => {
      expect(cropFault(cropAt(point, wide, size), size)).toBeUndefined()
    }),
  )
  expect(cropAt({ x: 10.4, y: 20.6 }, 800, { width: 1600, height: 1200 })).toEqual({
    x: 10,
    y: 21,
    width: 800,
    height: 500,
  })
})

test.each([
  ['outside', { x: 1, y: 0, width: 1600, height: 1000 }],
  ['outside', { x: 0, y: 400, width: 1600, height: 1000 }],
  ['tooSmall', { x: 0, y: 0, width: 592, height: 370 }],
  ['wrongShape', { x: 0, y: 0, width: 900, height: 900 }],
  ['wrongShape', { x: 0, y: 0, width: 1600, height: 998 }],
  [undefined, { x: 0, y: 200, width: 1599, height: 999 }],
] as const)('a crop is %s: %o', (fault, crop) => {
  expect(cropFault(crop, { width: 1600, height: 1200 })).toBe(fault)
})

test('no file is wider than its crop, and the largest is no less than nine tenths of what it could be', () => {
  expect(widthsOf({ width: 4_000 })).toEqual([240, 480, 696, 828, 1280, 1600])
  expect(widthsOf({ width: 600 })).toEqual([240, 480, 600])
  expect(widthsOf({ width: 840 })).toEqual([240, 480, 696, 840])
  fc.assert(
    fc.property(fc.integer({ min: WIDTH_MIN, max: 4_096 }), (width) => {
      const widths = widthsOf({ width })
      expect(Math.max(...widths)).toBe(Math.min(width, 1600))
      expect(widths).toEqual([...new Set(widths)].toSorted((a, b) => a - b))
    }),
  )
  expect(filesOf(widthsOf({ width: 600 }))).toBe(7)
})

test('the part for shared links holds the focal point', () => {
  const crop = { x: 100, y: 50, width: 1600, height: 1000 }
  expect(sharedPart(crop, centreOf(crop))).toEqual({ x: 100, y: 130, width: 1600, height: 840 })
  expect(sharedPart(crop, { x: 100, y: 60 })).toMatchObject({ y: 50 })
  expect(sharedPart(crop, { x: 100, y: 1040 })).toMatchObject({ y: 210 })
})

const box = (brand: string, ...also: string[]): Uint8Array => {
  const text = `ftyp${brand}\0\0\0\0${also.join('')}`
  return Buffer.concat([Buffer.from([0, 0, 0, text.length + 4]), Buffer.from(text, 'latin1')])
}

test.each([
  ['jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ['png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1')],
  ['avif', box('avif', 'mif1', 'miaf')],
  ['avif', box('mif1', 'avif')],
  ['heic', box('heic', 'mif1')],
  ['gif', Buffer.from('GIF89a')],
  ['svg', Buffer.from('<?xml version="1.0"?>\n<!-- x --><svg xmlns="http://www.w3.org/2000/svg">')],
  ['other', Buffer.from('%PDF-1.7')],
  ['other', Buffer.from('RIFF\0\0\0\0WAVE', 'latin1')],
  ['other', box('isom', 'mp42')],
  ['other', new Uint8Array()],
] as const)('the first bytes of a file name its type: %s', (type, bytes) => {
  expect(fileTypeOf(bytes)).toBe(type)
})

test('missing descriptions are those without a letter', () => {
  expect(missingAlts({ fr: 'Une voiture', nl: ' ', en: '' })).toEqual(['nl', 'en'])
})
