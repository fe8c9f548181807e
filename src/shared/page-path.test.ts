import { expect, test } from 'vitest'
import { onePagePath } from './page-path.ts'

test.each([
  ['/', '/'],
  ['/offers/aube-gt', '/offers/aube-gt'],
  ['/OFFERS', '/offers'],
  ['/Offers/Aube-GT/', '/offers/aube-gt'],
  ['/%4fFFERS/%61ube%2Dgt', '/offers/aube-gt'],
  ['/%6F%66%66%65%72%73', '/offers'],
  ['/offers/%5a%7A%30%5F%7e', '/offers/zz0_~'],
  ['/offers/voil%c3%a0', '/offers/voil%C3%A0'],
  ['/offers/voil%C3%A0', '/offers/voil%C3%A0'],
  ['/a%2fb%3Fc%25d', '/a%2Fb%3Fc%25d'],
  ['/a%2Eb', '/a%2Eb'],
  ['/%25%36%31', '/%2561'],
  ['//X//', '/x'],
  ['/Offers%0A', '/offers'],
])('%s is %s, and stays so', (path, one) => {
  expect(onePagePath(path)).toBe(one)
  expect(onePagePath(one)).toBe(one)
})
