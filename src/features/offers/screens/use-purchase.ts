import { useState } from 'react'
import { MAX_PRICE_CENTS, parseEur } from '#shared/money.ts'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserSession } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { addItem } from '#features/purchase/cart/screens/cart-slice.ts'
import { type Wish, placeIn, useTurn } from '#features/waiting-room/screens/use-turn.ts'
import { useTranslations } from '#i18n/translations.tsx'
import type { OfferDetail } from '../offers.contract.ts'
import { QUANTITY_MIN, clampQuantity, mostAtOnce, whyNotBuyable } from '../offers.rules.ts'

export type Purchase = ReturnType<typeof usePurchase>

export function usePurchase(offer: OfferDetail) {
  const [answer, choose] = useState('')
  const [wanted, setQuantity] = useState(QUANTITY_MIN)
  const { add, adding, added, failed, refusedAnswer, place } = useAddToCart(offer, (wish) => {
    choose(wish.answer)
    setQuantity(wish.quantity)
  })
  const price = parseEur(offer.ticket_price)
  // Limited by the largest amount, too (spec section 5, "Quantity").
  const max = Math.min(mostAtOnce(offer), Math.floor(MAX_PRICE_CENTS / price))
  const quantity = clampQuantity(wanted, max)
  const obstacle =
    whyNotAddable(offer, answer) ?? (answer !== '' && answer === refusedAnswer ? 'answerWrong' : undefined)
  return {
    answer,
    choose,
    quantity,
    setQuantity,
    max,
    obstacle,
    knownRight: isKnownRight(offer, answer),
    adding,
    added,
    failed,
    /** In line, at a contest in a rush. */
    place,
    add: () => void add(quantity, answer),
    /** Adds, then leads to the cart. */
    buy: () => void add(quantity, answer, true),
  }
}

/** The server's detail in every language (spec section 8). */
const WRONG_ANSWER = 'Mauvaise réponse.'

/** Refusals are shown as in spec section 8. @param onReturn called after a reload of somebody who waits in line */
function useAddToCart(offer: OfferDetail, onReturn: (wish: Wish) => void) {
  const t = useTranslations('offers.buy')
  const dispatch = useAppDispatch()
  const navigate = useAppNavigate()
  const [adding, setAdding] = useState(false)
  const [added, setAdded] = useState(false)
  const [failed, setFailed] = useState<string>()
  const [refusedAnswer, setRefusedAnswer] = useState<string>()
  const { place, wait } = useTurn(offer.slug, (wish) => void add(wish.quantity, wish.answer), onReturn)

  async function add(quantity: number, answer: string, thenPay = false): Promise<void> {
    if (adding) return
    if (!browserSession().isAuthenticated()) {
      toast.warning(t('authRequired'), { description: t('authRequiredText') })
      return navigate(paths.login({ next: paths.offer(offer.slug) }))
    }
    setAdding(true)
    setAdded(false)
    setFailed(undefined)
    const action = await dispatch(
      addItem({ offer_id: offer.id, quantity, ...(offer.question !== null && { answer }) }),
    )
    setAdding(false)
    if (addItem.fulfilled.match(action)) {
      if (thenPay) return navigate(paths.cart())
      setAdded(true)
      return toast.success(t('added'))
    }
    const failure = action.payload
    // The session reports its own end.
    if (failure && browserSession().expire(failure)) return
    const inLine = placeIn(failure)
    if (inLine) return wait(inLine, { quantity, answer })
    if (failure?.detail === WRONG_ANSWER || failure?.code === 'cart.wrongAnswer')
      return setRefusedAnswer(answer)
    const text = failure?.network ? failure.message : (failure?.detail ?? t('addError'))
    setFailed(text)
    toast.error(text)
  }

  return { add, adding, added, failed, refusedAnswer, place }
}

/** Spec section 4, "Offer purchasability". */
type AddObstacle = 'ended' | 'soldOut' | 'answerMissing' | 'answerWrong'

type Purchasable = Pick<
  OfferDetail,
  'is_active' | 'tickets_sold' | 'tickets_reserved' | 'total_tickets' | 'question' | 'correct_choice'
>

/** Without `correct_choice` the answer is secret and the server checks it. */
export function whyNotAddable(offer: Purchasable, answer: string | undefined): AddObstacle | undefined {
  const closed = whyNotBuyable(offer)
  if (closed) return closed
  if (offer.question === null) return undefined
  if (!answer) return 'answerMissing'
  if (typeof offer.correct_choice === 'string' && answer !== offer.correct_choice) return 'answerWrong'
  return undefined
}

export const isKnownRight = (
  offer: Pick<OfferDetail, 'question' | 'correct_choice'>,
  answer: string | undefined,
): boolean =>
  offer.question !== null && typeof offer.correct_choice === 'string' && answer === offer.correct_choice
