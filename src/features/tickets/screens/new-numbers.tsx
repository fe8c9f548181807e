import { type CSSProperties, type ReactNode, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import type { ShownPicture } from '#features/offers/screens/pictures.ts'
import { ShareButton } from '#features/offers/screens/share-button.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Plate } from '#ui/plate.tsx'
import type { Ticket } from '../tickets.contract.ts'

interface NewNumbersProps {
  tickets: readonly Ticket[]
  /** By the id of the contest. */
  pictures: ReadonlyMap<number, ShownPicture> | undefined
}

/** The numbers of a payment that has just succeeded, by contest. */
export function NewNumbers({ tickets, pictures }: NewNumbersProps): ReactNode {
  return (
    <div className="grid w-full max-w-3xl grid-cols-1 gap-6 text-left">
      {[...Map.groupBy(tickets, (ticket) => ticket.offer_id)].map(([offerId, group]) => (
        <NewNumbersOfContest key={offerId} tickets={group} picture={pictures?.get(offerId)} />
      ))}
    </div>
  )
}

/** More than these are shown on demand. */
const SHOWN = 24
/** Fewer are large. */
const FEW = 7
/** One plate turns after the other, and all of them within the time that the page stays (spec section 9). */
const TURN_MS = 90
const ALL_TURNED_MS = 1_400

interface OfContest {
  tickets: readonly Ticket[]
  picture: ShownPicture | undefined
}

function NewNumbersOfContest({ tickets, picture }: OfContest): ReactNode {
  const t = useTranslations('tickets')
  const language = useLanguage()
  const [open, setOpen] = useState(false)
  const [first] = tickets
  if (!first) return null
  const title = localized(first, 'title', language)
  const isLong = tickets.length > SHOWN + 1
  const shown = isLong && !open ? tickets.slice(0, SHOWN) : tickets
  const step = Math.min(TURN_MS, ALL_TURNED_MS / shown.length)

  return (
    <Card role="group" aria-label={title.text} className="overflow-hidden">
      {picture && (
        <div className="aspect-[8/5] bg-sunken">
          <OfferPicture picture={picture} sizes="(min-width: 48rem) 48rem, 100vw" loading="soon" alt="" />
        </div>
      )}
      <div className="grid grid-cols-1 gap-4 p-5 sm:p-6">
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
          <h2 lang={title.language} className="text-title">
            <AppLink to={paths.draw(first.offer_slug)} className="underline-offset-4 hover:underline">
              {title.text}
            </AppLink>
          </h2>
          <p className="text-muted">{t('count', { count: tickets.length })}</p>
        </div>
        <ul aria-label={t('numbers', { title: title.text })} className="flex flex-wrap gap-2">
          {shown.map((ticket, index) => (
            <li key={ticket.id} style={{ '--turn': `${(index * step).toFixed()}ms` } as CSSProperties}>
              <Plate flips size={shown.length > FEW ? 'small' : 'large'}>
                {ticket.ticket_number}
              </Plate>
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-3 max-sm:*:grow print:hidden">
          {isLong && (
            <Button variant="secondary" size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? t('showLess') : t('showAll', { count: tickets.length })}
            </Button>
          )}
          <a
            href={paths.drawCalendar(first.offer_slug)}
            download
            className={buttonClasses('secondary', 'small')}
          >
            {t('calendar')}
          </a>
          <ShareButton slug={first.offer_slug} title={title.text} />
        </div>
      </div>
    </Card>
  )
}
