import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useShell } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Card } from '#ui/card.tsx'
import { Plate } from '#ui/plate.tsx'

/** The face of the shop: who runs it, the company behind it, and where both can be looked up. */
export function Operator(): ReactNode {
  const t = useTranslations('homeBelow.operator')
  const tBelow = useTranslations('homeBelow')
  const tFooter = useTranslations('frame.footer')
  const { settings, language } = useShell()
  const { brand, company, contactEmail, operator, pictures } = settings
  return (
    <Card className="flex flex-wrap items-center gap-6 p-5 sm:p-6">
      {operator && <Portrait name={operator.name} picture={pictures.operator} />}
      <div className="grid min-w-0 max-w-3xl grid-cols-1 gap-3">
        <h3 className="text-title">{t('name', { brand })}</h3>
        {operator && (
          <figure className="grid gap-1">
            {operator.words && (
              <blockquote className="max-w-2xl text-lg text-balance">{operator.words[language]}</blockquote>
            )}
            <figcaption className="font-semibold">{operator.name}</figcaption>
          </figure>
        )}
        <p className="text-sm text-muted">
          <span className="inline-block max-w-full">{company.name}</span> ·{' '}
          <span className="inline-block max-w-full">
            {tFooter('number', { name: company.numberName[language], number: company.number })}
          </span>{' '}
          · <span className="inline-block max-w-full">{company.address}</span>
        </p>
        <p className="flex flex-wrap gap-x-6">
          {company.registerUrl !== null && (
            <AppLink to={company.registerUrl} className="prose-link inline-flex min-h-11 items-center">
              {t('register')}
              <span className="sr-only"> ({tBelow('newTab')})</span>
            </AppLink>
          )}
          <AppLink to={paths.terms()} className="prose-link inline-flex min-h-11 items-center">
            {t('rules')}
          </AppLink>
          <a href={`mailto:${contactEmail}`} className="prose-link inline-flex min-h-11 items-center">
            {contactEmail}
          </a>
        </p>
        {(company.isInvented || operator?.isInvented) && (
          <p className="text-sm font-semibold">{t('invented')}</p>
        )}
      </div>
    </Card>
  )
}

/** Initials stand where there is no picture. */
function Portrait({ name, picture }: { name: string; picture: string | null }): ReactNode {
  if (picture !== null)
    return (
      <img
        src={picture}
        alt={name}
        width="128"
        height="128"
        loading="lazy"
        decoding="async"
        className="aspect-square w-24 rounded-full bg-sunken object-cover"
      />
    )
  return (
    <span aria-hidden="true">
      <Plate size="large">{initialsOf(name)}</Plate>
    </span>
  )
}

/** Of the first and of the last name, whatever stands between them: "van", a middle name. */
function initialsOf(name: string): string {
  const [first = '', ...others] = name.trim().split(/\s+/)
  return [first, others.at(-1) ?? ''].map(([letter = '']) => letter.toUpperCase()).join('')
}
