import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { FileLink } from './draw-parts.tsx'

/** What the server offers for checks without this site (server/verifiers.routes.ts). */
const FILES = ['verify.html', 'verify-draw.py', 'draw-v1.md'] as const

/** Programs that check a draw without this site. */
export function OtherVerifiers(): ReactNode {
  const t = useTranslations('draws.proof')
  return (
    <>
      <p className="max-w-prose text-muted">
        {t.rich('others', {
          page: (text) => (
            <AppLink to={paths.verifyDraw()} className="prose-link">
              {text}
            </AppLink>
          ),
        })}
      </p>
      <p className="flex flex-wrap gap-x-6">
        {FILES.map((name) => (
          <FileLink key={name} href={`/${name}`}>
            {name}
          </FileLink>
        ))}
      </p>
    </>
  )
}
