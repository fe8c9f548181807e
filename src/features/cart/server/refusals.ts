import type { OfferRow } from '#features/offers/server/index.ts'
import { isRightAnswer } from '#features/offers/offers.rules.ts'
import { Refusal } from '#shared/refusal.ts'

/** Code of the refusal of a wrong answer. */
export const WRONG_ANSWER = 'cart.wrongAnswer'

/** A cart that does not exist, or is somebody else's. */
export const cartNotFound = (): Refusal => new Refusal('cart.notFound', 404, 'errors.cart.notFound')

/** A line that the cart does not have, or no longer. */
export const itemNotFound = (): Refusal => new Refusal('cart.itemNotFound', 404, 'errors.cart.itemNotFound')

/**
 * What is wrong with the answer to an offer's question, if anything (spec section 5, "Question offers"). The detail of a
 * wrong one is the specification's 'Mauvaise réponse.' in every language, because its client compares that text;
 * `message` is translated.
 */
export function checkAnswer(offer: OfferRow, answer: string | null | undefined): Refusal | undefined {
  if (isRightAnswer(offer, answer)) return undefined
  const body = { offer_id: offer.id }
  return answer
    ? new Refusal(WRONG_ANSWER, 400, 'errors.cart.wrongAnswer', {
        body,
        literalDetail: 'Mauvaise réponse.',
      })
    : new Refusal('cart.answerRequired', 400, 'errors.cart.answerRequired', { body })
}
