import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { PROMISES } from '#shared/promises.ts'
import { classes } from '#ui/classes.ts'
import { Picture } from '#ui/picture.tsx'

const REASONS = ['numbers', 'refund', 'draw'] as const

interface AuthLayoutProps {
  title: string
  lead: string
  /** The contest that led here, as a part of this grid. */
  wanted?: ReactNode
  children: ReactNode
}

/** A narrow form, the contest that led here, and what buyers may rely on; a wide screen without a contest shows a car. */
export function AuthLayout({ title, lead, wanted, children }: AuthLayoutProps): ReactNode {
  return (
    <div className="@container flex grow flex-col">
      <div className="grid grow grid-cols-1 content-start @5xl:grid-cols-[minmax(0,36rem)_minmax(0,1fr)] @5xl:grid-rows-[auto_1fr]">
        {wanted}
        <div className="mx-auto grid w-full max-w-xl content-start gap-6 px-4 py-6 sm:px-10 sm:py-14 @5xl:row-span-2 @5xl:row-start-1">
          <div className="grid gap-2">
            <h1 tabIndex={-1} className="text-headline">
              {title}
            </h1>
            <p className="text-balance text-muted">{lead}</p>
          </div>
          {children}
        </div>
        <Reasons
          className={classes(
            'mx-auto w-full max-w-xl px-4 pb-10 sm:px-10',
            wanted ? '@5xl:max-w-none @5xl:bg-sunken' : '@5xl:hidden',
          )}
        />
        {!wanted && <Car />}
      </div>
    </div>
  )
}

function Car(): ReactNode {
  return (
    <div className="hidden bg-asphalt text-paper @5xl:row-span-2 @5xl:block">
      <div className="sticky top-16 isolate h-[calc(100dvh-4rem)] overflow-hidden p-6">
        <Reasons className="max-w-md text-lg" />
        <Picture
          stem="/media/hero-dark-tall"
          widths={[780, 1080]}
          sizes="45vw"
          width={1080}
          height={1350}
          className="absolute inset-x-0 bottom-0 -z-10 h-full w-full object-cover object-bottom"
        />
      </div>
    </div>
  )
}

function Reasons({ className }: { className: string }): ReactNode {
  const t = useTranslations('accounts.reasons')
  return (
    <ul className={classes('grid content-start gap-3', className)}>
      {REASONS.map((reason) => (
        <li key={reason} className="flex items-start gap-3 text-balance">
          <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
          {t(reason, PROMISES)}
        </li>
      ))}
    </ul>
  )
}
