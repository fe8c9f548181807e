import { describe, expect, it } from 'vitest'
import type { CartItem } from '#features/cart/cart.contract.ts'
import { blocksPayment, lineProblem } from './line-problems.ts'

const line = (quantity: number, offer: Partial<CartItem['offer']>): CartItem => ({
  id: 1,
  quantity,
  offer: {
    id: 1,
    slug: 'coupe',
    title: 'Coupé',
    title_nl: '',
    title_en: '',
    description: '',
    description_nl: '',
    description_en: '',
    image: null,
    carousel_images: [],
    pictures: [],
    ticket_price: '4.90',
    total_tickets: 24,
    tickets_sold: 0,
    tickets_held: 0,
    is_active: true,
    end_date: '2026-12-01T00:00:00Z',
    question: null,
    question_nl: null,
    question_en: null,
    choices: [],
    ...offer,
  },
})

describe('lineProblem', () => {
  it('finds nothing wrong with what can be had', () => {
    expect(lineProblem(line(24, {}))).toBeUndefined()
  })

  it('names the end before the stock', () => {
    expect(lineProblem(line(1, { is_active: false, tickets_sold: 24 }))).toEqual({ kind: 'ended' })
    expect(lineProblem(line(1, { tickets_sold: 24 }))).toEqual({ kind: 'soldOut' })
  })

  it('says how many are left or free', () => {
    expect(lineProblem(line(5, { tickets_sold: 20 }))).toEqual({ kind: 'fewLeft', remaining: 4 })
    expect(lineProblem(line(4, { tickets_sold: 20, tickets_held: 3 }))).toEqual({ kind: 'fewFree', free: 1 })
  })
})

describe('blocksPayment', () => {
  it('leaves running holds to the server', () => {
    expect(blocksPayment(line(4, { tickets_sold: 20, tickets_held: 3 }))).toBe(false)
    expect(blocksPayment(line(5, { tickets_sold: 20 }))).toBe(true)
    expect(blocksPayment(line(1, { is_active: false }))).toBe(true)
  })
})
