import { ShoppingCart } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useId, useRef, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useCartCount } from '#features/purchase/cart/screens/cart-slice.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Stepper } from '#ui/stepper.tsx'
import { useBottomRoom } from '#ui/use-bar.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { localized } from '#shared/localized-text.ts'
import type { OfferDetail } from '../offers.contract.ts'
import { freeTickets, whyNotBuyable } from '../offers.rules.ts'
import { AnswerChoices } from './answer-choices.tsx'
import { PriceCountry, PricePair, usePriceLine } from './price-pair.tsx'
import { QuantityChips } from './quantity-chips.tsx'
import type { Purchase } from './use-purchase.ts'

/** Loaded by whoever waits in line. */
const TurnNotice = lazy(async () => ({
  default: (await import('#features/waiting-room/screens/turn-notice.tsx')).TurnNotice,
}))

interface BuyPanelProps {
  offer: OfferDetail
  purchase: Purchase
  isDrawn?: boolean
}

/** @param isDrawn its outcome stands above: nobody has to be told where it will be */
export function BuyPanel({ offer, purchase, isDrawn = false }: BuyPanelProps): ReactNode {
  const t = useTranslations('offers')
  const tContest = useTranslations('contest.buy')
  const count = useCartCount()
  const closed = whyNotBuyable(offer)
  const { max_per_person: perPerson } = offer
  const [closedAtFirst] = useState(closed)

  return (
    <Card
      role="region"
      aria-label={t('buy.heading')}
      className="@container grid grid-cols-1 gap-3 p-4 sm:gap-4 sm:p-5"
    >
      <p role="status" className="sr-only">
        {closed && closed !== closedAtFirst && t(`detail.${closed}Title`)}
      </p>
      <div>
        <p className="sr-only">{t('price.ticket')}</p>
        <PricePair ticketPrice={offer.ticket_price} />
      </div>
      {closed ? (
        <Closed why={closed} offer={offer} purchase={purchase} isDrawn={isDrawn} />
      ) : (
        <>
          <QuestionField offer={offer} purchase={purchase} />
          <div className="grid gap-2">
            <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
              <span className="text-sm font-semibold sm:text-base" aria-hidden="true">
                {t('buy.quantity')}
              </span>
              <Stepper
                value={purchase.quantity}
                max={purchase.max}
                onChange={purchase.setQuantity}
                label={t('buy.quantity')}
                decreaseText={t('buy.fewer')}
                increaseText={t('buy.more')}
                refusedText={t('buy.notWhole', { quantity: purchase.quantity })}
                clampedText={
                  perPerson === purchase.max
                    ? t('buy.perPerson', { max: perPerson })
                    : t('buy.max', { max: purchase.max })
                }
              />
            </div>
            <QuantityChips
              offer={offer}
              value={purchase.quantity}
              max={purchase.max}
              onChange={purchase.setQuantity}
            />
            {perPerson !== undefined && (
              <p className="text-sm text-muted">{t('buy.perPerson', { max: perPerson })}</p>
            )}
          </div>
          {freeTickets(offer) === 0 && (
            <p role="status" className="text-sm text-warning">
              {t('detail.allHeld')}
            </p>
          )}
          {purchase.place && (
            <Suspense>
              <TurnNotice place={purchase.place} />
            </Suspense>
          )}
          {purchase.failed !== undefined && <Alert tone="error">{purchase.failed}</Alert>}
          {purchase.added && <Alert tone="success">{t('buy.added')}</Alert>}
          <div className="grid gap-2">
            <div className="hidden md:grid">
              <AddButton offer={offer} purchase={purchase} />
            </div>
            {purchase.added && count > 0 ? (
              <div className="hidden md:grid">
                <CartLink count={count} />
              </div>
            ) : (
              <Button
                variant="secondary"
                wide
                disabled={purchase.obstacle !== undefined || purchase.adding || purchase.place !== undefined}
                onClick={purchase.buy}
              >
                {tContest('now')}
              </Button>
            )}
          </div>
          <PriceCountry />
        </>
      )}
    </Card>
  )
}

/** Below 768 px: the buy button, and the link to a cart that is not empty (spec section 2). */
export function BuyBar({ offer, purchase }: { offer: OfferDetail; purchase: Purchase }): ReactNode {
  const t = useTranslations('offers.buy')
  const count = useCartCount()
  const { obstacle } = purchase
  const closed = obstacle === 'ended' || obstacle === 'soldOut'
  const shown = !closed || count > 0
  const bar = useRef<HTMLElement>(null)
  useBottomRoom(bar, shown)
  if (!shown) return null
  return (
    <section
      ref={bar}
      aria-label={t('barLabel')}
      className="buy-bar fixed inset-x-0 bottom-0 z-20 grid grid-cols-1 gap-2 border-t border-line bg-surface p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:hidden"
    >
      {!closed && obstacle && (
        <a href={`#${QUESTION_ID}`} className="prose-link min-h-6 text-center text-sm leading-6">
          {t(obstacle === 'answerWrong' ? 'wrongAnswer' : 'answerFirst')}
        </a>
      )}
      {/* At twice the letter size the link to the cart wraps below the button. */}
      <div className="flex flex-wrap gap-2">
        {!closed && <AddButton compact offer={offer} purchase={purchase} />}
        {count > 0 && (closed ? <CartLink size="large" count={count} /> : <CartIcon count={count} />)}
      </div>
    </section>
  )
}

interface AddButtonProps {
  offer: OfferDetail
  purchase: Purchase
  /** No icon, for the bar on phones. */
  compact?: boolean
}

/** Spec section 4, "Offer purchasability". */
function AddButton({ offer, purchase, compact = false }: AddButtonProps): ReactNode {
  const t = useTranslations('offers.buy')
  const tCard = useTranslations('offers.card')
  const price = usePriceLine(offer.ticket_price, purchase.quantity)
  const { obstacle, adding, place } = purchase
  const closed = obstacle === 'ended' || obstacle === 'soldOut'
  return (
    <Button
      wide
      className={compact ? 'shrink grow-999 basis-0' : 'min-h-14'}
      busy={adding || place !== undefined}
      busyText={t('adding')}
      disabled={obstacle !== undefined}
      onClick={purchase.add}
    >
      {closed ? (
        tCard(obstacle)
      ) : (
        <>
          {!compact && <ShoppingCart aria-hidden="true" className="size-5 shrink-0" />}
          <span className="flex flex-wrap justify-center gap-x-2.5">
            <span>{t('add')}</span>
            <span aria-live="polite">{price}</span>
          </span>
        </>
      )}
    </Button>
  )
}

const QUESTION_ID = 'offer-question'

function QuestionField({ offer, purchase }: { offer: OfferDetail; purchase: Purchase }): ReactNode {
  const t = useTranslations('offers.buy')
  const language = useLanguage()
  const message = useId()
  const { question } = offer
  if (question === null) return null
  const asked = localized({ ...offer, question }, 'question', language)
  const wrong = purchase.obstacle === 'answerWrong'

  return (
    <div className="grid gap-1.5">
      <AnswerChoices
        id={QUESTION_ID}
        question={asked}
        choices={offer.choices}
        value={purchase.answer}
        onChoose={purchase.choose}
        isWrong={wrong}
        describedBy={message}
      />
      <p
        id={message}
        role="status"
        className={`text-sm ${purchase.answer === '' ? 'max-md:h-0 max-md:overflow-hidden' : ''} ${wrong ? 'font-medium text-error' : purchase.knownRight ? 'text-success' : 'text-muted'}`}
      >
        {wrong
          ? t('wrongAnswer')
          : purchase.knownRight
            ? t('rightAnswer')
            : purchase.answer === ''
              ? t('answerFirst')
              : ''}
      </p>
    </div>
  )
}

interface ClosedProps extends AddButtonProps {
  why: 'ended' | 'soldOut'
  isDrawn: boolean
}

function Closed({ why, isDrawn, ...button }: ClosedProps): ReactNode {
  const t = useTranslations('offers.detail')
  const tCard = useTranslations('offers.card')
  const { stopped_as, cancelled_why } = button.offer
  const reason = stopped_as ?? why
  const isDrawLinked = why === 'ended' && !isDrawn
  const isDrawFirst = isDrawLinked && !stopped_as
  return (
    <div className="grid gap-3">
      <p className="text-lg font-semibold">{t(`${reason}Title`)}</p>
      {stopped_as && cancelled_why !== null && <p lang={DEFAULT_LANGUAGE}>{cancelled_why}</p>}
      {!isDrawn && <p className="text-muted">{t(`${reason}Text`)}</p>}
      <AddButton {...button} />
      {isDrawLinked && (
        <AppLink
          to={paths.draw(button.offer.slug)}
          className={buttonClasses(isDrawFirst ? 'primary' : 'secondary')}
        >
          {tCard('draw')}
        </AppLink>
      )}
      <AppLink to={paths.offers()} className={buttonClasses(isDrawFirst ? 'secondary' : 'primary')}>
        {t('all')}
      </AppLink>
    </div>
  )
}

interface CartLinkProps {
  count: number
  size?: 'medium' | 'large'
}

function CartLink({ count, size = 'medium' }: CartLinkProps): ReactNode {
  const t = useTranslations('offers.buy')
  return (
    <AppLink to={paths.cart()} className={buttonClasses('secondary', size, { wide: size === 'large' })}>
      {t('seeCart', { count })}
    </AppLink>
  )
}

function CartIcon({ count }: { count: number }): ReactNode {
  const t = useTranslations('offers.buy')
  return (
    <AppLink
      to={paths.cart()}
      className={buttonClasses('secondary', 'large', { className: 'shrink-0 grow gap-1.5 px-4' })}
    >
      <ShoppingCart aria-hidden="true" className="size-5" />
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{t('seeCart', { count })}</span>
    </AppLink>
  )
}
