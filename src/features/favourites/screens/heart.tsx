import { Heart as HeartIcon } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { tabStore } from '#client/browser-parts.ts'
import { paths } from '#client/paths.ts'
import { useIsAuthenticated } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import type { PartOffer } from '#features/offers/screens/contest-parts.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { kept, useKept } from './use-kept.ts'
import { leaveWish, takeWish } from './wish.ts'

const ROUND =
  'pressable grid size-11 place-items-center rounded-full bg-surface/90 text-ink shadow-card hover:bg-sunken'

/** Marks a contest as a favourite. A stranger logs in on the way, and finds it marked. */
export function Heart({ offer }: { offer: PartOffer }): ReactNode {
  const t = useTranslations('favourites.heart')
  const title = localized(offer, 'title', useLanguage()).text
  const isSignedIn = useIsAuthenticated()
  const known = useKept(offer.id)
  const next = useWayBack(offer)
  const isKnown = known !== undefined
  const isFavourite = known?.isFavourite === true

  useEffect(() => {
    if (!isKnown || !takeWish(tabStore, 'favourite', offer.id) || isFavourite) return
    void kept().change(offer.id, { isFavourite: true })
    toast.success(t('marked', { title }))
  }, [isKnown, isFavourite, offer.id, t, title])

  if (!isSignedIn)
    return (
      <AppLink
        to={paths.login({ next })}
        aria-label={t('add', { title })}
        className={ROUND}
        onClick={() => leaveWish(tabStore, 'favourite', offer.id)}
      >
        <HeartIcon aria-hidden="true" className="size-5" />
      </AppLink>
    )
  if (!isKnown) return null
  return (
    <button
      type="button"
      aria-label={t('label', { title })}
      aria-pressed={isFavourite}
      className={ROUND}
      onClick={() => void kept().change(offer.id, { isFavourite: !isFavourite })}
    >
      <HeartIcon
        aria-hidden="true"
        fill={isFavourite ? 'currentColor' : 'none'}
        className={isFavourite ? 'size-5 text-error' : 'size-5'}
      />
    </button>
  )
}

/** Where a login leads back to: the contest's page on which somebody is, or the one for customers while it runs. */
export function useWayBack({ slug, is_active }: PartOffer): string {
  const { pathname } = useLocation()
  const open = paths.draw(slug)
  return is_active && pathname !== open ? paths.offer(slug) : open
}
