import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import type { OfferDetail } from '#features/offers/offers.contract.ts'

/** Why the add-to-cart button is disabled (spec section 4, "Offer purchasability"). */
export type AddObstacle = 'ended' | 'soldOut' | 'answerMissing' | 'answerWrong'

type Purchasable = Pick<
  OfferDetail,
  'is_active' | 'tickets_sold' | 'total_tickets' | 'question' | 'correct_choice'
>

/**
 * What stands between the visitor and the cart; undefined when nothing does.
 * Where the answer is kept secret (`correct_choice` left out), any choice passes and the server judges it.
 * @param answer the choice picked so far
 */
export function whyNotAddable(offer: Purchasable, answer: string | undefined): AddObstacle | undefined {
  const closed = whyNotBuyable(offer)
  if (closed) return closed
  if (offer.question === null) return undefined
  if (!answer) return 'answerMissing'
  if (typeof offer.correct_choice === 'string' && answer !== offer.correct_choice) return 'answerWrong'
  return undefined
}

/** Whether the page can already tell that the chosen answer is right. */
export const isKnownRight = (
  offer: Pick<OfferDetail, 'question' | 'correct_choice'>,
  answer: string | undefined,
): boolean =>
  offer.question !== null && typeof offer.correct_choice === 'string' && answer === offer.correct_choice
