import { describe, expect, it } from 'vitest'
import { isKnownRight, whyNotAddable } from './use-purchase.ts'

const open = { is_active: true, tickets_sold: 3, total_tickets: 24, question: null, correct_choice: null }
const asking = { ...open, question: 'Capitale de la Belgique ?', correct_choice: 'Bruxelles' }

describe('whyNotAddable', () => {
  it('lets an open contest without a question through', () => {
    expect(whyNotAddable(open, undefined)).toBeUndefined()
  })

  it('names the end before the stock, and the stock before the question', () => {
    expect(whyNotAddable({ ...asking, is_active: false, tickets_sold: 24 }, undefined)).toBe('ended')
    expect(whyNotAddable({ ...asking, tickets_sold: 24 }, undefined)).toBe('soldOut')
  })

  it('demands an answer, and the right one [spec 5.45]', () => {
    expect(whyNotAddable(asking, undefined)).toBe('answerMissing')
    expect(whyNotAddable(asking, '')).toBe('answerMissing')
    expect(whyNotAddable(asking, 'Paris')).toBe('answerWrong')
    expect(whyNotAddable(asking, 'Bruxelles')).toBeUndefined()
  })

  it('leaves the judgement to the server where the answer is secret', () => {
    const secret = { ...asking, correct_choice: undefined }
    expect(whyNotAddable(secret, undefined)).toBe('answerMissing')
    expect(whyNotAddable(secret, 'Paris')).toBeUndefined()
  })
})

describe('isKnownRight', () => {
  it('is only true when the page knows the answer', () => {
    expect(isKnownRight(asking, 'Bruxelles')).toBe(true)
    expect(isKnownRight(asking, 'Paris')).toBe(false)
    expect(isKnownRight({ ...asking, correct_choice: undefined }, 'Bruxelles')).toBe(false)
    expect(isKnownRight(open, undefined)).toBe(false)
  })
})
