import { ShieldCheck, X } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { paths } from '#client/paths.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { IconButton } from '#ui/button.tsx'
import { useBottomRoom } from '#ui/use-bar.ts'

/** Pages with the banner (spec section 2, "policy banner"). */
const PLACES: readonly string[] = [paths.home(), paths.cart()]

/** A dismissal lasts until the page is left. */
export function PolicyBanner(): ReactNode {
  const { key, pathname } = useLocation()
  return PLACES.includes(pathname) ? <Banner key={key} /> : null
}

function Banner(): ReactNode {
  const t = useTranslations('frame.policy')
  const tFrame = useTranslations('frame')
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
      className="policy-banner flex min-h-12 items-center border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] shadow-card"
    >
      <div className="page-width flex min-h-11 items-center gap-3">
        <ShieldCheck aria-hidden="true" className="size-6 shrink-0 text-signal max-lg:hidden" />
        <div className="min-w-0 grow text-xs leading-4">
          <h2 id={heading} className="font-text text-sm font-semibold tracking-normal max-lg:hidden">
            {t('title')}
          </h2>
          <p className="text-muted">
            {t('text')}{' '}
            <a href={paths.termsPdf(language)} target="_blank" rel="noopener" className="prose-link py-1">
              {t('read')}
              <span className="sr-only"> ({tFrame('newTab')})</span>
            </a>
          </p>
        </div>
        <IconButton label={t('dismiss')} onClick={dismiss} className="needs-scripts -mr-2">
          <X aria-hidden="true" className="size-5" />
        </IconButton>
      </div>
    </aside>
  )
}
