import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Screen } from './kit/parts.tsx'

export function Component(): ReactNode {
  const t = useTranslations('console.today')
  return <Screen title={t('title')}>{null}</Screen>
}
