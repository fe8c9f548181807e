import { useState } from 'react'
import { type Cents, MAX_PRICE_CENTS, parseEur, timesCents } from '#shared/money.ts'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserSession } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { addItem } from '#features/cart/screens/cart-slice.ts'
import { useTranslations } from '#i18n/translations.tsx'
import type { OfferDetail } from '../offers.contract.ts'
import { QUANTITY_MIN, clampQuantity, remainingTickets, whyNotBuyable } from '../offers.rules.ts'

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

/** The server's word for a wrong answer, the same in every language (spec section 8). */
const WRONG_ANSWER = 'Mauvaise réponse.'

/** Puts tickets in the cart, and shows each refusal where spec section 8 wants it. */
function useAddToCart(offer: OfferDetail) {
  const t = useTranslations('offers.buy')
  const dispatch = useAppDispatch()
  const navigate = useAppNavigate()
  const [adding, setAdding] = useState(false)
  /** Whether this visit has put tickets into the cart. */
  const [added, setAdded] = useState(false)
  /** What went wrong, kept in the page when the toast has gone. */
  const [failed, setFailed] = useState<string>()
  /** The choice the server called wrong: it stays refused until another one is chosen. */
  const [refusedAnswer, setRefusedAnswer] = useState<string>()

  async function add(quantity: number, answer: string | undefined): Promise<void> {
    if (adding) return
    if (!browserSession().isAuthenticated()) {
      toast.warning(t('authRequired'), { description: t('authRequiredText') })
      return navigate(paths.login({ next: paths.offer(offer.slug) }))
    }
    setAdding(true)
    setFailed(undefined)
    const action = await dispatch(
      addItem({ offer_id: offer.id, quantity, ...(offer.question !== null && { answer: answer ?? null }) }),
    )
    setAdding(false)
    if (addItem.fulfilled.match(action)) {
      setAdded(true)
      return toast.success(t('added'))
    }
    const failure = action.payload
    // A session that could not be renewed is told of already; one that could and is refused all the same is over too.
    if (failure && browserSession().expire(failure)) return
    if (failure?.detail === WRONG_ANSWER || failure?.code === 'cart.wrongAnswer')
      return setRefusedAnswer(answer)
    const text = failure?.network ? failure.message : (failure?.detail ?? t('addError'))
    setFailed(text)
    toast.error(text)
  }

  return { add, adding, added, failed, refusedAnswer }
}

/** Why the add-to-cart button is disabled (spec section 4, "Offer purchasability"). */
type AddObstacle = 'ended' | 'soldOut' | 'answerMissing' | 'answerWrong'

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
