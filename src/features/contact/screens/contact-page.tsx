import { Clock, Mail, Trophy } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { formatDuration } from '#i18n/duration.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { PROMISES } from '#shared/promises.ts'
import { Alert } from '#ui/alert.tsx'
import { Picture } from '#ui/picture.tsx'
import { ContactForm } from './contact-form.tsx'

/** Contact (spec section 2): a form and a picture. */
export function ContactPage(): ReactNode {
  const t = useTranslations('contact')
  return (
    <div className="grid grow lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] xl:grid-cols-[minmax(0,40rem)_minmax(0,1fr)]">
      <div className="mx-auto grid w-full max-w-2xl content-start gap-8 px-4 py-10 sm:px-10 sm:py-14">
        <div className="grid gap-2">
          <h1 tabIndex={-1} className="text-headline">
            {t('title')}
          </h1>
          <p className="text-balance text-muted">{t('lead', PROMISES)}</p>
        </div>
        <WithoutScripts />
        <ContactForm />
      </div>
      <Facts />
    </div>
  )
}

function WithoutScripts(): ReactNode {
  const t = useTranslations('contact')
  const { contactEmail } = useSettings()
  return (
    <noscript>
      <Alert>
        {t('noScript')}{' '}
        <a href={`mailto:${contactEmail}`} className="prose-link inline-block py-1">
          {contactEmail}
        </a>
      </Alert>
    </noscript>
  )
}

const FACTS = [
  { name: 'reply', icon: Clock },
  { name: 'mail', icon: Mail },
  { name: 'winner', icon: Trophy },
] as const

function Facts(): ReactNode {
  const t = useTranslations('contact')
  const { contactEmail, claimMinutes } = useSettings()
  const times = { ...PROMISES, claimTime: formatDuration(claimMinutes * 60, useLanguage()) }
  return (
    <aside aria-label={t('facts.label')} className="bg-asphalt text-paper">
      <div className="flex flex-col overflow-hidden lg:sticky lg:top-16 lg:h-[calc(100dvh-4rem)] lg:max-h-[64rem]">
        <Picture
          stem="/media/fastback-detail"
          widths={[480, 828, 1280, 1600]}
          sizes="(min-width: 1024px) 90vh, 100vw"
          width={1600}
          height={1000}
          alt={t('pictureAlt')}
          className="h-auto w-full object-cover lg:h-auto lg:min-h-0 lg:grow lg:object-[18%_100%] fades-below"
        />
        <dl className="grid shrink-0 gap-5 px-4 pt-4 pb-10 sm:px-10 lg:px-12 lg:pb-12">
          {FACTS.map(({ name, icon: Icon }) => (
            <div key={name} className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-4">
              <Icon aria-hidden="true" className="mt-0.5 size-5 text-paper/80" />
              <dt className="font-semibold">{t(`facts.${name}.title`, times)}</dt>
              <dd className="col-start-2 text-sm text-paper/80">
                {name === 'mail' ? (
                  <a
                    href={`mailto:${contactEmail}`}
                    className="inline-block py-1 wrap-anywhere text-paper underline underline-offset-4 hover:decoration-2"
                  >
                    {contactEmail}
                  </a>
                ) : (
                  t(`facts.${name}.text`, times)
                )}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </aside>
  )
}
