import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { arrive } from '#client/arrival.ts'
import { PAYMENT_NOTICES } from '#client/paths.ts'
import { toast } from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** Of a notice in the address. */
export const isSet = (value: string | null): boolean => value !== null && value !== 'false'

/**
 * Shows toasts for `success` and `canceled` in the address, then removes them (spec section 2, "Cart").
 * @param onReturned called with the reason of a return without a payment (`payment`)
 */
export function usePaymentNotice(onReturned?: (reason: string) => void): void {
  const t = useTranslations('checkout')
  const [search, setSearch] = useSearchParams()
  const success = search.get('success')
  const canceled = search.get('canceled')
  const payment = search.get('payment')

  useEffect(() => {
    if (success === null && canceled === null && payment === null) return
    arrive()
    if (isSet(success)) toast.success(t('success'))
    if (isSet(canceled)) toast.info(t('canceled'), { description: t('canceledText') })
    if (payment !== null) onReturned?.(payment)
    setSearch(
      (current) => {
        for (const name of PAYMENT_NOTICES) current.delete(name)
        return current
      },
      { replace: true, preventScrollReset: true },
    )
    // oxlint-disable-next-line react/exhaustive-deps -- `t` and `setSearch` change with every rendering; the address decides
  }, [success, canceled, payment])
}
