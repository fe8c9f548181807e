import { useEffect, useRef, useState } from 'react'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import type { CartItem } from '#features/cart/cart.contract.ts'
import { endedItems } from '#features/cart/cart.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { removeItem } from './cart-slice.ts'

/**
 * Takes contests that have ended out of the cart and says so (spec section 4, "Cart"). An item that cannot be removed is
 * tried once; it stays in the list with its reason.
 * @returns those taken out since the page was opened
 */
export function useEndedItems(items: readonly CartItem[]): readonly CartItem[] {
  const t = useTranslations('cart')
  const dispatch = useAppDispatch()
  const tried = useRef(new Set<number>())
  const [gone, setGone] = useState<readonly CartItem[]>([])

  useEffect(() => {
    const ended = endedItems(items).filter((item) => !tried.current.has(item.id))
    if (ended.length === 0) return
    for (const item of ended) tried.current.add(item.id)

    async function remove(): Promise<void> {
      const results = await Promise.all(
        ended.map(async (item) =>
          removeItem.fulfilled.match(await dispatch(removeItem({ item_id: item.id }))) ? [item] : [],
        ),
      )
      const removed = results.flat()
      setGone((before) => [...before, ...removed])
      if (removed.length > 0) toast.warning(t('expiredRemoved', { count: removed.length }))
      if (removed.length < ended.length) toast.error(t('expiredError'))
    }
    void remove()
  }, [items, dispatch, t])

  return gone
}
