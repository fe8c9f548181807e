import { Plus, X } from 'lucide-react'
import { type ComponentProps, type ReactNode, createContext, use } from 'react'
import { formatDateTime, formatEur, formatPercent, yearRoundZone } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { serverNow } from '#client/server-clock.ts'
import { LANGUAGES, type Language, DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { instantOf } from '#shared/zoned-time.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { TextInput } from '#ui/inputs.tsx'
import { useMay, useSettings } from '#console-kit/console-context.tsx'
import { TextAreaField, TextField } from '#console-kit/fields.tsx'
import { Facts, Section, useTime } from '#console-kit/parts.tsx'
import {
  TERMS,
  TIMES,
  type TranslatedField,
  amountOf,
  missingTranslations,
  postalReserve,
  priceWithVat,
  slugOf,
} from '../offer-drafts.rules.ts'
import { CHOICES_MAX } from '../offers.rules.ts'
import { PRIZE_FACTS } from '../offers.contract.ts'
import type { DraftField, OfferDraft } from '../staff-offers.contract.ts'
import { typedAmount } from '#shared/typed-amount.ts'
import type { DraftForm } from './use-draft.ts'
import { fieldIn } from '#shared/localized-text.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

/** Lengths as in the contract. */
const MOST: Record<TranslatedField, number> = {
  title: 120,
  description: 10_000,
  question: 300,
  draw_terms: 5_000,
}

interface Editing {
  form: DraftForm
  /** The language that narrow windows show. */
  shown: Language
  onShow: (language: Language) => void
  /** How long after the end the draw is at the earliest. */
  drawAfterMinutes: number
}

const EditingContext = createContext<Editing | undefined>(undefined)

function useEditing(): Editing {
  const editing = use(EditingContext)
  if (!editing) throw new Error('a field is outside of the editor')
  return editing
}

/** The parts of the form. */
export function DraftFields(editing: Editing): ReactNode {
  const t = useTranslations('consoleContests.editor')
  return (
    <EditingContext value={editing}>
      <Section
        title={t('texts')}
        actions={<LanguageSwitch of={t('texts')} fields={['title', 'description']} />}
      >
        <Translated field="title" />
        <Translated field="description" isLong />
        <SlugField />
      </Section>
      <Section title={t('price')}>
        <LockReason fields={['ticket_price']} />
        <PriceFields />
      </Section>
      <Section title={t('prize')}>
        <p className="text-sm text-muted">{t('prizeLead')}</p>
        <PrizeFields />
      </Section>
      <Section title={t('times')}>
        <TimeFields />
      </Section>
      <Section title={t('question')} actions={<LanguageSwitch of={t('question')} fields={['question']} />}>
        <LockReason fields={['question']} />
        <p className="text-sm text-muted">{t('questionLead')}</p>
        <Translated field="question" />
        <Choices />
      </Section>
      <Section
        title={t('drawTerms')}
        actions={<LanguageSwitch of={t('drawTerms')} fields={['draw_terms']} />}
      >
        <LockReason fields={['draw_terms']} />
        <Translated field="draw_terms" isLong />
      </Section>
    </EditingContext>
  )
}

function useIsFixed(): (field: DraftField) => boolean {
  const { stored } = useEditing().form
  const mayEdit = useMay()('offers.edit')
  return (field) => !mayEdit || stored.locked.includes(field)
}

/** Why fields are shown as text. */
function LockReason({ fields }: { fields: readonly DraftField[] }): ReactNode {
  const t = useTranslations('consoleContests.editor')
  const time = useTime()
  const { stored } = useEditing().form
  if (!fields.some((field) => stored.locked.includes(field))) return null
  const isTerm = fields.some((field) => (TERMS as readonly DraftField[]).includes(field))
  const { entered_at: entered } = stored
  return (
    <p className="rounded-md bg-sunken px-4 py-3 text-sm">
      {!isTerm
        ? t('lockedPublished')
        : entered === null
          ? t('lockedTerms')
          : t('lockedEntered', { when: time(entered) })}
    </p>
  )
}

/**
 * Counts the texts that are missing in each language. In narrow windows, which have no room for three languages, it also
 * chooses one.
 */
function LanguageSwitch({ of, fields }: { of: string; fields: readonly TranslatedField[] }): ReactNode {
  const t = useTranslations('consoleContests')
  const languageOf = useLanguageName()
  const { form, shown, onShow } = useEditing()
  const missing = missingTranslations(form.draft).filter(({ field }) => fields.includes(field))
  const isUsed = fields.some((field) => LANGUAGES.some((one) => form.draft[fieldIn(field, one)] !== ''))
  const counts = LANGUAGES.map((language) => ({
    language,
    count: missing.filter((one) => one.language === language).length,
  }))
  return (
    <>
      {(missing.length > 0 || isUsed) && (
        <ul
          aria-label={`${of}, ${t('editor.language')}`}
          className="hidden flex-wrap gap-x-5 gap-y-1 text-sm lg:flex"
        >
          {counts.map(({ language, count }) => (
            <li key={language} className={count > 0 ? 'font-semibold' : 'text-muted'}>
              {t('editor.missingIn', {
                language: languageOf(language),
                texts: t('editor.missing', { count }),
              })}
            </li>
          ))}
        </ul>
      )}
      <div
        role="group"
        aria-label={`${of}, ${t('editor.language')}`}
        className="grid w-full grid-cols-3 overflow-hidden rounded-md border border-line-strong lg:hidden"
      >
        {counts.map(({ language, count }) => {
          return (
            <button
              key={language}
              type="button"
              aria-pressed={language === shown}
              onClick={() => onShow(language)}
              className={classes(
                'grid min-h-12 content-center px-1 py-1.5 text-center text-sm font-semibold wrap-anywhere',
                language === shown ? 'bg-fill text-on-fill' : 'hover:bg-sunken',
              )}
            >
              {languageOf(language)}
              {(count > 0 || isUsed) && (
                <span className="text-xs font-normal">{t('editor.missing', { count })}</span>
              )}
            </button>
          )
        })}
      </div>
    </>
  )
}

const LongField = (props: ComponentProps<typeof TextAreaField>): ReactNode => (
  <TextAreaField {...props} rows={6} />
)

/** A text in three languages side by side, or one of them in narrow windows. */
function Translated({ field, isLong = false }: { field: TranslatedField; isLong?: boolean }): ReactNode {
  const t = useTranslations('consoleContests')
  const languageOf = useLanguageName()
  const { form, shown } = useEditing()
  const isFixed = useIsFixed()
  const missing = missingTranslations(form.draft)
  const Control = isLong ? LongField : TextField
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-3 lg:items-end">
      {LANGUAGES.map((language) => {
        const name = fieldIn(field, language)
        const label = t('named', { field: t(`fields.${field}`), language: languageOf(language) })
        const isMissing = missing.some((one) => one.field === field && one.language === language)
        return (
          <div key={language} className={classes('min-w-0', language !== shown && 'max-lg:hidden')}>
            {isFixed(name) ? (
              <Fixed label={label} lang={language} value={form.draft[name]} />
            ) : (
              <Control
                label={label}
                {...(isMissing && { mark: t('editor.missingMark') })}
                {...form.field(name, (typed) => name === 'title' && proposeSlug(form, typed))}
                lang={language}
                maxLength={MOST[field]}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}

/** The address follows the French title until somebody writes another one. */
function proposeSlug({ form, draft, stored }: DraftForm, title: string): void {
  if (stored.locked.includes('slug')) return
  if (draft.slug === '' || draft.slug === slugOf(draft.title)) form.setValue('slug', slugOf(title))
}

/** What cannot change, as text. */
function Fixed({ label, value, lang }: { label: string; value: ReactNode; lang?: Language }): ReactNode {
  const t = useTranslations('consoleContests.editor')
  const isEmpty = value === '' || value === null || value === undefined
  return (
    <div className="grid content-start gap-1.5">
      <span className="text-sm font-semibold">{label}</span>
      <div lang={isEmpty ? undefined : lang} className="whitespace-pre-line text-sm wrap-anywhere">
        {isEmpty ? <span className="text-muted">{t('nothing')}</span> : value}
      </div>
    </div>
  )
}

function SlugField(): ReactNode {
  const t = useTranslations('consoleContests')
  const { form } = useEditing()
  const { publicUrl } = useSettings()
  const isFixed = useIsFixed()
  const address = `${publicUrl}/offers/${form.draft.slug || '...'}`
  if (isFixed('slug'))
    return (
      <>
        <Fixed label={t('fields.slug')} value={address} />
        <LockReason fields={['slug']} />
      </>
    )
  return (
    <TextField
      label={t('fields.slug')}
      hint={<span className="wrap-anywhere">{t('editor.slugHint', { address })}</span>}
      {...form.field('slug')}
      maxLength={80}
      autoCapitalize="none"
      spellCheck={false}
    />
  )
}

const FIGURES = [
  'ticket_price',
  'total_tickets',
  'max_per_person',
  'prize_value',
  'postal_reserve_percent',
] as const

/** A figure that cannot change, as people read it. */
function shownFigure(
  { draft, values }: DraftForm,
  name: (typeof FIGURES)[number],
  language: Language,
): string {
  if (name === 'ticket_price' || name === 'prize_value') {
    const amount = amountOf(draft[name])
    return amount === undefined ? values[name] : formatEur(amount, language)
  }
  const count = draft[name]
  return count === null ? values[name] : new Intl.NumberFormat(language).format(count)
}

function PriceFields(): ReactNode {
  const t = useTranslations('consoleContests')
  const { form } = useEditing()
  const language = useLanguage()
  const { pricesIncludeVat } = useSettings()
  const isFixed = useIsFixed()
  const { draft } = form
  const allIn = priceWithVat(draft.ticket_price, pricesIncludeVat, new Date(serverNow()))
  const hints = {
    ticket_price: allIn
      ? t('editor.allIn', {
          amount: formatEur(allIn.total, language),
          rate: formatPercent(allIn.percent, language),
          country: allIn.country,
        })
      : t('editor.priceHint'),
    total_tickets:
      draft.total_tickets !== null && draft.total_tickets > 0
        ? t('editor.odds', { total: draft.total_tickets })
        : undefined,
    max_per_person: t('editor.capHint'),
    prize_value: t('editor.prizeHint'),
    postal_reserve_percent: t('editor.reserveHint', {
      count: postalReserve(draft.total_tickets, draft.postal_reserve_percent),
    }),
  }
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,13rem),1fr))] gap-4">
      {FIGURES.map((name) =>
        isFixed(name) ? (
          <Fixed
            key={name}
            label={t(`fields.${name}`)}
            value={
              <span className="grid">
                {shownFigure(form, name, language) || (
                  <span className="text-muted">{t('editor.nothing')}</span>
                )}
                {name === 'ticket_price' && allIn && <span className="text-muted">{hints[name]}</span>}
              </span>
            }
          />
        ) : (
          <TextField
            key={name}
            label={t(`fields.${name}`)}
            hint={hints[name]}
            {...form.field(name)}
            inputMode={name === 'ticket_price' || name === 'prize_value' ? 'decimal' : 'numeric'}
            maxLength={12}
            autoComplete="off"
          />
        ),
      )}
    </div>
  )
}

const PRIZE_FIELDS = PRIZE_FACTS.map((fact) => `prize_${fact}` as const)

/** Figures that the page of the contest shows beside its pictures; all of them may be left out. */
function PrizeFields(): ReactNode {
  const t = useTranslations('consoleContests')
  const { form } = useEditing()
  const language = useLanguage()
  const isFixed = useIsFixed()
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,13rem),1fr))] gap-4">
      {PRIZE_FIELDS.map((name) =>
        isFixed(name) ? (
          <Fixed key={name} label={t(`fields.${name}`)} value={valueText(form.draft, name, language)} />
        ) : (
          <TextField
            key={name}
            label={t(`fields.${name}`)}
            mark={t('editor.optional')}
            {...form.field(name)}
            inputMode={name === 'prize_zero_to_100' ? 'decimal' : 'numeric'}
            maxLength={10}
            autoComplete="off"
          />
        ),
      )}
    </div>
  )
}

function TimeFields(): ReactNode {
  const t = useTranslations('consoleContests')
  const { form, drawAfterMinutes } = useEditing()
  const language = useLanguage()
  const { timeZone } = useSettings()
  const isFixed = useIsFixed()
  const utcOf = (field: (typeof TIMES)[number]): string | undefined => {
    const at = instantOf(form.draft[field], timeZone)
    return typeof at === 'string' ? undefined : t('editor.utc', { time: formatDateTime(at, 'UTC') })
  }
  const hints = {
    opens_at: t('editor.opensHint'),
    end_date: undefined,
    draw_at: t('editor.drawHint', wholeHours(drawAfterMinutes)),
  }
  return (
    <>
      <p className="text-sm text-muted">
        {t('editor.timesLead', {
          zone: yearRoundZone(timeZone, language),
        })}
      </p>
      <LockReason fields={['opens_at']} />
      <LockReason fields={['end_date']} />
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-4">
        {TIMES.map((name) => {
          const utc = utcOf(name)
          return isFixed(name) ? (
            <Fixed
              key={name}
              label={t(`fields.${name}`)}
              value={
                utc && (
                  <span className="grid">
                    {shownClock(form.draft[name])}
                    <span className="text-muted">{utc}</span>
                  </span>
                )
              }
            />
          ) : (
            <TextField
              key={name}
              label={t(`fields.${name}`)}
              hint={
                <span className="grid">
                  {utc && <span className="tabular-nums">{utc}</span>}
                  {hints[name]}
                </span>
              }
              {...form.field(name)}
              type="datetime-local"
              max="9999-12-31T23:59"
            />
          )
        })}
      </div>
    </>
  )
}

/** Values of a sentence that tells a duration in hours, or else in minutes: it then has no hours. */
export const wholeHours = (minutes: number): { hours: number; minutes: number } => ({
  minutes,
  hours: minutes % 60 === 0 ? minutes / 60 : 0,
})

/** "2026-03-29T20:00" as people read it. */
export const shownClock = (wallClock: string): string => {
  const [day = '', time = ''] = wallClock.split('T')
  return `${day.split('-').toReversed().join('/')} ${time}`
}

function Choices(): ReactNode {
  const t = useTranslations('consoleContests')
  const { form } = useEditing()
  const isFixed = useIsFixed()
  const mayEdit = useMay()('offers.edit')
  const { choices, right } = form.values
  const set = (next: string[], nextRight: number): void => {
    form.form.setValue('choices', next)
    form.form.setValue('right', nextRight)
    form.clearFault('choices')
  }
  if (isFixed('choices'))
    return (
      <Facts
        facts={[
          [t('fields.choices'), choices.join(', ') || t('editor.nothing')],
          // The server tells it to those alone who edit contests.
          mayEdit && [t('fields.correct_choice'), choices[right] ?? t('editor.nothing')],
        ]}
      />
    )
  return (
    <fieldset
      id="contest-choices"
      tabIndex={-1}
      aria-describedby="contest-choices-hint"
      className="grid gap-3"
    >
      <legend className="mb-3 text-sm font-semibold">{t('fields.choices')}</legend>
      <p id="contest-choices-hint" className="text-sm text-muted">
        {t('editor.choicesHint')}
      </p>
      {choices.map((choice, index) => {
        const place = index + 1
        return (
          <div key={index} className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-2">
            <TextInput
              aria-label={t('editor.choice', { place })}
              lang="fr"
              maxLength={100}
              value={choice}
              onChange={(event) => set(choices.with(index, event.target.value), right)}
            />
            <label className="flex min-h-11 items-center gap-2 px-2 text-sm">
              <input
                type="radio"
                name="right-choice"
                className="size-5"
                aria-label={t('editor.isRight', { place })}
                checked={right === index}
                onChange={() => set(choices, index)}
              />
              <span aria-hidden="true">{t('editor.right')}</span>
            </label>
            <IconButton
              label={t('editor.removeChoice', { place })}
              onClick={() =>
                set(choices.toSpliced(index, 1), right === index ? -1 : right > index ? right - 1 : right)
              }
            >
              <X aria-hidden="true" className="size-5" />
            </IconButton>
          </div>
        )
      })}
      {(form.faults.choices ?? form.faults.correct_choice) !== undefined && (
        <p role="alert" className="text-sm text-error">
          {form.faults.choices ?? form.faults.correct_choice}
        </p>
      )}
      {choices.length < CHOICES_MAX && (
        <Button
          size="small"
          variant="secondary"
          className="justify-self-start"
          onClick={() => set([...choices, ''], right)}
        >
          <Plus aria-hidden="true" className="size-4" />
          {t('editor.addChoice')}
        </Button>
      )}
    </fieldset>
  )
}

/** A field's name, with its language where it has one. */
export function useFieldName(): (field: DraftField) => string {
  const t = useTranslations('consoleContests')
  const languageOf = useLanguageName()
  return (name) => {
    const found = (['title', 'description', 'question', 'draw_terms'] as const)
      .flatMap((field) => LANGUAGES.map((language) => ({ field, language })))
      .find(({ field, language }) => fieldIn(field, language) === name)
    if (found) return t('named', { field: t(`fields.${found.field}`), language: languageOf(found.language) })
    return t(
      `fields.${name as Exclude<DraftField, `${string}_${Exclude<Language, typeof DEFAULT_LANGUAGE>}`>}`,
    )
  }
}

/** The value of a field as text. */
export function valueText(draft: Partial<OfferDraft>, field: DraftField, language: Language): string {
  const value = draft[field]
  if (Array.isArray(value)) return value.join(', ')
  if (value === null || value === undefined) return ''
  const text = String(value)
  if (field === 'ticket_price' || field === 'prize_value' || field === 'prize_zero_to_100')
    return typedAmount(text, language)
  return text !== '' && (TIMES as readonly DraftField[]).includes(field) ? shownClock(text) : text
}
