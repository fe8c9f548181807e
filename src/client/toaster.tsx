import { type ReactNode, useEffect } from 'react'
import { Toaster as SonnerToaster, toast as sonner } from 'sonner'
import 'sonner/dist/styles.css'
import './toaster.css'
import { useTranslations } from '#i18n/translations.tsx'
import { TOAST_MS, drawToasts } from './toast.ts'

const BESIDE = { bottom: 'calc(var(--bottom-room, 0px) + var(--action-room, 0px) + 1rem)' }

/** Draws the toasts. */
export function Toaster(): ReactNode {
  const t = useTranslations('pages')
  useEffect(
    () =>
      drawToasts({
        draw: ({ kind, text, ...options }) => sonner[kind](text, { duration: TOAST_MS, ...options }),
        clear: (id) => void sonner.dismiss(id),
      }),
    [],
  )
  return (
    <SonnerToaster
      theme="system"
      richColors
      closeButton
      offset={BESIDE}
      mobileOffset={BESIDE}
      containerAriaLabel={t('toasts')}
      toastOptions={{ closeButtonAriaLabel: t('closeToast') }}
    />
  )
}
