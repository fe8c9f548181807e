import { type ReactNode, useSyncExternalStore } from 'react'
import { useTranslations } from '#i18n/translations.tsx'

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

/** Says that the connection is gone, for as long as it is (storefront U12). The region waits for its words. */
export function OfflineNotice(): ReactNode {
  const t = useTranslations('frame')
  const online = useSyncExternalStore(
    subscribe,
    () => window.navigator.onLine,
    () => true,
  )
  return (
    <div role="status" className="sticky top-16 z-20">
      {!online && (
        <p className="border-b border-warning bg-warning-soft px-4 py-2 text-center text-sm text-balance text-warning">
          {t('offline')}
        </p>
      )}
    </div>
  )
}
