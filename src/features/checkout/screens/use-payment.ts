import { useCallback, useEffect, useRef, useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserApi } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import type { CartItem } from '#features/cart/cart.contract.ts'
import type { TaxFigures } from '#features/cart/screens/tax.ts'
import { cartReset, checkout, fetchCart } from '#features/cart/screens/cart-slice.ts'
import type { CreateOrderAnswer } from '#features/checkout/checkout.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { type Cents, parseEur, toDecimal } from '#shared/money.ts'
import { type Gone, changedTax } from './payment-reading.ts'
import { pendingOrder } from './pending-order.ts'
import { returnMessage } from './return-reason.ts'
import { type WatchedEnd, captureOrder, useOrderWatch } from './use-order-watch.ts'

/** The provider's name as buyers know it. */
export const PROVIDER = 'PayPal'

/** Delay of the redirect after a payment (spec section 9). */
const REDIRECT_MS = 2000

/** Where the payment stands, as the page shows it (spec section 4, "Payment"). */
export type PaymentState =
  | { step: 'idle' }
  | { step: 'creating' }
  | {
      step: 'approving'
      orderId: string
      expiresAt: string | undefined
      /** More time is given once. */
      canExtend?: boolean
      declined?: boolean
    }
  | { step: 'redirecting' }
  | { step: 'capturing'; orderId: string; expiresAt: string | undefined }
  | { step: 'confirming'; orderId: string }
  | { step: 'done'; tickets: readonly Ticket[] }
  | { step: 'priceChanged'; total: Cents; previous: Cents }
  | { step: 'failed'; text: string; reference?: string }
  | { step: Gone }

/** What is being paid, as it stands on the page. */
export interface PaymentSubject {
  items: readonly CartItem[]
  country: string | undefined
  /** The total on the screen: another figure must be confirmed first. */
  total: Cents
  adoptTax: (figures: TaxFigures) => void
}

export type Payment = ReturnType<typeof usePayment>

/** The way of a payment from the click to the numbers. Every path of it may be walked twice without paying twice. */
export function usePayment(subject: PaymentSubject) {
  const t = useTranslations('checkout')
  const tErrors = useTranslations('errors')
  const tAll = useTranslations()
  const dispatch = useAppDispatch()
  const navigate = useAppNavigate()
  const [state, setState] = useState<PaymentState>({ step: 'idle' })
  const running = useRef<Promise<CreateOrderAnswer> | undefined>(undefined)
  const holdEnds = useRef<string | undefined>(undefined)
  /** The provider's script reports a failure of ours once more through `onError`: the buyer hears of it once. */
  const told = useRef(false)

  useEffect(() => {
    const unfinished = pendingOrder.read()
    if (unfinished !== undefined) setState({ step: 'confirming', orderId: unfinished })
    // A page that comes back from the browser's memory is no longer on its way to the provider.
    const onShow = (event: PageTransitionEvent) => event.persisted && setState({ step: 'idle' })
    window.addEventListener('pageshow', onShow)
    return () => window.removeEventListener('pageshow', onShow)
  }, [])

  const done = state.step === 'done'
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => navigate(paths.participations({ success: true })), REDIRECT_MS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- `navigate` is new at each rendering; the delay must not restart
  }, [done])

  function fail(text: string, reference?: string): void {
    setState({ step: 'failed', text, ...(reference !== undefined && { reference }) })
  }

  function finish(tickets: readonly Ticket[]): void {
    pendingOrder.forget()
    setState({ step: 'done', tickets })
    dispatch(cartReset())
  }

  function onStartFailure(failure: ApiFailure): void {
    const body = (failure.body ?? {}) as { order_id?: unknown }
    if (failure.code === 'checkout.confirming' && typeof body.order_id === 'string') {
      pendingOrder.remember(body.order_id)
      return setState({ step: 'confirming', orderId: body.order_id })
    }
    const tax = failure.code === 'checkout.priceChanged' ? changedTax(failure) : undefined
    // Every other refusal may mean that the cart or the contests are no longer what the page shows.
    if (failure.status >= 400 && failure.status < 500) void dispatch(fetchCart())
    if (tax) {
      subject.adoptTax(tax)
      return setState({ step: 'priceChanged', total: parseEur(tax.total), previous: subject.total })
    }
    const cause =
      failure.code === 'cart.wrongAnswer' ? tErrors('cart.wrongAnswer') : (failure.detail ?? failure.message)
    fail(t('startFailed', { provider: PROVIDER, cause }))
  }

  async function requestOrder(): Promise<CreateOrderAnswer> {
    told.current = false
    setState({ step: 'creating' })
    const { country, total } = subject
    const items = subject.items.map(({ id, quantity, offer: { id: offerId, ticket_price } }) => ({
      id,
      quantity,
      offer: { id: offerId, ticket_price },
    }))
    const action = await dispatch(
      checkout({ cart: { items }, country_code: country, expected_total: toDecimal(total) }),
    )
    if (checkout.fulfilled.match(action)) {
      const { order_id, expires_at, can_extend } = action.payload
      holdEnds.current = expires_at
      setState({ step: 'approving', orderId: order_id, expiresAt: expires_at, canExtend: can_extend })
      return action.payload
    }
    told.current = true
    const failure = action.payload ?? { status: 0, network: false, message: tErrors('unexpected') }
    onStartFailure(failure)
    throw new Error(failure.message)
  }

  /** Creates the order; a second click while it is under way gets the same one. */
  function createOrder(): Promise<CreateOrderAnswer> {
    running.current ??= requestOrder().finally(() => {
      running.current = undefined
    })
    return running.current
  }

  /** The way without the provider's script: the buyer approves on the provider's own page. */
  async function continueToProvider(): Promise<void> {
    const order = await createOrder().catch(() => undefined)
    if (!order) return
    if (order.payment_url === null) return fail(t('urlMissing'))
    setState({ step: 'redirecting' })
    window.location.assign(order.payment_url)
  }

  async function approve(orderId: string, restart: () => void): Promise<void> {
    const expiresAt = holdEnds.current
    pendingOrder.remember(orderId)
    setState({ step: 'capturing', orderId, expiresAt })
    const reading = await captureOrder(orderId)
    if (reading.result === 'paid') return finish(reading.tickets)
    if (reading.result === 'unknown') return setState({ step: 'confirming', orderId })
    pendingOrder.forget()
    if (reading.result === 'declined') {
      setState({ step: 'approving', orderId, expiresAt, declined: true })
      return restart()
    }
    if (reading.result === 'takenBack') return setState({ step: 'takenBack' })
    refuse(reading.message, reading.reference)
  }

  function refuse(message: string, reference?: string): void {
    toast.error(t('failed'))
    fail(`${t('captureFailed')} ${message}`.trimEnd(), reference)
    void dispatch(fetchCart())
  }

  /** The buyer is back from the provider's own page, unpaid: says why. */
  function returned(reason: string): void {
    if (reason === 'refunded' || reason === 'takenBack') return setState({ step: reason })
    fail(tAll(returnMessage(reason)))
    // Who shall wait has an order that stands as before.
    if (reason !== 'wait') toast.error(t('failed'))
  }

  function onWatchedEnd(end: WatchedEnd): void {
    if (end.end === 'paid') return finish(end.tickets)
    pendingOrder.forget()
    if (end.end === 'unknownOrder') return setState({ step: 'idle' })
    if (end.end === 'refused') return refuse(end.message, end.reference)
    if (end.end === 'declined') return refuse(tErrors('checkout.declined'))
    setState({ step: end.end })
  }

  async function cancel(orderId: string | undefined): Promise<void> {
    toast.info(t('canceled'), { description: t('canceledText') })
    if (orderId === undefined) return setState({ step: 'idle' })
    // The hold would expire by itself; a lost call only keeps the tickets from others for a few minutes more.
    await browserApi()
      .cancelOrder(orderId)
      .catch(() => undefined)
    // Not before: an idle page asks which tickets are held. Nor over what the buyer has begun meanwhile.
    setState((now) => (now.step === 'approving' && now.orderId === orderId ? { step: 'idle' } : now))
  }

  /** More time for the buyer who is still at the provider's window (WCAG 2.2.1). */
  async function extendHold(orderId: string): Promise<void> {
    try {
      const { expires_at: expiresAt } = await browserApi().extendHold(orderId)
      holdEnds.current = expiresAt ?? holdEnds.current
      setState((now) =>
        now.step === 'approving' ? { ...now, expiresAt: holdEnds.current, canExtend: false } : now,
      )
    } catch {
      // Refused or out of reach: the deadline that the page shows stays true.
    }
  }

  function onProviderError(message: string): void {
    if (told.current) {
      told.current = false
      return
    }
    setState((current) =>
      current.step === 'capturing' || current.step === 'confirming' || current.step === 'done'
        ? current
        : { step: 'failed', text: t('providerError', { provider: PROVIDER, message }) },
    )
    toast.error(t('failed'))
  }

  const watch = useOrderWatch(state.step === 'confirming' ? state.orderId : undefined, onWatchedEnd)
  const dismiss = useCallback(() => setState({ step: 'idle' }), [])
  return {
    state,
    watch,
    createOrder,
    continueToProvider,
    approve,
    cancel,
    extendHold,
    returned,
    onProviderError,
    dismiss,
  }
}
