import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { onFirstToast } from './toast.ts'

/** Stands in every page for the toasts and loads what draws them when the first one comes. */
export function ToastHost(): ReactNode {
  const [Toaster, setToaster] = useState<ComponentType>()
  useEffect(
    () => onFirstToast(() => void import('./toaster.tsx').then((module) => setToaster(() => module.Toaster))),
    [],
  )
  return Toaster ? <Toaster /> : null
}
