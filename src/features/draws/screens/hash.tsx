import { Check, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { copyText } from '#client/browser-parts.ts'
import { toast } from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { IconButton } from '#ui/button.tsx'

/** A hash with a button that copies it. */
export function Hash({ value, label }: { value: string; label: string }): ReactNode {
  const t = useTranslations('draws.hash')
  const [copied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    if (await copyText(value)) setCopied(true)
    else toast.error(t('copyFailed'), { description: value })
  }

  const Icon = copied ? Check : Copy
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1">
      <code title={value} className="min-w-0 text-sm break-all select-all">
        {value}
      </code>
      <span className="needs-scripts print:hidden">
        <IconButton label={t('copy', { label })} onClick={() => void copy()}>
          <Icon aria-hidden="true" className="size-4" />
        </IconButton>
      </span>
      <span role="status" className="sr-only">
        {copied && t('copied', { label })}
      </span>
    </span>
  )
}
