import { useState } from 'react'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { QUANTITY_MIN, clampQuantity, remainingTickets } from '#features/offers/offers.rules.ts'
import { type Cents, MAX_PRICE_CENTS, parseEur, timesCents } from '#shared/money.ts'
import { type AddObstacle, isKnownRight, whyNotAddable } from './buy-state.ts'
import { useAddToCart } from './use-add-to-cart.ts'

/** What a visitor has chosen on the page of an offer, shared by the buy panel and the bar of phones. */
export interface Purchase {
  answer: string
  choose: (answer: string) => void
  quantity: number
  setQuantity: (quantity: number) => void
  /** Most tickets the stepper allows: those not issued yet (spec section 5, "Quantity"). */
  max: number
  lineTotal: Cents
  obstacle: AddObstacle | undefined
  knownRight: boolean
  adding: boolean
  /** Whether this visit has put tickets into the cart. */
  added: boolean
  /** Why nothing was added just now. */
  failed: string | undefined
  add: () => void
}

/** Keeps answer and quantity, and adds them to the cart. */
export function usePurchase(offer: OfferDetail): Purchase {
  const [answer, choose] = useState('')
  const [wanted, setQuantity] = useState(QUANTITY_MIN)
  const { add, adding, added, failed, refusedAnswer } = useAddToCart(offer)
  const price = parseEur(offer.ticket_price)
  const max = Math.min(remainingTickets(offer), Math.floor(MAX_PRICE_CENTS / price))
  const quantity = clampQuantity(wanted, max)
  const obstacle =
    whyNotAddable(offer, answer) ?? (answer !== '' && answer === refusedAnswer ? 'answerWrong' : undefined)
  return {
    answer,
    choose,
    quantity,
    setQuantity,
    max,
    lineTotal: timesCents(price, quantity),
    obstacle,
    knownRight: isKnownRight(offer, answer),
    adding,
    added,
    failed,
    add: () => void add(quantity, answer),
  }
}
