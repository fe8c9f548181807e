import shopMessages from 'virtual:messages/shop'
import { type ReactNode, useEffect, useState } from 'react'
import { loadMessages } from '#i18n/active-messages.ts'
import { formatDateTime, formatEur, formatPercent } from '#i18n/format.ts'
import { TranslationsProvider, useLanguage, useTranslations } from '#i18n/translations.tsx'
import { systemClock } from '#shared/clock.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language, localized } from '#shared/languages.ts'
import { instantOf } from '#shared/zoned-time.ts'
import { Button } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import { Picture } from '#ui/picture.tsx'
import { Progress } from '#ui/progress.tsx'
import { Select } from '#ui/select.tsx'
import { useSettings } from '#console/kit/console-context.tsx'
import { priceWithVat } from '../offer-drafts.rules.ts'
import type { OfferDraft, StaffOffer } from '../staff-offers.contract.ts'

const WIDTHS = ['phone', 'desktop'] as const
type Width = (typeof WIDTHS)[number]

interface Shown {
  draft: OfferDraft
  pictures: StaffOffer['pictures']
  sold: number
}

/** The contest as a customer sees it, in each language and at two widths, with what is typed so far. */
export function Preview(shown: Shown): ReactNode {
  const t = useTranslations('consoleContests.preview')
  const names = useTranslations('consoleContests.languages')
  const { timeZone } = useSettings()
  const [language, setLanguage] = useState<Language>(useLanguage())
  const [width, setWidth] = useState<Width>('phone')
  const loading = useTranslations('console.common')('loading')
  // In the language of the console: the customer sees none of them.
  const texts = { noPicture: t('noPicture'), noTitle: t('noTitle'), noDescription: t('noDescription') }
  const [loaded, setLoaded] = useState<ReadonlySet<Language>>(new Set())
  useEffect(() => {
    void loadMessages(language, shopMessages).then(() => setLoaded((all) => new Set([...all, language])))
  }, [language])
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-sm text-muted">{t('lead')}</p>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <Choice
          label={t('language')}
          options={LANGUAGES}
          chosen={language}
          nameOf={(one) => names(one)}
          onChoose={setLanguage}
        />
        <Choice
          label={t('width')}
          options={WIDTHS}
          chosen={width}
          nameOf={(one) => t(one)}
          onChoose={setWidth}
        />
      </div>
      <section
        tabIndex={0}
        aria-label={t('frame', { language: names(language), width: t(width) })}
        className="overflow-x-auto rounded-lg border border-line-strong bg-ground"
      >
        <div
          lang={language}
          className={classes(
            '@container mx-auto',
            width === 'phone' ? 'w-full max-w-[22.5rem]' : 'w-[64rem]',
          )}
        >
          {loaded.has(language) ? (
            <TranslationsProvider language={language} timeZone={timeZone}>
              <OfferAsShown {...shown} texts={texts} />
            </TranslationsProvider>
          ) : (
            <LoadingRegion text={loading}>
              <Skeleton className="h-80" />
            </LoadingRegion>
          )}
        </div>
      </section>
    </div>
  )
}

function Choice<Option extends string>(props: {
  label: string
  options: readonly Option[]
  chosen: Option
  nameOf: (option: Option) => string
  onChoose: (option: Option) => void
}): ReactNode {
  const { label, options, chosen, nameOf, onChoose } = props
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-2">
      {options.map((option) => (
        <Button
          key={option}
          size="small"
          variant={option === chosen ? 'primary' : 'secondary'}
          aria-pressed={option === chosen}
          onClick={() => onChoose(option)}
        >
          {nameOf(option)}
        </Button>
      ))}
    </div>
  )
}

function OfferAsShown({
  draft,
  pictures,
  sold,
  texts,
}: Shown & { texts: Record<'noPicture' | 'noTitle' | 'noDescription', string> }): ReactNode {
  const t = useTranslations('offers')
  const language = useLanguage()
  const { timeZone } = useSettings()
  const title = localized(draft, 'title', language)
  const description = localized(draft, 'description', language)
  const paragraphs = description.text.split(/\n\s*\n/).filter((text) => text.trim() !== '')
  const [picture] = pictures
  const end = instantOf(draft.end_date, timeZone)
  const total = draft.total_tickets
  return (
    <div className="grid grid-cols-1 gap-6 p-4 @4xl:p-8">
      <p lang={title.language} className="font-wide text-headline wrap-anywhere">
        {title.text || texts.noTitle}
      </p>
      <div className="grid grid-cols-1 items-start gap-6 @4xl:grid-cols-[minmax(0,1fr)_23rem] @4xl:gap-10">
        <div className="grid aspect-[8/5] place-items-center overflow-hidden rounded-lg bg-sunken text-muted">
          {picture && picture.widths.length > 0 ? (
            <Picture
              stem={picture.src}
              widths={picture.widths}
              sizes="(min-width: 64rem) 40rem, 22rem"
              width={picture.width}
              height={picture.height}
              alt={picture.alt[language]}
              className="h-full w-full object-cover"
            />
          ) : (
            texts.noPicture
          )}
        </div>
        <div className="grid grid-cols-1 gap-5 rounded-lg border border-line bg-surface p-5 @4xl:row-span-2">
          <Prices draft={draft} />
          <Question draft={draft} />
          <span className="flex min-h-14 items-center justify-center rounded-md bg-fill px-5 font-semibold text-on-fill">
            {t('buy.add')}
          </span>
        </div>
        <div className="grid grid-cols-1 gap-8">
          <dl className="grid grid-cols-1 gap-x-6 gap-y-5 @xs:grid-cols-2 @2xl:grid-cols-4">
            {total !== null && (
              <div className="col-span-full">
                <dt className="text-sm text-muted">{t('detail.soldLabel')}</dt>
                <dd className="mt-0.5 font-medium">
                  <span aria-hidden="true">{t('detail.soldOf', { sold, total })}</span>
                  <Progress
                    value={sold}
                    total={total}
                    label={t('detail.soldOf', { sold, total })}
                    className="my-2"
                  />
                </dd>
              </div>
            )}
            {typeof end !== 'string' && (
              <div>
                <dt className="text-sm text-muted">{t('detail.endLabel')}</dt>
                <dd className="mt-0.5 font-medium">{formatDateTime(end, timeZone)}</dd>
              </div>
            )}
            <div>
              <dt className="text-sm text-muted">{t('detail.winnerLabel')}</dt>
              <dd className="mt-0.5 font-medium">{t('detail.winner')}</dd>
            </div>
            {total !== null && (
              <div>
                <dt className="text-sm text-muted">{t('detail.oddsLabel')}</dt>
                <dd className="mt-0.5 font-medium">{t('detail.odds', { total })}</dd>
              </div>
            )}
          </dl>
          <div className="grid gap-3">
            <p className="font-wide text-title">{t('detail.about')}</p>
            <div
              lang={description.language}
              className="grid max-w-prose gap-3 leading-relaxed whitespace-pre-line wrap-anywhere"
            >
              {paragraphs.length === 0 && <p className="text-muted">{texts.noDescription}</p>}
              {paragraphs.map((text, index) => (
                <p key={index}>{text}</p>
              ))}
            </div>
          </div>
        </div>
      </div>
    </div>
  )
}

function Prices({ draft }: { draft: OfferDraft }): ReactNode {
  const t = useTranslations('offers.price')
  const language = useLanguage()
  const { pricesIncludeVat } = useSettings()
  const allIn = priceWithVat(draft.ticket_price, pricesIncludeVat, systemClock())
  if (!allIn) return <p className="text-sm text-muted">{t('ticket')}</p>
  const rows = [
    [formatEur(draft.ticket_price, language), t(pricesIncludeVat ? 'included' : 'net')],
    ...(pricesIncludeVat
      ? []
      : [
          [
            formatEur(allIn.total, language),
            t('gross', { country: allIn.country, rate: formatPercent(allIn.percent, language) }),
          ],
        ]),
  ]
  return (
    <div className="grid gap-2">
      <p className="text-sm text-muted">{t('ticket')}</p>
      <p className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-2 gap-y-0.5 text-sm text-muted">
        {rows.map(([amount, text]) => (
          <span key={text} className="contents">
            <span className="font-wide text-lg leading-tight text-ink tabular-nums">{amount}</span>
            <span>{text}</span>
          </span>
        ))}
      </p>
    </div>
  )
}

function Question({ draft }: { draft: OfferDraft }): ReactNode {
  const t = useTranslations('offers.buy')
  const language = useLanguage()
  const asked = localized(draft, 'question', language)
  if (asked.text === '') return null
  return (
    <label className="grid gap-1.5 font-semibold" lang={asked.language}>
      {asked.text}
      <Select className="font-normal" defaultValue="">
        <option value="">{t('choose')}</option>
        {draft.choices.map((choice) => (
          <option key={choice} lang={DEFAULT_LANGUAGE}>
            {choice}
          </option>
        ))}
      </Select>
    </label>
  )
}
