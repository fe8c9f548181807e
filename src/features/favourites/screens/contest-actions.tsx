import { Bell, BellRing } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { tabStore } from '#client/browser-parts.ts'
import { paths } from '#client/paths.ts'
import { useIsAuthenticated } from '#client/state.ts'
import type { PartOffer } from '#features/offers/screens/contest-parts.tsx'
import { ShareButton } from '#features/offers/screens/share-button.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useWayBack } from './heart.tsx'
import { ReminderAddress, ReminderChoices, remindersShown } from './reminder-choices.tsx'
import { useKept } from './use-kept.ts'
import { hasWish, leaveWish, takeWish } from './wish.ts'

/** Beside the draw of a contest: reminders, while there is something to remind of, and sharing. */
export function Actions({ offer }: { offer: PartOffer }): ReactNode {
  const title = localized(offer, 'title', useLanguage()).text
  return (
    <>
      {useIsAuthenticated() ? <Reminders offer={offer} title={title} /> : <ForStrangers offer={offer} />}
      <ShareButton slug={offer.slug} title={title} />
    </>
  )
}

function ForStrangers({ offer }: { offer: PartOffer }): ReactNode {
  const t = useTranslations('favourites.remind')
  const next = useWayBack(offer)
  if (remindersShown(offer, []).length === 0) return null
  return (
    <AppLink
      to={paths.login({ next })}
      className={buttonClasses('secondary', 'small')}
      onClick={() => leaveWish(tabStore, 'reminders', offer.id)}
    >
      <Bell aria-hidden="true" className="size-5 shrink-0" />
      {t('action')}
    </AppLink>
  )
}

function Reminders({ offer, title }: { offer: PartOffer; title: string }): ReactNode {
  const t = useTranslations('favourites.remind')
  const known = useKept(offer.id)
  const [isOpen, setOpen] = useState(() => hasWish(tabStore, 'reminders', offer.id))
  useEffect(() => void takeWish(tabStore, 'reminders', offer.id), [offer.id])
  if (!known || remindersShown(offer, known.reminders).length === 0) return null
  const count = known.reminders.length
  const Icon = count > 0 ? BellRing : Bell
  return (
    <>
      <Button variant="secondary" size="small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon aria-hidden="true" className="size-5 shrink-0" />
        {count > 0 ? t('count', { count }) : t('action')}
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t('title')}
        closeText={t('close')}
        actions={<Button onClick={() => setOpen(false)}>{t('done')}</Button>}
      >
        <ReminderChoices
          offer={offer}
          legend={<p className="pb-2 wrap-anywhere">{t('intro', { title })}</p>}
        />
        <p className="text-sm text-muted wrap-anywhere">
          <ReminderAddress />
        </p>
      </Dialog>
    </>
  )
}
