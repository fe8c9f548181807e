import { type ReactNode, useEffect, useRef, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { CartItem } from '../cart.contract.ts'
import { endedItems } from '../cart.rules.ts'
import { type ShownPicture, shownPictures } from '#features/offers/screens/pictures.ts'
import { useHasEnded } from '#features/offers/screens/live-offers.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { clearCart, fetchCart, removeItem } from './cart-slice.ts'
import type { ChangeFailures } from './change-failure.tsx'

/** Lines and summary beside each other, where there is room. */
export const COLUMNS = 'grid grid-cols-1 items-start gap-x-12 gap-y-8 @4xl:grid-cols-[minmax(0,1fr)_24rem]'

export function CartSkeleton(): ReactNode {
  const t = useTranslations('cart')
  return (
    <LoadingRegion text={t('loading')} className="page-width @container grid grid-cols-1 gap-6 py-8">
      <div className={COLUMNS}>
        <div className="grid gap-4">
          <Skeleton className="h-12 w-48" />
          <Skeleton className="h-36" />
          <Skeleton className="h-36" />
        </div>
        <Skeleton className="h-96" />
      </div>
    </LoadingRegion>
  )
}

/** Reads the cart again when one of its contests ends. @param end ISO 8601 */
export function useRefreshAtEnd(end: string | undefined): void {
  const dispatch = useAppDispatch()
  const hasEnded = useHasEnded(end)
  useEffect(() => {
    if (hasEnded) void dispatch(fetchCart())
  }, [hasEnded, dispatch])
}

/** Each is tried once (spec section 4, "Cart"). @returns the items removed since the page opened */
export function useEndedItems(items: readonly CartItem[]): readonly CartItem[] {
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
export function EndedNotice({ items }: { items: readonly CartItem[] }): ReactNode {
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

export function ClearCart({ failures }: { failures: ChangeFailures }): ReactNode {
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
      <Button variant="ghost" size="small" className="max-sm:px-3" onClick={() => setAsking(true)}>
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

export function EmptyCart({ takesFocus, notice }: EmptyCartProps): ReactNode {
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

export function CartLoadError({ message }: { message: string | null }): ReactNode {
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

/** The first picture of each contest, by its id. */
export const picturesOf = (items: readonly CartItem[]): ReadonlyMap<number, ShownPicture> =>
  new Map(
    items.flatMap(({ offer }) => {
      const [first] = shownPictures(offer)
      return first ? [[offer.id, first] as const] : []
    }),
  )
