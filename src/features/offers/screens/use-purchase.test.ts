import { expect, test } from 'vitest'
import { isKnownRight, whyNotAddable } from './use-purchase.ts'

const open = { is_active: true, tickets_sold: 3, total_tickets: 24, question: null, correct_choice: null }
const asking = { ...open, question: 'Capitale de la Belgique ?', correct_choice: 'Bruxelles' }
const secret = { ...asking, correct_choice: undefined }

test.each([
  ['no question', open, undefined, undefined, false],
  ['the end before the stock', { ...asking, is_active: false, tickets_sold: 24 }, undefined, 'ended', false],
  ['the stock before the question', { ...asking, tickets_sold: 24 }, undefined, 'soldOut', false],
  ['no answer', asking, undefined, 'answerMissing', false],
  ['an empty answer', asking, '', 'answerMissing', false],
  ['a wrong answer', asking, 'Paris', 'answerWrong', false],
  ['the right answer', asking, 'Bruxelles', undefined, true],
  ['no answer to a secret question', secret, undefined, 'answerMissing', false],
  ['an answer that only the server can judge', secret, 'Bruxelles', undefined, false],
])('%s: why nothing can be added, and whether the answer is known to be right [spec 5.45]', (...row) => {
  const [, offer, answer, obstacle, knownRight] = row
  expect([whyNotAddable(offer, answer), isKnownRight(offer, answer)]).toEqual([obstacle, knownRight])
})
