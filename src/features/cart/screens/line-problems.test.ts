import { expect, test } from 'vitest'
import type { CartItem } from '#features/cart/cart.contract.ts'
import { blocksPayment, lineProblem } from './line-problems.ts'

test.each([
  ['what can be had', 24, {}, undefined, false],
  ['an ended contest, also sold out', 1, { is_active: false, tickets_sold: 24 }, { kind: 'ended' }, true],
  ['a sold-out contest', 1, { tickets_sold: 24 }, { kind: 'soldOut' }, true],
  ['too few tickets left', 5, { tickets_sold: 20 }, { kind: 'fewLeft', remaining: 4 }, true],
  // Only the server can tell whether the buyer's own order holds them.
  ['too few free tickets', 4, { tickets_sold: 20, tickets_held: 3 }, { kind: 'fewFree', free: 1 }, false],
])('%s: the problem of the line, and whether it blocks payment', (_, quantity, change, problem, blocks) => {
  const offer = { total_tickets: 24, tickets_sold: 0, tickets_held: 0, is_active: true, ...change }
  const line = { id: 1, quantity, offer } as CartItem
  expect([lineProblem(line), blocksPayment(line)]).toEqual([problem, blocks])
})
