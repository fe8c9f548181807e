import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { Stepper } from '#ui/stepper.tsx'
import type { CartItem } from '#features/purchase/cart/cart.contract.ts'
import { useLastMinutes } from '#features/offers/screens/live-offers.ts'
import { LinkedPicture } from '#features/offers/screens/offer-picture.tsx'
import { usePriceLine } from '#features/offers/screens/price-pair.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { mostAtOnce, whyNotBuyable } from '#features/offers/offers.rules.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { type Cents, parseEur } from '#shared/money.ts'
import { removeItem } from './cart-slice.ts'
import { type ChangeFailures, FailedChange } from './change-failure.tsx'
import { type HoldLimit, type LineProblem, lineProblem } from './line-problems.ts'
import { lineTotal } from './tax.ts'

/** So many minutes before the end of a contest its line says so. */
const SOON_MINUTES = 60

interface CartLineProps {
  item: CartItem
  /** The line's part of the total with VAT; undefined above an order's limit. */
  gross: Cents | undefined
  /** Of the last attempt to pay. */
  limit: HoldLimit | undefined
  onQuantity: (quantity: number) => void
  /** The line is removed, and its focused button with it. */
  onRemoved: () => void
  failures: ChangeFailures
}

export function CartLine({ item, gross, limit, onQuantity, onRemoved, failures }: CartLineProps): ReactNode {
  const t = useTranslations('cart')
  const tBuy = useTranslations('offers.buy')
  const tPrice = useTranslations('offers.price')
  const language = useLanguage()
  const { offer, quantity } = item
  const title = localized(offer, 'title', language)
  const [picture] = shownPictures(offer)
  const most = mostAtOnce(offer)
  const problem = lineProblem(item, limit)
  const endsIn = useLastMinutes(offer.end_date, SOON_MINUTES)
  const remove = useRemove(item, onRemoved, failures)
  const unitPrice = usePriceLine(offer.ticket_price, 1)
  const net = lineTotal(parseEur(offer.ticket_price), quantity)

  return (
    <li className="grid grid-cols-[min(6rem,28%)_minmax(0,1fr)] gap-x-4 gap-y-3 py-5 @md:grid-rows-[auto_1fr] @md:grid-cols-[11rem_minmax(0,1fr)] @md:gap-x-6">
      <LinkedPicture slug={offer.slug} picture={picture} />
      {/* With text of twice its size, a phone has no room beside the picture. */}
      <div className="flex items-start justify-between gap-3 @max-[14rem]:col-span-2 @max-[14rem]:flex-wrap">
        <div className="grid min-w-0 grid-cols-1 gap-1 @max-[14rem]:basis-full">
          <h3 lang={title.language} className="text-lg leading-snug">
            <AppLink to={paths.offer(offer.slug)} className="inline-block underline-offset-4 hover:underline">
              {title.text}
            </AppLink>
          </h3>
          <p className="text-sm text-muted">
            <span className="sr-only">{tPrice('ticket')} </span>
            {unitPrice}
          </p>
        </div>
        <IconButton
          label={t('line.removeOf', { title: title.text })}
          disabled={remove.busy}
          onClick={() => void remove.run()}
          className="-mt-1 -mr-2"
        >
          <Trash2 aria-hidden="true" className="size-5" />
        </IconButton>
      </div>
      <div className="col-span-2 flex flex-wrap items-center justify-between gap-3 @md:col-span-1 @md:col-start-2 @md:self-end">
        <Stepper
          value={quantity}
          max={Math.max(most, quantity)}
          onChange={(wanted) => onQuantity(Math.min(wanted, Math.max(1, most)))}
          disabled={whyNotBuyable(offer) !== undefined || remove.busy}
          label={t('line.quantityOf', { title: title.text })}
          decreaseText={tBuy('fewer')}
          increaseText={tBuy('more')}
          refusedText={tBuy('notWhole', { quantity })}
          clampedText={tBuy(offer.max_per_person === most ? 'perPerson' : 'max', { max: most })}
        />
        <p className="ml-auto grid text-right">
          <span className="sr-only">{t('line.total')} </span>
          {net === undefined || gross === undefined ? (
            '—'
          ) : (
            <>
              <span className="text-sm text-muted">
                {t.rich('line.gross', {
                  amount: formatEur(gross, language),
                  figure: (amount) => (
                    <span className="font-wide text-lg leading-tight text-ink tabular-nums">{amount}</span>
                  ),
                })}
              </span>
              {gross !== net && (
                <span className="text-sm text-muted">
                  {t('line.net', { amount: formatEur(net, language) })}
                </span>
              )}
            </>
          )}
        </p>
      </div>
      <div aria-live="polite" className="col-span-2 empty:absolute @md:col-span-1 @md:col-start-2">
        {problem && <Problem problem={problem} onQuantity={onQuantity} />}
        {!problem && endsIn !== undefined && (
          <Alert tone="warning">{t('problem.endsSoon', { minutes: endsIn })}</Alert>
        )}
      </div>
      <div className="col-span-2 empty:hidden @md:col-span-1 @md:col-start-2">
        <FailedChange failures={failures} about={item.id} />
      </div>
    </li>
  )
}

function Problem({
  problem,
  onQuantity,
}: {
  problem: LineProblem
  onQuantity: (quantity: number) => void
}): ReactNode {
  const t = useTranslations('cart.problem')
  switch (problem.kind) {
    case 'ended':
    case 'soldOut':
      return <Alert tone="warning">{t(problem.kind)}</Alert>
    case 'fewFree':
      return <Alert tone="info">{t('fewFree', { free: problem.free })}</Alert>
    case 'fewLeft':
    case 'capped': {
      const isCapped = problem.kind === 'capped'
      const count = isCapped ? problem.available : problem.remaining
      const keep = (
        <Button variant="secondary" size="small" onClick={() => onQuantity(count)}>
          {t('reduceTo', { count })}
        </Button>
      )
      return (
        <Alert tone="warning" actions={count > 0 && keep}>
          {isCapped ? t('capped', { available: count }) : t('fewLeft', { remaining: count })}
        </Alert>
      )
    }
  }
}

function useRemove(item: CartItem, onRemoved: () => void, failures: ChangeFailures) {
  const t = useTranslations('cart')
  const dispatch = useAppDispatch()
  const [busy, setBusy] = useState(false)

  async function run(): Promise<void> {
    setBusy(true)
    failures.clear()
    const action = await dispatch(removeItem({ item_id: item.id }))
    if (removeItem.fulfilled.match(action)) {
      toast.success(t('removed'))
      return onRemoved()
    }
    setBusy(false)
    failures.show(item.id, t('removeError'), action.payload)
  }

  return { busy, run }
}
