import { useEffect, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { browserApi, failureTexts } from '#client/browser.ts'
import type { OpenOrder } from '#features/checkout/checkout.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { nowMs } from '#shared/clock.ts'

/** The hold of the cart as the page shows it. */
type HeldShown =
  | { kind: 'none' }
  | {
      kind: 'held'
      order: OpenOrder
      /** When the hold runs out by this browser's clock, from the seconds left that the server gave. */
      endsAtMs: number
    }
  /** The hold ended while the page was open. */
  | { kind: 'expired' | 'givenBack' }

const NONE: HeldShown = { kind: 'none' }

/** Asks the server for the open order. @returns the update of what the page shows */
async function askServer(signal?: AbortSignal): Promise<(before: HeldShown) => HeldShown> {
  try {
    const order = await browserApi().openOrder(signal)
    // A hold of less than a second is over when the page has drawn it.
    if (order && order.seconds_left > 0)
      return () => ({ kind: 'held', order, endsAtMs: nowMs() + order.seconds_left * 1000 })
    return (before) => (before.kind === 'held' ? NONE : before)
  } catch {
    // The cart can be paid without the notice.
    return (before) => before
  }
}

export type HeldOrder = ReturnType<typeof useHeldOrder>

/**
 * The open order of the buyer, wherever it was created. The server is asked when the page opens, when a payment ends
 * unpaid, and when the buyer returns to the tab.
 * @param cartVersion of the cart on the page, undefined while it changes; a hold of another version is not shown
 * @param isIdle false while a payment is under way here, whose own notices show the deadline
 */
export function useHeldOrder(cartVersion: number | undefined, isIdle: boolean) {
  const t = useTranslations('checkout.held')
  const [known, setKnown] = useState<HeldShown>(NONE)
  const [busy, setBusy] = useState<'extend' | 'giveBack'>()
  const [failure, setFailure] = useState<string>()

  useEffect(() => {
    if (!isIdle) return
    const leaving = new AbortController()
    const { signal } = leaving
    const look = (): void =>
      void askServer(signal).then((update) => {
        if (!signal.aborted) setKnown(update)
      })
    const onVisible = (): void => {
      if (document.visibilityState === 'visible') look()
    }
    look()
    document.addEventListener('visibilitychange', onVisible, { signal })
    return () => {
      leaving.abort()
      setKnown(NONE)
      setFailure(undefined)
    }
  }, [isIdle])

  async function act(what: 'extend' | 'giveBack', call: () => Promise<void>): Promise<void> {
    setBusy(what)
    setFailure(undefined)
    try {
      await call()
    } catch (error) {
      const { status, message } = failureOf(error, failureTexts())
      setFailure(message)
      // After a refusal the order differs from what the page shows.
      if (status >= 400 && status < 500) setKnown(await askServer())
    }
    setBusy(undefined)
  }

  /** Shows the end of the hold, unless another tab has ordered or extended since. */
  async function showEnd(kind: 'expired' | 'givenBack'): Promise<void> {
    const update = await askServer()
    setKnown(update({ kind }))
  }

  const extend = (order: OpenOrder): Promise<void> =>
    act('extend', async () => {
      const { expires_at: until } = await browserApi().extendHold(order.order_id)
      const heldUntil = until ?? order.held_until
      const longerMs = Date.parse(heldUntil) - Date.parse(order.held_until)
      setKnown((now) =>
        now.kind === 'held'
          ? {
              ...now,
              order: { ...order, held_until: heldUntil, can_extend: false },
              endsAtMs: now.endsAtMs + longerMs,
            }
          : now,
      )
    })

  const giveBack = (order: OpenOrder): Promise<void> =>
    act('giveBack', async () => {
      const { progress } = await browserApi().cancelOrder(order.order_id)
      if (progress === 'closed') return await showEnd('givenBack')
      // It is being paid in another tab.
      setFailure(t('underWay'))
      setKnown(NONE)
    })

  const isOther = known.kind === 'held' && known.order.cart_version !== cartVersion
  return {
    shown: isIdle && !isOther ? known : NONE,
    failure: isIdle ? failure : undefined,
    busy,
    extend,
    giveBack,
    expire: () => void showEnd('expired'),
  }
}
