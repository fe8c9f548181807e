import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { Screen } from '#console/kit/parts.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { OfferPictures } from './offer-pictures.tsx'

/** The pictures of a contest on a screen of their own. */
export function Component(): ReactNode {
  const t = useTranslations('consolePictures')
  const { offerId } = useParams()
  return (
    <Screen title={t('title')}>
      <OfferPictures key={offerId} offerId={Number(offerId)} />
    </Screen>
  )
}
