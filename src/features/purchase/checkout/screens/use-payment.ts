import { useCallback, useEffect, useRef, useState } from 'react'
import { apiThunk } from '#client/actions.ts'
import type { ApiFailure } from '#client/api-error.ts'
import { useAppNavigate } from '#client/app-link.tsx'
import { tabStore } from '#client/browser-parts.ts'
import { checkoutApi } from '#features/purchase/checkout/checkout.api.ts'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import type { CartItem } from '#features/purchase/cart/cart.contract.ts'
import type { TaxFigures } from '#features/purchase/cart/screens/tax.ts'
import { cartReset, fetchCart } from '#features/purchase/cart/screens/cart-slice.ts'
import type { CreateOrderResponse, OrderStatus } from '#features/purchase/checkout/checkout.contract.ts'
import type { CreateOrderBody } from '#features/purchase/orders/orders.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { type Cents, parseEur, toDecimal } from '#shared/money.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import {
  type Gone,
  type HoldRefusal,
  type PaymentEnd,
  type ToAct,
  changedTax,
  holdRefusal,
  returnMessage,
} from './payment-reading.ts'
import { captureOrder, useOrderWatch } from './use-order-watch.ts'

/** The cart keeps its lines until the capture. */
export const checkout = apiThunk<CreateOrderResponse, CreateOrderBody>('cart/checkout', (body, { extra }) =>
  extra.call()<CreateOrderResponse>('POST', '/api/paypal/create-order/', { body }),
)

/** Spec section 9. */
const REDIRECT_MS = 2000

const UNPAID: readonly OrderStatus['progress'][] = ['open', 'closed', 'refused']

const PENDING_ORDER = 'volant-pending-order'

/**
 * The approved order that is not confirmed yet: after a reload the page polls it instead of offering a second payment.
 * Kept for this tab; the server refuses a second payment of the same cart anyway.
 */
const pendingOrder = {
  read: () => tabStore.getItem(PENDING_ORDER) ?? undefined,
  remember: (orderId: string) => tabStore.setItem(PENDING_ORDER, orderId),
  forget: () => tabStore.removeItem(PENDING_ORDER),
}

/** Spec section 4, "Payment". */
export type PaymentState =
  | { step: 'idle' }
  | { step: 'creating' }
  | {
      step: 'approving'
      orderId: string
      expiresAt: string | undefined
      canExtend?: boolean
      /** The last attempt was refused. */
      refusal?: ToAct
    }
  | { step: 'redirecting' }
  | { step: 'capturing'; orderId: string; expiresAt: string | undefined }
  | { step: 'confirming'; orderId: string }
  | { step: 'done'; tickets: readonly Ticket[] }
  | { step: 'priceChanged'; total: Cents; previous: Cents }
  | ({ step: 'failed'; text: string } & FailureDetails)
  | { step: Gone }

interface FailureDetails extends HoldRefusal {
  reference?: string | undefined
  /** The buyer can act on it at the provider. */
  toAct?: boolean
}

interface PaymentSubject {
  items: readonly CartItem[]
  country: string | undefined
  /** The displayed total: another one must be confirmed first. */
  total: Cents
  adoptTax: (figures: TaxFigures) => void
}

export type Payment = ReturnType<typeof usePayment>

/** A payment from the click to the numbers. Every step is safe to repeat. */
export function usePayment(subject: PaymentSubject) {
  const t = useTranslations('checkout')
  const tErrors = useTranslations('errors')
  const tAll = useTranslations()
  const dispatch = useAppDispatch()
  const navigate = useAppNavigate()
  const [state, setState] = useState<PaymentState>({ step: 'idle' })
  const running = useRef<Promise<CreateOrderResponse> | undefined>(undefined)
  const holdEnds = useRef<string | undefined>(undefined)
  /** The failure is displayed already; the provider's script reports it again through `onError`. */
  const isShown = useRef(false)

  useEffect(() => {
    const unfinished = pendingOrder.read()
    if (unfinished !== undefined) setState({ step: 'confirming', orderId: unfinished })
    // A page from the back/forward cache no longer redirects.
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

  const fail = (text: string, details: FailureDetails = {}): void =>
    setState({ step: 'failed', text, ...details })

  function onStartFailure(failure: ApiFailure): void {
    const body = (failure.body ?? {}) as { order_id?: unknown }
    if (failure.code === 'checkout.confirming' && typeof body.order_id === 'string') {
      pendingOrder.remember(body.order_id)
      return setState({ step: 'confirming', orderId: body.order_id })
    }
    const tax = failure.code === 'checkout.priceChanged' ? changedTax(failure) : undefined
    // After any other refusal the cart may differ from the page's.
    if (failure.status >= 400 && failure.status < 500) void dispatch(fetchCart())
    if (tax) {
      subject.adoptTax(tax)
      return setState({ step: 'priceChanged', total: parseEur(tax.total), previous: subject.total })
    }
    const cause =
      failure.code === 'cart.wrongAnswer' ? tErrors('cart.wrongAnswer') : (failure.detail ?? failure.message)
    const text = t('startFailed', { provider: PROVIDER_NAME, cause })
    fail(text, holdRefusal(failure))
  }

  async function requestOrder(): Promise<CreateOrderResponse> {
    isShown.current = false
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
    isShown.current = true
    const failure = action.payload ?? { status: 0, network: false, message: tErrors('unexpected') }
    onStartFailure(failure)
    throw new Error(failure.message)
  }

  /** Concurrent clicks share the order. */
  function createOrder(): Promise<CreateOrderResponse> {
    running.current ??= requestOrder().finally(() => {
      running.current = undefined
    })
    return running.current
  }

  async function continueToProvider(): Promise<void> {
    const order = await createOrder().catch(() => undefined)
    if (!order) return
    if (order.payment_url === null) return fail(t('urlMissing'))
    setState({ step: 'redirecting' })
    window.location.assign(order.payment_url)
  }

  async function approve(orderId: string, restart: (refusal: ToAct) => void): Promise<void> {
    const expiresAt = holdEnds.current
    pendingOrder.remember(orderId)
    setState({ step: 'capturing', orderId, expiresAt })
    const reading = await captureOrder(orderId)
    if (reading.result === 'unknown') return setState({ step: 'confirming', orderId })
    if (reading.result !== 'toAct') return end(reading)
    const { refusal } = reading
    pendingOrder.forget()
    setState({ step: 'approving', orderId, expiresAt, refusal })
    restart(refusal)
  }

  /** Shows the end of an order that was paid in another window, or is being paid there. */
  const resume = (orderId: string): Promise<void> => approve(orderId, failToAct)

  const failToAct = (refusal: ToAct): void =>
    fail(tErrors(`checkout.${refusal}`), { toAct: refusal !== 'declined' })

  function refuse(message: string, reference?: string): void {
    toast.error(t('failed'))
    fail(`${t('captureFailed')} ${message}`.trimEnd(), { reference })
    void dispatch(fetchCart())
  }

  /** The buyer has returned from the provider's page without a payment. */
  function returned(reason: string): void {
    if (reason === 'refunded' || reason === 'takenBack') return setState({ step: reason })
    fail(tAll(returnMessage(reason)), { toAct: reason === 'payerAction' || reason === 'notApproved' })
    // At `wait` the order is still open.
    if (reason !== 'wait') toast.error(t('failed'))
  }

  function end(payment: PaymentEnd): void {
    pendingOrder.forget()
    switch (payment.result) {
      case 'paid':
        setState({ step: 'done', tickets: payment.tickets })
        dispatch(cartReset())
        return
      case 'unknownOrder':
        return setState({ step: 'idle' })
      case 'refused':
        return refuse(
          payment.message || (payment.refusal ? tErrors(`checkout.${payment.refusal}`) : ''),
          payment.reference,
        )
      case 'toAct':
        toast.error(t('failed'))
        return failToAct(payment.refusal)
      default:
        setState({ step: payment.result })
    }
  }

  async function cancel(orderId: string | undefined): Promise<void> {
    // Without a response the hold expires by itself.
    const order =
      orderId === undefined
        ? undefined
        : await checkoutApi()
            .cancelOrder(orderId)
            .catch(() => undefined)
    // It may have been paid meanwhile, in another tab for example.
    const isPaid = order !== undefined && !UNPAID.some((one) => one === order.progress)
    const isCertain = orderId === undefined || order?.progress === 'closed' || order?.progress === 'refused'
    if (!isPaid) toast.info(t('canceled'), isCertain ? { description: t('canceledText') } : {})
    if (orderId === undefined) return setState({ step: 'idle' })
    // Last, since an idle page asks for held tickets; and only if no other payment has begun.
    const next: PaymentState = isPaid ? { step: 'confirming', orderId } : { step: 'idle' }
    setState((now) => (now.step === 'approving' && now.orderId === orderId ? next : now))
  }

  async function extendHold(orderId: string): Promise<void> {
    try {
      const { expires_at: expiresAt } = await checkoutApi().extendHold(orderId)
      holdEnds.current = expiresAt ?? holdEnds.current
      setState((now) =>
        now.step === 'approving' ? { ...now, expiresAt: holdEnds.current, canExtend: false } : now,
      )
    } catch {
      // The displayed deadline is still right.
    }
  }

  function onProviderError(message: string): void {
    if (isShown.current) {
      isShown.current = false
      return
    }
    setState((current) =>
      current.step === 'capturing' || current.step === 'confirming' || current.step === 'done'
        ? current
        : { step: 'failed', text: t('providerError', { provider: PROVIDER_NAME, message }) },
    )
    toast.error(t('failed'))
  }

  const watch = useOrderWatch(state.step === 'confirming' ? state.orderId : undefined, end)
  const dismiss = useCallback(() => setState({ step: 'idle' }), [])
  return {
    state,
    watch,
    createOrder,
    continueToProvider,
    approve,
    resume,
    cancel,
    extendHold,
    returned,
    onProviderError,
    dismiss,
  }
}
