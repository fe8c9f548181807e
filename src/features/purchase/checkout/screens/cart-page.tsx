import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useAppSelector } from '#client/state.ts'
import { itemCount } from '#features/purchase/cart/cart.rules.ts'
import { useBillingCountry } from '#features/purchase/cart/screens/billing-country.ts'
import { CartLine } from '#features/purchase/cart/screens/cart-line.tsx'
import {
  COLUMNS,
  CartLoadError,
  CartSkeleton,
  ClearCart,
  EmptyCart,
  EndedNotice,
  useEndedItems,
  useRefreshAtEnd,
} from '#features/purchase/cart/screens/cart-parts.tsx'
import { FailedChange, useChangeFailure } from '#features/purchase/cart/screens/change-failure.tsx'
import { blocksPayment } from '#features/purchase/cart/screens/line-problems.ts'
import { COUNTRY_ID, OrderSummary } from '#features/purchase/cart/screens/order-summary.tsx'
import { boundedSubtotal, linesOfTotal } from '#features/purchase/cart/screens/tax.ts'
import { useQuantities } from '#features/purchase/cart/screens/use-quantities.ts'
import { useTax } from '#features/purchase/cart/screens/use-tax.ts'
import { UNFINISHED_ID, unfinishedOrders } from '#features/purchase/orders/screens/unfinished-orders.ts'
import { useNewNumbers } from '#features/tickets/screens/use-new-numbers.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { parseEur, timesCents } from '#shared/money.ts'
import { PageHeader } from '#ui/page-header.tsx'
import { PayBar } from './pay-bar.tsx'
import { HeldTickets, useHeldOrder } from './held-tickets.tsx'
import { PAYMENT_ID, PaymentPanel } from './payment-panel.tsx'
import { PaymentNotices, PaymentOutcome, isOutcome } from './payment-views.tsx'
import { usePaymentNotice } from './use-payment-notice.ts'
import { usePayment } from './use-payment.ts'

/** The cart, which is paid on the same page (spec section 2, "Cart"). */
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

  const Numbers = useNewNumbers(payment.state.step !== 'idle')
  // The payment empties the cart; its end shows what was in it.
  const [bought, setBought] = useState(items)
  if (items.length > 0 && items !== bought) setBought(items)
  if (isOutcome(payment.state)) return <PaymentOutcome payment={payment} items={bought} Numbers={Numbers} />
  if (status === 'failed') return <CartLoadError message={error} />
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

  const shares = tooLarge
    ? []
    : linesOfTotal(
        items.map(({ offer, quantity }) => timesCents(parseEur(offer.ticket_price), quantity)),
        tax.total,
      )

  return (
    <div className="page-width @container grid grid-cols-1 gap-6 py-8">
      <EndedNotice items={ended} />
      <HeldTickets held={held} />
      <div className={COLUMNS}>
        <div className="grid grid-cols-1 gap-4">
          <PageHeader title={t('title')} lead={t('itemCount', { count: itemCount(items) })} />
          <section className="@container grid grid-cols-1 max-md:[&_:is(a,button,input)]:scroll-mb-28">
            <h2 ref={heading} tabIndex={-1} className="sr-only">
              {t('items')}
            </h2>
            <ul className="divide-y divide-line border-y border-line">
              {items.map((item, index) => (
                <CartLine
                  key={item.id}
                  item={item}
                  gross={shares[index]}
                  limit={payment.state.step === 'failed' ? payment.state.limit : undefined}
                  onQuantity={(quantity) => quantities.change(item, quantity)}
                  onRemoved={() => heading.current?.focus()}
                  failures={failures}
                />
              ))}
            </ul>
          </section>
          {!tooLarge && <PayBar tax={tax} at={blocked?.at ?? PAYMENT_ID} />}
          <div className="grid grid-cols-1 gap-3">
            <div className="flex flex-wrap justify-between gap-2 max-sm:*:grow">
              <AppLink to={paths.offers()} className={buttonClasses('secondary', 'small')}>
                {t('continue')}
              </AppLink>
              <ClearCart failures={failures} />
            </div>
            <FailedChange failures={failures} about="cart" />
          </div>
        </div>
        <OrderSummary tax={tax} country={country} tooLarge={tooLarge}>
          <PaymentPanel
            payment={payment}
            blocked={blocked}
            waiting={quantities.saving}
            held={held.shown.kind === 'held'}
            contestsEnd={earliestEnd}
          />
        </OrderSummary>
      </div>
    </div>
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
