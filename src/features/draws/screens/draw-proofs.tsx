import { type ReactNode, lazy, useState, useTransition } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { ServerPart } from '#client/server-part.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { evidenceOf } from '../public-draws.rules.ts'
import { voucherOf } from '../timeline.rules.ts'

const DrawCheck = lazy(async () => ({ default: (await import('./draw-check.tsx')).DrawCheck }))

/** The check in this browser. */
function ProofSection({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.proof')
  const { log } = draw
  const [isAsked, setAsked] = useState(false)
  // The link stays, with its focus, until what takes its place is there.
  const [isLoading, startLoading] = useTransition()
  if (!log) return null
  const evidence = evidenceOf(draw)
  return (
    <section aria-labelledby="verify" className="grid grid-cols-1 gap-3">
      <h2 id="verify" className="text-title">
        {t('title')}
      </h2>
      <p className="max-w-prose text-muted">
        {t('text')} {t(`voucher.${voucherOf(draw)}`)}
      </p>
      <p role="status" className="sr-only">
        {isLoading && t('loading')}
      </p>
      {isAsked ? (
        <DrawCheck evidence={evidence} />
      ) : (
        <AppLink
          to={paths.verifyDraw()}
          className={buttonClasses('primary', 'medium', { className: 'justify-self-start' })}
          onClick={(event) => {
            event.preventDefault()
            startLoading(() => setAsked(true))
          }}
        >
          {t('verify')}
        </AppLink>
      )}
    </section>
  )
}

/** Of the page that the server sends; browsers load what moves in it later. */
const DrawFiles = import.meta.env.SSR
  ? (await import('./draw-files.tsx')).DrawFiles
  : lazy(async () => ({ default: (await import('./draw-files.tsx')).DrawFiles }))

/** One sentence and one button; whoever wants to see more opens it. */
export function FoldedProofs({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.proof')
  return (
    <div className="grid grid-cols-1 gap-5">
      <ProofSection draw={draw} />
      <details className="rounded-md border border-line bg-surface">
        <summary className="flex min-h-12 cursor-pointer items-center px-4 py-2 font-semibold">
          {t('files')}
        </summary>
        <div className="border-t border-line p-4">
          <ServerPart>
            <DrawFiles draw={draw} />
          </ServerPart>
        </div>
      </details>
    </div>
  )
}
