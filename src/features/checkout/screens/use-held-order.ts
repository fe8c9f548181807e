import { useEffect, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { browserApi, failureTexts } from '#client/browser.ts'
import type { OpenOrder } from '#features/checkout/checkout.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { nowMs } from '#shared/clock.ts'

/** What the page knows of tickets that are held for the cart. */
type HeldShown =
  | { kind: 'none' }
  | {
      kind: 'held'
      order: OpenOrder
      /** When the hold expires, by this browser's clock: only the time that is left comes from the server's. */
      endsAtMs: number
    }
  /** The time ran out, or the buyer gave the tickets back, while the page was open. */
  | { kind: 'expired' | 'givenBack' }

const NONE: HeldShown = { kind: 'none' }

/** Asks which order waits. @returns what the page knows then, from what it knew before */
async function askServer(signal?: AbortSignal): Promise<(before: HeldShown) => HeldShown> {
  try {
    const order = await browserApi().openOrder(signal)
    // What has less than a second left is over when the page has drawn it.
    if (order && order.seconds_left > 0)
      return () => ({ kind: 'held', order, endsAtMs: nowMs() + order.seconds_left * 1000 })
    return (before) => (before.kind === 'held' ? NONE : before)
  } catch {
    // The cart can be paid without it, and the server keeps to the hold whatever the page shows.
    return (before) => before
  }
}

export type HeldOrder = ReturnType<typeof useHeldOrder>

/**
 * Keeps the page's knowledge of the order that waits for its buyer, wherever its payment was begun: in this tab, in
 * another one or before a reload. The server is asked when the page opens, when a payment ends unpaid, and when the buyer
 * comes back to the tab.
 * @param cartVersion of the cart on the page: what is held for another one is not shown. Undefined while it changes
 * @param rests false while a payment is under way here: its own notices tell of the deadline
 */
export function useHeldOrder(cartVersion: number | undefined, rests: boolean) {
  const t = useTranslations('checkout.held')
  const [known, setKnown] = useState<HeldShown>(NONE)
  const [busy, setBusy] = useState<'extend' | 'giveBack'>()
  const [failure, setFailure] = useState<string>()

  useEffect(() => {
    if (!rests) return
    const leaving = new AbortController()
    const { signal } = leaving
    const look = (): void =>
      void askServer(signal).then((learned) => {
        if (!signal.aborted) setKnown(learned)
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
  }, [rests])

  async function act(what: 'extend' | 'giveBack', call: () => Promise<void>): Promise<void> {
    setBusy(what)
    setFailure(undefined)
    try {
      await call()
    } catch (error) {
      const { status, message } = failureOf(error, failureTexts())
      setFailure(message)
      // A refusal means that the order is not what the page shows.
      if (status >= 400 && status < 500) setKnown(await askServer())
    }
    setBusy(undefined)
  }

  /** Tells that the tickets are free, unless the server knows better: another tab may have ordered, or extended, since. */
  async function learn(end: 'expired' | 'givenBack'): Promise<void> {
    const learned = await askServer()
    setKnown(learned({ kind: end }))
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
      if (progress === 'closed') return await learn('givenBack')
      // Paid in another tab meanwhile: what is being paid cannot go back.
      setFailure(t('underWay'))
      setKnown(NONE)
    })

  const isOther = known.kind === 'held' && known.order.cart_version !== cartVersion
  return {
    shown: rests && !isOther ? known : NONE,
    failure: rests ? failure : undefined,
    busy,
    extend,
    giveBack,
    expire: () => void learn('expired'),
  }
}
