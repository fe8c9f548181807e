import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useSettings } from '#client/shell.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { nowMs } from '#shared/clock.ts'
import type { OpenOrder } from '#features/checkout/checkout.contract.ts'
import { timeLeft } from './payment-reading.ts'
import { PAYMENT_ID } from './payment-panel.tsx'
import type { HeldOrder } from './use-held-order.ts'

/**
 * The tickets that are held for the cart: until when, and what their buyer can do about it. The region is there before its
 * words, so that they are announced; it keeps the focus when the button that had it goes.
 */
export function HeldTickets({ held }: { held: HeldOrder }): ReactNode {
  const t = useTranslations('checkout.held')
  const place = useRef<HTMLElement>(null)
  const { shown, failure } = held

  /** Before the buttons go: their place stays. */
  function keepFocus(): void {
    const { activeElement } = document
    // A button that is busy has lost it to the page.
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
              order={shown.order}
              endsAtMs={shown.endsAtMs}
              busy={held.busy}
              onExtend={() => void press(held.extend, shown.order)}
              onGiveBack={() => void press(held.giveBack, shown.order)}
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

/** Buttons below each other are equally wide. */
const GROWS = { className: 'max-sm:grow' }

interface HeldProps {
  order: OpenOrder
  endsAtMs: number
  busy: HeldOrder['busy']
  onExtend: () => void
  onGiveBack: () => void
  onEnd: () => void
}

function Held({ order, endsAtMs, busy, onExtend, onGiveBack, onEnd }: HeldProps): ReactNode {
  const t = useTranslations('checkout.held')
  const { timeZone, holdMinutes } = useSettings()
  const time = formatDateTime(order.held_until, timeZone).slice(-5)
  return (
    <Alert
      title={t('title', { count: order.tickets, time })}
      actions={
        <>
          <a href={`#${PAYMENT_ID}`} className={buttonClasses('primary', 'small', GROWS)}>
            {t('pay')}
          </a>
          {order.can_extend && (
            <Button
              variant="secondary"
              size="small"
              {...GROWS}
              busy={busy === 'extend'}
              disabled={busy !== undefined}
              onClick={onExtend}
            >
              {t('extend', { minutes: holdMinutes })}
            </Button>
          )}
          <Button
            variant="secondary"
            size="small"
            {...GROWS}
            busy={busy === 'giveBack'}
            disabled={busy !== undefined}
            onClick={onGiveBack}
          >
            {t('giveBack')}
          </Button>
        </>
      }
    >
      <Countdown endsAtMs={endsAtMs} onEnd={onEnd} />
      {!order.can_extend && <p>{t('extended')}</p>}
    </Alert>
  )
}

/** The time that is left, in minutes and at last in seconds; never read out by itself, since it changes all the time. */
function Countdown({ endsAtMs, onEnd }: { endsAtMs: number; onEnd: () => void }): ReactNode {
  const t = useTranslations('checkout.held')
  const [{ now }, setLooked] = useState(() => ({ now: nowMs() }))
  const left = timeLeft(endsAtMs - now)
  const end = useEffectEvent(onEnd)
  const { unit, count, nextMs } = left

  useEffect(() => {
    if (count === 0) return end()
    const timer = setTimeout(() => setLooked({ now: nowMs() }), nextMs)
    return () => clearTimeout(timer)
  }, [now, count, nextMs])

  return (
    <p role="timer" aria-live="off">
      {t(unit, { count })}
    </p>
  )
}
