import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings, useShell } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { PROMISES } from '#shared/promises.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'

const LINK = 'prose-link inline-block py-1'

const LINKS = [
  ['menu.offers', paths.offers()],
  ['menu.draws', paths.draws()],
  ['menu.winners', paths.winners()],
  ['menu.rules', paths.terms()],
  ['footer.freeEntry', paths.freeEntry()],
  ['menu.contact', paths.contact()],
  ['menu.accessibility', paths.accessibility()],
] as const

/** The footer of every page (spec sections 1 and 2). */
export function SiteFooter(): ReactNode {
  const t = useTranslations('frame')
  const { settings, language, renderedAt } = useShell()
  const { brand, developer, company, contactEmail } = settings
  const number = t('footer.number', { name: company.numberName[language], number: company.number })
  return (
    <footer className="mt-auto border-t border-line bg-surface text-sm text-muted">
      <div className="page-width @container pt-10 pb-6">
        <div className="grid gap-x-10 gap-y-8 @md:grid-cols-2 @4xl:grid-cols-[3fr_2fr_fit-content(18rem)_3fr]">
          <Part title={t('footer.company')}>
            <p className="font-semibold text-ink">{company.name}</p>
            <p>{t('footer.registered', { place: company.place[language] })}</p>
            <p>
              {company.registerUrl === null ? (
                number
              ) : (
                <AppLink to={company.registerUrl} className={LINK}>
                  {number}
                </AppLink>
              )}
            </p>
            <p>{company.address}</p>
          </Part>
          <Part title={brand}>
            <ul className="flex flex-wrap gap-x-5 @md:block">
              {LINKS.map(([label, path]) => (
                <li key={path}>
                  <AppLink to={path} className="inline-block py-1 text-ink no-underline hover:underline">
                    {t(label)}
                  </AppLink>
                </li>
              ))}
            </ul>
          </Part>
          <Part title={t('footer.question')}>
            <a href={`mailto:${contactEmail}`} className={LINK}>
              {contactEmail}
            </a>
            <p>{t('footer.reply', PROMISES)}</p>
          </Part>
          <Part title={t('footer.payment')}>
            <WaysToPay />
            <p className="mt-3">{t('footer.paymentNote')}</p>
          </Part>
        </div>
        <div className="mt-8 flex flex-wrap items-center justify-between gap-x-8 gap-y-1 border-t border-line pt-5">
          <p>{t('copyright', { year: String(new Date(renderedAt).getUTCFullYear()), brand })}</p>
          <p className="font-semibold">{t('adultsOnly')}</p>
          <p>
            {t('developedBy')}{' '}
            <a href={developer.url} target="_blank" rel="noopener noreferrer" className={LINK}>
              {developer.name}
            </a>
          </p>
        </div>
      </div>
    </footer>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }): ReactNode => (
  <div>
    <h2 className="mb-2 font-text text-xs font-semibold tracking-normal text-muted">{title}</h2>
    {children}
  </div>
)

/** The provider and its enabled funding sources, as text: their logos are trademarks. */
function WaysToPay(): ReactNode {
  const { paypal } = useSettings()
  return (
    <ul className="mt-1 flex flex-wrap gap-2">
      {[PROVIDER_NAME, ...paypal.ways].map((name) => (
        <li key={name} className="rounded-sm border border-line-strong px-2 font-semibold text-ink">
          {name}
        </li>
      ))}
    </ul>
  )
}
