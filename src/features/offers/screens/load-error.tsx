import type { ReactNode } from 'react'
import { useRevalidator } from 'react-router'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { useTranslations } from '#i18n/translations.tsx'

interface LoadErrorProps {
  title: string
  text?: string
  as?: 'h1' | 'h2'
}

export function LoadError(props: LoadErrorProps): ReactNode {
  const t = useTranslations('offers')
  const { revalidate, state } = useRevalidator()
  return (
    <div role="alert">
      <EmptyState
        {...props}
        illustration={<EmptyBay />}
        action={
          <Button busy={state === 'loading'} onClick={() => void revalidate()}>
            {t('retry')}
          </Button>
        }
      />
    </div>
  )
}
