import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Picture } from '#ui/picture.tsx'

const REASONS = ['numbers', 'tickets', 'draw'] as const

/** A narrow form; wide screens also show a car and the advantages of an account. */
export function AuthLayout({
  title,
  lead,
  children,
}: {
  title: string
  lead: string
  children: ReactNode
}): ReactNode {
  return (
    <div className="@container flex grow flex-col">
      <div className="grid grow grid-cols-1 @min-[62rem]:grid-cols-[minmax(0,36rem)_minmax(0,1fr)]">
        <div className="mx-auto grid w-full max-w-xl content-start gap-8 px-4 py-10 sm:px-10 sm:py-14">
          <div className="grid gap-2">
            <h1 tabIndex={-1} className="text-headline">
              {title}
            </h1>
            <p className="text-balance text-muted">{lead}</p>
          </div>
          {children}
        </div>
        <Reasons />
      </div>
    </div>
  )
}

function Reasons(): ReactNode {
  const t = useTranslations('accounts.reasons')
  return (
    <div className="hidden bg-asphalt text-paper @min-[62rem]:block">
      <div className="sticky top-16 isolate h-[calc(100dvh-4rem)] max-h-[64rem] overflow-hidden p-12">
        <ul className="grid max-w-md gap-6">
          {REASONS.map((reason) => (
            <li key={reason} className="grid gap-1 border-l border-paper/25 pl-5">
              <p className="font-wide text-lg">{t(`${reason}.title`)}</p>
              <p className="text-sm text-paper/80">{t(`${reason}.text`)}</p>
            </li>
          ))}
        </ul>
        <Picture
          stem="/media/hero-dark-tall"
          widths={[780, 1080]}
          sizes="45vw"
          width={1080}
          height={1350}
          className="absolute inset-x-0 bottom-0 -z-10 h-auto w-full mask-t-from-60% mask-b-from-90%"
        />
      </div>
    </div>
  )
}
