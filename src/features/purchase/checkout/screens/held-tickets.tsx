import { X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import { checkoutApi } from '#features/purchase/checkout/checkout.api.ts'
import { onClockCorrected, serverNow } from '#client/server-clock.ts'
import { useSettings } from '#client/shell.ts'
import { unfinishedOrders } from '#features/purchase/orders/screens/unfinished-orders.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, IconButton, buttonClasses } from '#ui/button.tsx'
import { formatTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import type { OpenOrder } from '#features/purchase/checkout/checkout.contract.ts'
import { pollDelayMs, spokenMinutes, timeLeft } from './payment-reading.ts'
import { PAYMENT_ID } from './payment-panel.tsx'

type HeldShown =
  | { kind: 'none' }
  | {
      kind: 'held'
      order: OpenOrder
      /** By the database's clock. */
      endsAtMs: number
    }
  | { kind: 'expired' | 'givenBack' }

const NONE: HeldShown = { kind: 'none' }

/** The server, which tells whole seconds, may end a hold so much before this page does. */
const CLOCKS_DIFFER_MS = 2000

/** @returns undefined when the server gives no response */
async function askServer(signal?: AbortSignal): Promise<OpenOrder | null | undefined> {
  try {
    const order = await checkoutApi().openOrder(signal)
    // Less than a second is over by the time the page has drawn it.
    return order && order.seconds_left > 0 ? order : null
  } catch {
    return undefined
  }
}

function update(before: HeldShown, order: OpenOrder | null | undefined): HeldShown {
  if (order === undefined) return before
  if (order === null && before.kind === 'held')
    return before.endsAtMs - serverNow() > CLOCKS_DIFFER_MS ? NONE : { kind: 'expired' }
  if (order === null) return before
  // Whole seconds would move the countdown at each response.
  if (before.kind === 'held' && isSameHold(before.order, order)) return before
  return { kind: 'held', order, endsAtMs: serverNow() + order.seconds_left * 1000 }
}

const isSameHold = (one: OpenOrder, other: OpenOrder): boolean =>
  one.order_id === other.order_id &&
  one.held_until === other.held_until &&
  one.cart_version === other.cart_version

/** Whether an order that no longer waits for its buyer was paid elsewhere, or is being paid. */
async function isPaidElsewhere(orderId: string): Promise<boolean> {
  const status = await checkoutApi()
    .orderStatus(orderId)
    .catch(() => undefined)
  return status?.progress === 'confirming' || status?.progress === 'completed'
}

const isVisible = (): boolean => document.visibilityState === 'visible'

type HeldOrder = ReturnType<typeof useHeldOrder>

/**
 * The buyer's open order. Asks the server when the page opens, a payment ends unpaid, the buyer returns to the tab,
 * and at growing intervals while an order is open.
 * @param cartVersion of the page's cart, undefined while it changes; a hold of another version is not shown
 * An order that the buyer has approved, for example in a window left behind by a reload, is shown by the frame: it is
 * finished or given back there.
 * @param onPaid called when it was paid elsewhere, or is being paid
 * @param isIdle false during a payment here, whose own notices show the deadline
 */
export function useHeldOrder(
  cartVersion: number | undefined,
  isIdle: boolean,
  onPaid: (orderId: string) => void,
) {
  const t = useTranslations('checkout.held')
  const [known, setKnown] = useState<HeldShown>(NONE)
  const [busy, setBusy] = useState<'extend' | 'giveBack'>()
  const [failure, setFailure] = useState<string>()
  const paid = useEffectEvent(onPaid)

  useEffect(() => {
    if (!isIdle) return
    const leaving = new AbortController()
    const { signal } = leaving
    let open: string | undefined
    let attempt = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async (): Promise<void> => {
      clearTimeout(timer)
      const order = await askServer(signal)
      if (signal.aborted) return
      if (order?.approved) unfinishedOrders.refresh()
      const ended = order === null ? open : undefined
      if (order !== undefined) open = order?.order_id
      if (ended !== undefined && (await isPaidElsewhere(ended)))
        return signal.aborted ? undefined : paid(ended)
      if (signal.aborted) return
      if (order?.approved) setKnown(NONE)
      else setKnown((before) => update(before, order))
      lookLater()
    }
    // The provider may report an approval after the buyer is back.
    const lookLater = (): void => {
      clearTimeout(timer)
      if (open !== undefined)
        timer = setTimeout(() => void (isVisible() ? look() : lookLater()), pollDelayMs(attempt))
      attempt += 1
    }
    const onReturn = (): void => {
      attempt = 0
      if (isVisible()) void look()
    }
    void look()
    document.addEventListener('visibilitychange', onReturn, { signal })
    // A payment window in front of the page leaves it visible.
    window.addEventListener('focus', onReturn, { signal })
    return () => {
      clearTimeout(timer)
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
      // A refusal means that the order differs from what the page shows.
      if (status >= 400 && status < 500) {
        const order = await askServer()
        setKnown((before) => update(before, order))
      }
    }
    setBusy(undefined)
  }

  /** Another tab may have ordered or extended since. */
  async function showEnd(kind: 'expired' | 'givenBack'): Promise<void> {
    setKnown(update({ kind }, await askServer()))
  }

  const extend = (order: OpenOrder): Promise<void> =>
    act('extend', async () => {
      const { expires_at: until } = await checkoutApi().extendHold(order.order_id)
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
      const { progress } = await checkoutApi().cancelOrder(order.order_id)
      if (progress === 'closed' || progress === 'refused') return await showEnd('givenBack')
      // The order is being paid in another tab.
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

/** The live region exists before its text, so that the text is announced; it takes the focus of a removed button. */
export function HeldTickets({ held }: { held: HeldOrder }): ReactNode {
  const t = useTranslations('checkout.held')
  const place = useRef<HTMLElement>(null)
  const { shown, failure } = held

  function keepFocus(): void {
    const { activeElement } = document
    // A disabled button has lost the focus to the page.
    const isOurs = activeElement === document.body || place.current?.contains(activeElement)
    if (isOurs) place.current?.focus({ preventScroll: true })
  }

  async function press(action: (order: OpenOrder) => Promise<void>, order: OpenOrder): Promise<void> {
    keepFocus()
    await action(order)
    keepFocus()
  }

  return (
    <div aria-live="polite" className="empty:absolute">
      {(shown.kind !== 'none' || failure !== undefined) && (
        <section ref={place} tabIndex={-1} aria-label={t('heading')} className="grid grid-cols-1 gap-4">
          {failure !== undefined && <Alert tone="error">{failure}</Alert>}
          {shown.kind === 'held' && (
            <Held
              {...shown}
              busy={held.busy}
              press={(action) => void press(held[action], shown.order)}
              onEnd={() => {
                if (place.current?.contains(document.activeElement)) keepFocus()
                held.expire()
              }}
            />
          )}
          {shown.kind === 'expired' && (
            <Alert tone="warning" title={t('expiredTitle')}>
              {t('cartKept')}
            </Alert>
          )}
          {shown.kind === 'givenBack' && <Alert title={t('givenBackTitle')}>{t('cartKept')}</Alert>}
        </section>
      )}
    </div>
  )
}

interface HeldProps {
  order: OpenOrder
  endsAtMs: number
  busy: HeldOrder['busy']
  press: (action: 'extend' | 'giveBack') => void
  onEnd: () => void
}

function Held({ order, endsAtMs, busy, press, onEnd }: HeldProps): ReactNode {
  const t = useTranslations('checkout.held')
  const { timeZone, holdMinutes } = useSettings()
  const time = formatTime(order.held_until, timeZone)
  return (
    <div className="rounded-md border border-signal bg-signal-soft px-2 py-1.5 sm:px-4">
      {/* One row on a phone: the countdown says until when. */}
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 sm:gap-x-3">
        <Countdown endsAtMs={endsAtMs} onEnd={onEnd} />
        <p className="min-w-0 grow basis-24 text-sm leading-snug font-semibold">
          {t('title', { count: order.tickets })} <span className="max-md:hidden">{t('until', { time })}</span>
        </p>
        {order.can_extend && (
          <Button
            variant="secondary"
            size="small"
            className="max-sm:px-3"
            busy={busy === 'extend'}
            disabled={busy !== undefined}
            onClick={() => press('extend')}
          >
            <span>
              {t('extendShort', { minutes: holdMinutes })}{' '}
              <span className="sr-only">{t('extend', { minutes: holdMinutes })}</span>
            </span>
          </Button>
        )}
        <span className="hidden md:block">
          <a href={`#${PAYMENT_ID}`} className={buttonClasses('primary', 'small')}>
            {t('pay')}
          </a>
        </span>
        <IconButton
          label={t('giveBack')}
          disabled={busy !== undefined}
          onClick={() => press('giveBack')}
          className="-mr-2 ml-auto"
        >
          <X aria-hidden="true" className="size-5" />
        </IconButton>
      </div>
      {!order.can_extend && (
        <p className="py-1 text-sm">{t(order.ends_with_contest ? 'endsWithContest' : 'extended')}</p>
      )}
    </div>
  )
}

/** The seconds are no live region; five minutes and one before the end are said aloud, by the region around them. */
function Countdown({ endsAtMs, onEnd }: { endsAtMs: number; onEnd: () => void }): ReactNode {
  const t = useTranslations('checkout.held')
  const [{ now }, setLooked] = useState(() => ({ now: serverNow() }))
  const { seconds, text, nextMs } = timeLeft(endsAtMs - now)
  const [from] = useState(seconds)
  const spoken = spokenMinutes(seconds, from)
  const end = useEffectEvent(onEnd)

  useEffect(() => {
    if (seconds === 0) return end()
    const look = (): void => setLooked({ now: serverNow() })
    const timer = setTimeout(look, nextMs)
    const forget = onClockCorrected(look)
    return () => {
      forget()
      clearTimeout(timer)
    }
  }, [now, seconds, nextMs])

  return (
    <>
      <p role="timer" aria-live="off" className="font-wide text-lg tabular-nums">
        {text}
      </p>
      <p className="sr-only">{spoken !== undefined && t('minutes', { count: spoken })}</p>
    </>
  )
}
