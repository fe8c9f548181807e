import { type ReactNode, useState } from 'react'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { clearCart } from './cart-slice.ts'
import type { FailureTold } from './use-failure.ts'

/** Empties the cart, after asking once. */
export function ClearCart({ failures }: { failures: FailureTold }): ReactNode {
  const t = useTranslations('cart')
  const dispatch = useAppDispatch()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)

  async function clear(): Promise<void> {
    setBusy(true)
    failures.forget()
    const action = await dispatch(clearCart())
    setBusy(false)
    setAsking(false)
    if (clearCart.fulfilled.match(action)) toast.success(t('cleared'))
    else failures.tell('cart', t('clearError'), action.payload)
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
