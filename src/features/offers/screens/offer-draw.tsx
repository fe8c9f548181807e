import { CalendarPlus, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { canonicalPath, paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { ContestPart, type PartOffer } from './contest-parts.tsx'
import { ZonedTime } from './zoned-time.tsx'

interface OfferDrawProps {
  offer: PartOffer
  /** Its instant, ISO 8601 in UTC; null while none is published. */
  at: string | null
  /** Where it can be followed. */
  page: { to: string; text: string }
}

/** When and where the draw takes place (spec section 2, "Offer detail"). */
export function OfferDraw({ offer, at, page }: OfferDrawProps): ReactNode {
  const t = useTranslations('offers.detail')
  const tContest = useTranslations('contest')
  const { videoUrl, socialUrl } = useSettings()
  const language = useLanguage()
  const small = buttonClasses('secondary', 'small')
  const link = (to: string) => (text: ReactNode) => (
    <AppLink to={to} className="prose-link">
      {text}
      <span className="sr-only"> {t('newTab')}</span>
    </AppLink>
  )
  return (
    <Card className="grid grid-cols-1 gap-3 px-[min(1.25rem,7vw)] py-5">
      <h2 className="text-lg">{t('drawLabel')}</h2>
      {at !== null && offer.stopped_as !== 'cancelled' && (
        <p className="font-wide text-title">
          <ZonedTime iso={at} isZoneShown />
        </p>
      )}
      <p>{t.rich('draw', { video: link(videoUrl), social: link(socialUrl) })}</p>
      <div className="flex flex-wrap gap-2 print:hidden">
        {at !== null && offer.is_active && (
          <a href={canonicalPath(paths.drawCalendar(offer.slug), language)} className={small}>
            <CalendarPlus aria-hidden="true" className="size-5 shrink-0" />
            {tContest('calendar')}
          </a>
        )}
        <AppLink to={page.to} className={small}>
          <ShieldCheck aria-hidden="true" className="size-5 shrink-0" />
          {page.text}
        </AppLink>
        <ContestPart name="Actions" offer={offer} />
      </div>
    </Card>
  )
}
