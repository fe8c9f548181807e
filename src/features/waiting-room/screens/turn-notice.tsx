import waitingRoomMessages from 'virtual:messages/waitingRoom'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { needMessages } from '#client/browser.ts'
import { Alert } from '#ui/alert.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import type { Place } from '../waiting-room.contract.ts'

await needMessages(waitingRoomMessages)

/** Long enough for a live region to be known before it speaks. */
const SPEAK_AFTER_MS = 500

/** Where a buyer stands in line. The numbers change often; only a new milestone is announced. */
export function TurnNotice({ place }: { place: Place & { milestone: number } }): ReactNode {
  const t = useTranslations('waitingRoom')
  const [told, setTold] = useState('')
  const text = t('place', { position: place.position, minutes: Math.ceil(place.seconds / 60) })
  const tell = useEffectEvent(() => setTold(`${t('title')}. ${text} ${t('stay')}`))
  const { milestone } = place
  useEffect(() => {
    const timer = setTimeout(() => tell(), SPEAK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [milestone])
  return (
    <>
      <p role="status" className="sr-only">
        {told}
      </p>
      <Alert title={t('title')}>
        <p>{text}</p>
        <p>{t('stay')}</p>
      </Alert>
    </>
  )
}
