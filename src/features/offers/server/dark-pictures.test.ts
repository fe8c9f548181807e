import { expect, test } from 'vitest'
import { darkPictureOf } from './dark-pictures.ts'

test.each([
  ['/media/fastback-front', '/media/fastback-front-dark'],
  ['/media/suv-tent', '/media/suv-tent-dark'],
  ['/media/fastback-night', undefined],
  ['/media/p/uploaded', undefined],
])('%s has on a dark page: %s', (src, twin) => {
  expect(darkPictureOf(src)).toBe(twin)
})
