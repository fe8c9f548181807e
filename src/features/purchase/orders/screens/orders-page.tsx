import { Download } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { failureTexts } from '#client/browser.ts'
import { ordersApi } from '../orders.api.ts'
import { useCountryNames } from '#client/country-names.ts'
import { paths } from '#client/paths.ts'
import { saveFile } from '#client/save-file.ts'
import { useSettings } from '#client/shell.ts'
import { toast } from '#client/toast.ts'
import { Badge, type Tone } from '#ui/badge.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { classes } from '#ui/classes.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { ListSkeleton } from '#ui/skeleton.tsx'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime, formatEur, formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { BuyerOrder, BuyerOrders, OrderPhase } from '../orders.contract.ts'
import { useConfirmingOrders } from './confirming-orders.ts'

/** The buyer's orders, with receipts and refunds. */
export function OrdersPage(): ReactNode {
  const t = useTranslations('orders')
  const title = useTranslations('pages')('orders.title')
  const { orders, load, hasMore, readMore } = useOrders()

  if (!orders && load === 'loading') return <OrdersSkeleton />
  return (
    <div className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
      <PageHeader title={title} lead={t('lead')} />
      {orders?.length === 0 && (
        <EmptyState
          illustration={<BlankPlate />}
          title={t('empty')}
          text={t('emptyText')}
          action={
            <AppLink to={paths.offers()} className={buttonClasses()}>
              {t('emptyAction')}
            </AppLink>
          }
        />
      )}
      {orders && orders.length > 0 && (
        <ul className="grid max-w-4xl grid-cols-1 gap-6">
          {orders.map((order) => (
            <li key={order.number}>
              <OrderCard order={order} />
            </li>
          ))}
        </ul>
      )}
      {typeof load === 'object' && (
        <div role="alert">
          <EmptyState
            illustration={<EmptyBay />}
            title={t('errorTitle')}
            text={load.error}
            action={<Button onClick={() => void readMore()}>{t('retry')}</Button>}
          />
        </div>
      )}
      {hasMore && typeof load === 'string' && (
        <Button
          variant="secondary"
          className="w-fit max-sm:w-full"
          busy={load === 'loading'}
          busyText={t('loading')}
          onClick={() => void readMore()}
        >
          {t('older')}
        </Button>
      )}
    </div>
  )
}

export function OrdersSkeleton(): ReactNode {
  const t = useTranslations('orders')
  return <ListSkeleton text={t('loading')} item="h-64" />
}

type Load = 'loading' | 'done' | { error: string }

/** The pages read so far. A payment that was confirmed meanwhile reads them again from the first. */
function useOrders() {
  const [read, setRead] = useState<{ orders: readonly BuyerOrder[]; next: string | null }>()
  const [load, setLoad] = useState<Load>('loading')
  const confirming = useConfirmingOrders().length

  useEffect(() => {
    // At each visit, and when the number of waiting payments changes.
    let isCurrent = true
    void readPage().then(({ page, load: end }) => {
      if (!isCurrent) return
      if (page) setRead(page)
      setLoad(end)
    })
    return () => {
      isCurrent = false
    }
  }, [confirming])

  async function readMore(): Promise<void> {
    setLoad('loading')
    const { page, load: end } = await readPage(read?.next ?? undefined)
    if (page) setRead({ orders: [...(read?.orders ?? []), ...page.orders], next: page.next })
    setLoad(end)
  }

  return { orders: read?.orders, load, hasMore: typeof read?.next === 'string', readMore }
}

/** @param after the number of the order before the page; the first page without */
async function readPage(after?: string): Promise<{ page?: BuyerOrders; load: Load }> {
  try {
    return { page: await ordersApi().orders(after), load: 'done' }
  } catch (error) {
    return { load: { error: failureOf(error, failureTexts()).message } }
  }
}

const TONES: Record<OrderPhase, Tone> = {
  confirming: 'warning',
  paid: 'success',
  partlyRefunded: 'neutral',
  refunding: 'signal',
  refunded: 'neutral',
  checking: 'warning',
}

const NEXT: ReadonlySet<OrderPhase> = new Set(['confirming', 'refunding', 'checking'])
const hasNext = (phase: OrderPhase): phase is 'confirming' | 'refunding' | 'checking' => NEXT.has(phase)

function OrderCard({ order }: { order: BuyerOrder }): ReactNode {
  const t = useTranslations('orders')
  const { timeZone } = useSettings()
  const language = useLanguage()
  const heading = useId()
  const { number, phase, lines, tickets, refunds } = order
  const dated = (iso: string) => ({
    date: formatDateTime(iso, timeZone),
    when: (date: ReactNode) => <ZonedTime iso={iso}>{date}</ZonedTime>,
  })
  const country = useCountryNames()(order.country)

  return (
    <Card role="article" aria-labelledby={heading} className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="grid min-w-0 gap-1">
          <h2 id={heading} className="text-lg leading-snug tabular-nums">
            {t('number', { number })}
          </h2>
          <p className="text-sm text-muted">{t.rich('placed', dated(order.placed_at))}</p>
        </div>
        <Badge tone={TONES[phase]}>{t(`phase.${phase}`)}</Badge>
      </header>
      {hasNext(phase) && <p className="text-sm">{t(`next.${phase}`)}</p>}
      <ul className="grid grid-cols-1 gap-3">
        {lines.map(({ offer_slug, title, quantity, unit_price }) => (
          <li key={offer_slug} className="min-w-0">
            <AppLink
              to={paths.offer(offer_slug)}
              className="font-semibold wrap-anywhere underline-offset-4 hover:underline"
            >
              {title}
            </AppLink>
            <p className="text-sm text-muted">
              {t('line', { quantity, price: formatEur(unit_price, language) })}
            </p>
          </li>
        ))}
      </ul>
      <dl className="grid gap-1.5 border-t border-line pt-4 text-sm">
        <Amount name={t('subtotal')} amount={order.subtotal} />
        <Amount
          name={t('vat', { rate: formatPercent(order.tax_rate, language), country })}
          amount={order.tax_amount}
        />
        <Amount name={t('total')} amount={order.total} strong />
        {refunds.map(({ amount, done, at }) => (
          <Amount
            key={at + amount}
            name={t.rich(done ? 'refunded' : 'refundAsked', dated(at))}
            amount={amount}
            returned
          />
        ))}
      </dl>
      {tickets.void > 0 && <p className="text-sm text-muted">{t('void', { count: tickets.void })}</p>}
      <div className="flex flex-wrap gap-3 max-sm:*:grow print:hidden">
        {tickets.valid + tickets.void > 0 && (
          <AppLink to={paths.participations()} className={buttonClasses('secondary', 'small')}>
            {t('tickets')}
          </AppLink>
        )}
        {order.has_receipt && <ReceiptButton number={number} />}
      </div>
    </Card>
  )
}

interface AmountProps {
  name: ReactNode
  amount: string
  strong?: boolean
  /** Money that went back. */
  returned?: boolean
}

function Amount({ name, amount, strong = false, returned = false }: AmountProps): ReactNode {
  const language = useLanguage()
  return (
    <div className={classes('flex flex-wrap justify-between gap-x-6', strong && 'text-base font-semibold')}>
      <dt>{name}</dt>
      <dd className="ml-auto whitespace-nowrap tabular-nums">
        {returned && '−'}
        {formatEur(amount, language)}
      </dd>
    </div>
  )
}

function ReceiptButton({ number }: { number: string }): ReactNode {
  const t = useTranslations('orders')
  const [busy, setBusy] = useState(false)

  async function download(): Promise<void> {
    setBusy(true)
    try {
      saveFile(await ordersApi().receipt(number), `${t('fileName')}-${number}.pdf`)
      toast.success(t('downloaded', { number }))
    } catch (error) {
      toast.error(t('receiptError', { number }), {
        description: failureOf(error, failureTexts()).message,
      })
    }
    setBusy(false)
  }

  return (
    <Button
      variant="secondary"
      size="small"
      aria-label={t('receiptOf', { number })}
      busy={busy}
      onClick={() => void download()}
    >
      {!busy && <Download aria-hidden="true" className="size-4" />}
      {t('receipt')}
    </Button>
  )
}
