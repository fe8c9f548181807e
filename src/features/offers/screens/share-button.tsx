import { Share2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { toast } from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'

/** Shares the public page of a contest by the system's sheet, or copies its address and says so. */
export function ShareButton({ slug, title }: { slug: string; title: string }): ReactNode {
  const t = useTranslations('contest.share')
  const { publicUrl } = useSettings()

  async function press(): Promise<void> {
    const url = `${publicUrl}${paths.draw(slug)}`
    const result = await import('#client/share.ts').then(
      ({ share }) => share({ title, url }),
      () => 'failed' as const,
    )
    if (result === 'copied') toast.success(t('copied'))
    if (result === 'failed') toast.info(t('failed'), { description: url })
  }

  return (
    <Button variant="secondary" size="small" onClick={() => void press()}>
      <Share2 aria-hidden="true" className="size-5 shrink-0" />
      {t('action')}
    </Button>
  )
}
