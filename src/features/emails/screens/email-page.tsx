import { ArrowLeft, Paperclip } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Card } from '#ui/card.tsx'
import { watchSize } from '#ui/watch-size.ts'
import type { MailboxEmail } from '../emails.contract.ts'

export function EmailPage({ email }: { email: MailboxEmail }): ReactNode {
  const t = useTranslations('mailbox')
  const { timeZone } = useSettings()
  const facts = [
    [t('to'), email.to],
    [t('from'), email.from],
    [t('replyTo'), email.reply_to],
    [t('date'), formatDateTime(email.queued_at, timeZone)],
  ] as const
  return (
    <div className="page-width grid grid-cols-1 gap-6 py-8 sm:py-12">
      <AppLink
        to={paths.mailbox()}
        prefetch="none"
        className="prose-link inline-flex min-h-11 items-center gap-2 justify-self-start print:hidden"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
        {t('back')}
      </AppLink>
      <h1 tabIndex={-1} lang={email.language} className="text-headline wrap-anywhere">
        {email.subject}
      </h1>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm">
        {facts.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="wrap-anywhere">{text}</dd>
          </div>
        ))}
      </dl>
      {email.files.length > 0 && <Files files={email.files} />}
      <section aria-labelledby="html" className="grid grid-cols-1 gap-3 print:hidden">
        <h2 id="html" className="text-title">
          {t('html')}
        </h2>
        <Html email={email} />
      </section>
      <section aria-labelledby="text" className="grid grid-cols-1 gap-3">
        <h2 id="text" className="text-title">
          {t('text')}
        </h2>
        <Card className="max-w-3xl p-5">
          <p lang={email.language} className="text-sm wrap-anywhere whitespace-pre-wrap">
            {email.text}
          </p>
        </Card>
      </section>
    </div>
  )
}

/** A frame as high as the email in it, which the page may measure because no script runs there; without scripts it scrolls. */
function Html({ email }: { email: MailboxEmail }): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const { current } = frame
    if (!current) return undefined
    const fit = (): void => {
      const email = current.contentDocument?.documentElement
      if (email?.offsetHeight)
        current.style.height = `${email.offsetHeight + current.offsetHeight - current.clientHeight}px`
    }
    current.addEventListener('load', fit)
    const forget = watchSize(current, fit)
    return () => {
      current.removeEventListener('load', fit)
      forget()
    }
  }, [])
  return (
    <iframe
      ref={frame}
      src={email.html_url}
      title={email.subject}
      lang={email.language}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      className="h-[36rem] w-full max-w-3xl rounded-lg border border-line bg-paper"
    />
  )
}

function Files({ files }: { files: MailboxEmail['files'] }): ReactNode {
  const t = useTranslations('mailbox')
  return (
    <section aria-labelledby="files" className="grid gap-2">
      <h2 id="files" className="text-title">
        {t('files')}
      </h2>
      <ul className="flex flex-wrap gap-4">
        {files.map(({ name, bytes, url }) => (
          <li key={url}>
            <a href={url} download className="prose-link inline-flex min-h-11 items-center gap-2">
              <Paperclip aria-hidden="true" className="size-4" />
              {t('file', { name, size: Math.ceil(bytes / 1024) })}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
