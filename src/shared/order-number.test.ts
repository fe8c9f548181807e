import { expect, test } from 'vitest'
import { readOrderNumber, shownOrderNumber } from './order-number.ts'

test.each([
  ['K7QM-2F9P', 'K7QM2F9P'],
  [' k7qm 2f9p', 'K7QM2F9P'],
  ['K7QM2F9P', 'K7QM2F9P'],
  // As word processors and messengers change it, or with what stands before it.
  ['K7QM–2F9P', 'K7QM2F9P'],
  ['k7qm\u20112f9p', 'K7QM2F9P'],
  ['K7QM \u2212 2F9P\u00a0', 'K7QM2F9P'],
  ['\u202aK7QM-\u200b2F9P\u202c', 'K7QM2F9P'],
  ['#K7QM-2F9P', 'K7QM2F9P'],
  ['K7QM-2F9', undefined],
  ['K7QM-2F9O', undefined],
  ['0195f3a2-0000-7d34-9b42-8f0f5ce1a7d3', undefined],
  ['5O190127TN364715T', undefined],
])('an order number written as %j', (text, number) => {
  expect(readOrderNumber(text)).toBe(number)
})

test('an order number is shown in two groups', () => {
  expect(shownOrderNumber('K7QM2F9P')).toBe('K7QM-2F9P')
})
