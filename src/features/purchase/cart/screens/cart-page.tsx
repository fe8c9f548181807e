import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useAppDispatch, useAppSelector } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { UNFINISHED_ID, unfinishedOrders } from '#features/purchase/orders/screens/unfinished-orders.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { CartItem } from '#features/purchase/cart/cart.contract.ts'
import { endedItems, itemCount } from '#features/purchase/cart/cart.rules.ts'
import { HeldTickets, useHeldOrder } from '#features/purchase/checkout/screens/held-tickets.tsx'
import {
  PaymentNotices,
  PaymentOutcome,
  isOutcome,
} from '#features/purchase/checkout/screens/payment-views.tsx'
import { PaymentPanel } from '#features/purchase/checkout/screens/payment-panel.tsx'
import { usePayment } from '#features/purchase/checkout/screens/use-payment.ts'
import { usePaymentNotice } from '#features/purchase/checkout/screens/use-payment-notice.ts'
import { useHasEnded } from '#features/offers/screens/live-offers.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { useBillingCountry } from './billing-country.ts'
import { CartLine } from './cart-line.tsx'
import { clearCart, fetchCart, removeItem } from './cart-slice.ts'
import { type ChangeFailures, FailedChange, useChangeFailure } from './change-failure.tsx'
import { blocksPayment } from './line-problems.ts'
import { COUNTRY_ID, OrderSummary } from './order-summary.tsx'
import { boundedSubtotal } from './tax.ts'
import { useQuantities } from './use-quantities.ts'
import { useTax } from './use-tax.ts'

const COLUMNS =
  'grid grid-cols-1 items-start gap-x-12 gap-y-8 @4xl:grid-cols-[minmax(0,1fr)_24rem] @4xl:grid-rows-[auto_1fr] @4xl:gap-y-4'

/** Spec section 2, "Cart". */
export function CartPage(): ReactNode {
  const { status, items, error, version } = useAppSelector((state) => state.cart)
  const { pricesIncludeVat } = useSettings()
  const country = useBillingCountry()
  const { subtotal, tooLarge } = boundedSubtotal(items)
  const tax = useTax(subtotal, country, pricesIncludeVat)
  const payment = usePayment({ items, country, total: tax.total, adoptTax: tax.adopt })
  const failures = useChangeFailure()
  const quantities = useQuantities(failures)
  const isIdle = payment.state.step === 'idle' || payment.state.step === 'failed'
  const held = useHeldOrder(
    quantities.saving ? undefined : version,
    isIdle,
    (orderId) => void payment.resume(orderId),
  )
  const hasUnfinished = useUnfinished(isIdle)
  const heading = useRef<HTMLHeadingElement>(null)
  const [wasFilled, setWasFilled] = useState(false)
  const t = useTranslations('cart')
  const tCheckout = useTranslations('checkout')
  const ended = useEndedItems(items)
  usePaymentNotice(payment.returned)
  const earliestEnd = items.map(({ offer }) => offer.end_date).toSorted()[0]
  useRefreshAtEnd(earliestEnd)

  if (isOutcome(payment.state)) return <PaymentOutcome payment={payment} />
  if (status === 'failed') return <LoadError message={error} />
  if (items.length === 0)
    return status === 'succeeded' ? (
      <EmptyCart
        takesFocus={wasFilled}
        notice={
          (ended.length > 0 || payment.state.step === 'failed') && (
            <>
              <EndedNotice items={ended} />
              <PaymentNotices payment={payment} />
            </>
          )
        }
      />
    ) : (
      <CartSkeleton />
    )
  if (!wasFilled) setWasFilled(true)

  const blocked =
    country === undefined
      ? { text: t('country.warning'), at: COUNTRY_ID }
      : tooLarge
        ? { text: t('tooLarge') }
        : hasUnfinished
          ? { text: tCheckout('unfinishedFirst'), at: UNFINISHED_ID }
          : items.some(blocksPayment)
            ? { text: tCheckout('fixCart') }
            : undefined

  return (
    <div className="page-width @container grid grid-cols-1 [&_:is(h1,h2,h3)]:wrap-anywhere gap-8 py-8 sm:py-12">
      <PageHeader title={t('title')} lead={t('itemCount', { count: itemCount(items) })} />
      <EndedNotice items={ended} />
      <HeldTickets held={held} />
      <div className={COLUMNS}>
        <section className="@container grid grid-cols-1">
          <h2 ref={heading} tabIndex={-1} className="sr-only">
            {t('items')}
          </h2>
          <ul className="divide-y divide-line border-y border-line">
            {items.map((item) => (
              <CartLine
                key={item.id}
                item={item}
                limit={payment.state.step === 'failed' ? payment.state.limit : undefined}
                onQuantity={(quantity) => quantities.change(item, quantity)}
                onRemoved={() => heading.current?.focus()}
                failures={failures}
              />
            ))}
          </ul>
        </section>
        <OrderSummary tax={tax} country={country} tooLarge={tooLarge}>
          <PaymentPanel
            payment={payment}
            blocked={blocked}
            waiting={quantities.saving}
            held={held.shown.kind === 'held'}
            contestsEnd={earliestEnd}
          />
        </OrderSummary>
        <div className="grid grid-cols-1 gap-3">
          <div className="flex flex-wrap justify-between gap-3 max-sm:*:grow">
            <AppLink to={paths.offers()} className={buttonClasses('secondary', 'small')}>
              {t('continue')}
            </AppLink>
            <ClearCart failures={failures} />
          </div>
          <FailedChange failures={failures} about="cart" />
        </div>
      </div>
    </div>
  )
}

export function CartSkeleton(): ReactNode {
  const t = useTranslations('cart')
  return (
    <LoadingRegion text={t('loading')} className="page-width @container grid grid-cols-1 gap-8 py-8 sm:py-12">
      <Skeleton className="h-12 w-48" />
      <div className={COLUMNS}>
        <div className="grid gap-4">
          <Skeleton className="h-36" />
          <Skeleton className="h-36" />
        </div>
        <Skeleton className="h-96 @4xl:row-span-2" />
      </div>
    </LoadingRegion>
  )
}

/** Whether an approved payment waits to be finished or given back. The frame shows it, except during a payment here. */
function useUnfinished(isIdle: boolean): boolean {
  const { read, readOnServer, subscribe } = unfinishedOrders
  useEffect(() => {
    unfinishedOrders.hide(!isIdle)
    if (isIdle) unfinishedOrders.refresh()
    return () => unfinishedOrders.hide(false)
  }, [isIdle])
  return useSyncExternalStore(subscribe, read, readOnServer).length > 0
}

/** Reads the cart again when one of its contests ends. @param end ISO 8601 */
function useRefreshAtEnd(end: string | undefined): void {
  const dispatch = useAppDispatch()
  const hasEnded = useHasEnded(end)
  useEffect(() => {
    if (hasEnded) void dispatch(fetchCart())
  }, [hasEnded, dispatch])
}

/** Each is tried once (spec section 4, "Cart"). @returns the items removed since the page opened */
function useEndedItems(items: readonly CartItem[]): readonly CartItem[] {
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

/** The toast shows the removed contests only for a moment. */
function EndedNotice({ items }: { items: readonly CartItem[] }): ReactNode {
  const t = useTranslations('cart')
  const language = useLanguage()
  if (items.length === 0) return null
  return (
    <Alert tone="warning" title={t('expiredRemoved', { count: items.length })}>
      <ul>
        {items.map(({ id, offer }) => {
          const title = localized(offer, 'title', language)
          return (
            <li key={id} lang={title.language}>
              {title.text}
            </li>
          )
        })}
      </ul>
    </Alert>
  )
}

function ClearCart({ failures }: { failures: ChangeFailures }): ReactNode {
  const t = useTranslations('cart')
  const dispatch = useAppDispatch()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)

  async function clear(): Promise<void> {
    setBusy(true)
    failures.clear()
    const action = await dispatch(clearCart())
    setBusy(false)
    setAsking(false)
    if (clearCart.fulfilled.match(action)) toast.success(t('cleared'))
    else failures.show('cart', t('clearError'), action.payload)
  }

  return (
    <>
      <Button variant="ghost" size="small" onClick={() => setAsking(true)}>
        {t('clear')}
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('clearTitle')}
        closeText={t('clearKeep')}
        actions={
          <>
            <Button variant="secondary" onClick={() => setAsking(false)}>
              {t('clearKeep')}
            </Button>
            <Button variant="danger" busy={busy} onClick={() => void clear()}>
              {t('clearConfirm')}
            </Button>
          </>
        }
      >
        <p>{t('clearText')}</p>
      </Dialog>
    </>
  )
}

interface EmptyCartProps {
  /** It replaces the lines, whose buttons had the focus. */
  takesFocus: boolean
  notice: ReactNode
}

function EmptyCart({ takesFocus, notice }: EmptyCartProps): ReactNode {
  const t = useTranslations('cart.empty')
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) place.current?.querySelector('h1')?.focus()
  }, [takesFocus])
  return (
    <div ref={place} className="page-width">
      {notice && <div className="grid gap-4 pt-8">{notice}</div>}
      <EmptyState
        as="h1"
        illustration={<BlankPlate />}
        title={t('title')}
        text={t('text')}
        action={
          <AppLink to={paths.offers()} className={buttonClasses()}>
            {t('action')}
          </AppLink>
        }
      />
    </div>
  )
}

function LoadError({ message }: { message: string | null }): ReactNode {
  const t = useTranslations('cart')
  const dispatch = useAppDispatch()
  return (
    <div role="alert" className="page-width">
      <EmptyState
        as="h1"
        illustration={<EmptyBay />}
        title={t('errorTitle')}
        text={message}
        action={<Button onClick={() => void dispatch(fetchCart())}>{t('retry')}</Button>}
      />
    </div>
  )
}
