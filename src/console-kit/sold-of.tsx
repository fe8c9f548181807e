import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Progress } from '#ui/progress.tsx'

interface SoldOfProps {
  /** "12 of 400" */
  words: string
  sold: number
  /** Of the sold ones, the numbers of entries by post. */
  post: number
  total: number
}

/** How many tickets of a contest are gone: paid, and by post. */
export function SoldOf({ words, sold, post, total }: SoldOfProps): ReactNode {
  const paidAndPost = usePaidAndPost()
  return (
    <span className="grid min-w-32 gap-1.5">
      {words}
      <Progress value={sold} total={total} label={words} />
      <span className="text-xs text-muted">{paidAndPost(sold, post)}</span>
    </span>
  )
}

/** The words of the two parts of a sum of tickets. */
export function usePaidAndPost(): (sold: number, post: number) => string {
  const t = useTranslations('console.common')
  return (sold, post) => t('paidAndPost', { paid: sold - post, post })
}
