import { useRef, useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { useAppDispatch } from '#client/state.ts'
import type { CartItem } from '#features/purchase/cart/cart.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { fetchCart, quantityShown, updateItem } from './cart-slice.ts'
import type { ChangeFailures } from './change-failure.tsx'

/** Ten quick presses of a stepper send one call. */
const SETTLE_MS = 300

interface Change {
  confirmed: number
  wanted: number
  timer?: ReturnType<typeof setTimeout>
  sending: boolean
}

/** Quantities are shown at once, sent when the buyer pauses, and reset when the server refuses (U5). */
export function useQuantities(failures: ChangeFailures): {
  change: (item: CartItem, quantity: number) => void
  saving: boolean
} {
  const t = useTranslations('cart')
  const dispatch = useAppDispatch()
  const changes = useRef(new Map<number, Change>())
  const [saving, setSaving] = useState(false)

  function change(item: CartItem, quantity: number): void {
    const known = changes.current.get(item.id) ?? {
      confirmed: item.quantity,
      wanted: quantity,
      sending: false,
    }
    failures.clear()
    known.wanted = quantity
    clearTimeout(known.timer)
    changes.current.set(item.id, known)
    dispatch(quantityShown({ itemId: item.id, quantity }))
    if (!known.sending) known.timer = setTimeout(() => void send(item.id, known), SETTLE_MS)
    setSaving(true)
  }

  async function send(itemId: number, line: Change): Promise<void> {
    line.sending = true
    const quantity = line.wanted
    const action = await dispatch(updateItem({ item_id: itemId, quantity }))
    line.sending = false
    if (updateItem.rejected.match(action)) {
      reset(itemId, line, action.payload)
    } else {
      line.confirmed = quantity
      if (line.wanted !== quantity) {
        dispatch(quantityShown({ itemId, quantity: line.wanted }))
        return void send(itemId, line)
      }
    }
    changes.current.delete(itemId)
    setSaving(changes.current.size > 0)
  }

  function reset(itemId: number, line: Change, failure: ApiFailure | undefined): void {
    dispatch(quantityShown({ itemId, quantity: line.confirmed }))
    failures.show(itemId, t('quantityError'), failure)
    // The stock differs from what the page shows.
    if (failure && failure.status >= 400 && failure.status < 500) void dispatch(fetchCart())
  }

  return { change, saving }
}
