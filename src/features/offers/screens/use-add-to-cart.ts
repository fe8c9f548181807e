import { useState } from 'react'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserSession } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { addItem } from '#features/cart/screens/cart-slice.ts'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** The server's word for a wrong answer, the same in every language (spec section 8). */
const WRONG_ANSWER = 'Mauvaise réponse.'

/** Puts tickets in the cart, and shows each refusal where spec section 8 wants it. */
export function useAddToCart(offer: OfferDetail) {
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
