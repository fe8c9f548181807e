import { type ReactNode, useEffect, useRef, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useAppDispatch, useAppSelector } from '#client/state.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate, EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import { itemCount } from '#features/cart/cart.rules.ts'
import { PaymentOutcome, isOutcome } from '#features/checkout/screens/payment-outcome.tsx'
import { PaymentPanel } from '#features/checkout/screens/payment-panel.tsx'
import { usePayment } from '#features/checkout/screens/use-payment.ts'
import { usePaymentNotice } from '#features/checkout/screens/use-payment-notice.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { useBillingCountry } from './billing-country.ts'
import { CartLine } from './cart-line.tsx'
import { fetchCart } from './cart-slice.ts'
import { ClearCart } from './clear-cart.tsx'
import { blocksPayment } from './line-problems.ts'
import { OrderSummary } from './order-summary.tsx'
import { boundedSubtotal } from './tax.ts'
import { useEndedItems } from './use-ended-items.ts'
import { useQuantities } from './use-quantities.ts'
import { useTax } from './use-tax.ts'

const COLUMNS = 'grid grid-cols-1 items-start gap-8 @4xl:grid-cols-[minmax(0,1fr)_24rem] @4xl:gap-12'

/** The cart with its payment (spec section 2, "Cart"). */
export function CartPage(): ReactNode {
  const { status, items, error } = useAppSelector((state) => state.cart)
  const { pricesIncludeVat } = useSettings()
  const country = useBillingCountry()
  const { subtotal, tooLarge } = boundedSubtotal(items)
  const tax = useTax(subtotal, country, pricesIncludeVat)
  const payment = usePayment({ items, country, total: tax.total, adoptTax: tax.adopt })
  const quantities = useQuantities()
  const heading = useRef<HTMLHeadingElement>(null)
  const [wasFilled, setWasFilled] = useState(false)
  const t = useTranslations('cart')
  const tCheckout = useTranslations('checkout')
  useEndedItems(items)
  usePaymentNotice(payment.returned)

  if (isOutcome(payment.state)) return <PaymentOutcome payment={payment} />
  if (status === 'failed') return <LoadError message={error} />
  if (items.length === 0)
    return status === 'succeeded' ? <EmptyCart takesFocus={wasFilled} /> : <CartSkeleton />
  if (!wasFilled) setWasFilled(true)

  const blocked =
    country === undefined
      ? t('country.warning')
      : tooLarge
        ? t('tooLarge')
        : items.some(blocksPayment)
          ? tCheckout('fixCart')
          : undefined

  return (
    <div className="page-width @container grid grid-cols-1 [&_:is(h1,h2,h3)]:wrap-anywhere gap-8 py-8 sm:py-12">
      <PageHeader title={t('title')} lead={t('itemCount', { count: itemCount(items) })} />
      <div className={COLUMNS}>
        <section className="grid grid-cols-1 gap-4">
          <h2 ref={heading} tabIndex={-1} className="sr-only">
            {t('items')}
          </h2>
          <ul className="divide-y divide-line border-y border-line">
            {items.map((item) => (
              <CartLine
                key={item.id}
                item={item}
                onQuantity={(quantity) => quantities.change(item, quantity)}
                onRemoved={() => heading.current?.focus()}
              />
            ))}
          </ul>
          <div className="flex flex-wrap justify-between gap-3 max-sm:*:grow">
            <AppLink to={paths.offers()} className={buttonClasses('secondary', 'small')}>
              {t('continue')}
            </AppLink>
            <ClearCart />
          </div>
        </section>
        <OrderSummary tax={tax} country={country} tooLarge={tooLarge}>
          <PaymentPanel payment={payment} blocked={blocked} waiting={quantities.saving} />
        </OrderSummary>
      </div>
    </div>
  )
}

/** The page while the cart is on the way. */
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
        <Skeleton className="h-96" />
      </div>
    </LoadingRegion>
  )
}

/** @param props.takesFocus when it replaces the lines whose buttons had the focus */
function EmptyCart({ takesFocus }: { takesFocus: boolean }): ReactNode {
  const t = useTranslations('cart.empty')
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) place.current?.querySelector('h1')?.focus()
  }, [takesFocus])
  return (
    <div ref={place} className="page-width">
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
