import { ShieldCheck, X } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { paths } from '#client/paths.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { IconButton } from '#ui/button.tsx'
import { useBottomRoom } from '#ui/use-bottom-room.ts'

/** Pages with the banner (spec section 2, "policy banner"). */
const PLACES: readonly string[] = [paths.home(), paths.cart()]

/** A dismissal lasts until the page is left. */
export function PolicyBanner(): ReactNode {
  const { key, pathname } = useLocation()
  return PLACES.includes(pathname) ? <Banner key={key} /> : null
}

function Banner(): ReactNode {
  const t = useTranslations('frame.policy')
  const language = useLanguage()
  const heading = useId()
  const banner = useRef<HTMLElement>(null)
  const [dismissed, setDismissed] = useState(false)

  useBottomRoom(banner, !dismissed)

  function dismiss(): void {
    setDismissed(true)
    // The focused button is removed, so the focus moves to the beginning of the page.
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
  }

  if (dismissed) return null
  return (
    <aside
      ref={banner}
      aria-labelledby={heading}
      className="policy-banner border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] shadow-card"
    >
      <div className="page-width grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 py-0.5 lg:grid-cols-[auto_minmax(0,1fr)_auto_auto] lg:gap-x-4 lg:py-2.5 xl:px-5">
        <ShieldCheck aria-hidden="true" className="size-6 text-signal max-lg:hidden" />
        <div className="text-xs leading-4">
          <h2 id={heading} className="font-text text-sm font-semibold tracking-normal max-lg:sr-only">
            {t('title')}
          </h2>
          <p className="text-muted lg:text-balance">{t('text')}</p>
        </div>
        <a
          href={paths.termsPdf(language)}
          target="_blank"
          rel="noopener"
          className="prose-link inline-flex min-h-11 items-center text-xs lg:text-sm"
        >
          {t('read')}
          <span className="sr-only"> ({t('readNote')})</span>
        </a>
        <IconButton label={t('dismiss')} onClick={dismiss} className="needs-scripts">
          <X aria-hidden="true" className="size-5" />
        </IconButton>
      </div>
    </aside>
  )
}
