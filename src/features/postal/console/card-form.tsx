import { formatDay } from '#i18n/format.ts'
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useRevalidator } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { randomId } from '#client/browser-parts.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { findCountry } from '#shared/countries.ts'
import { LANGUAGES, type Language, LANGUAGE_NAMES } from '#shared/languages.ts'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { Plate } from '#ui/plate.tsx'
import { SelectField, TextField } from '#console-kit/fields.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { Fault } from '#console-kit/parts.tsx'
import type { Desk, DeskContest, PostalEntry, RegisterBody, SimilarEntry } from '../postal.contract.ts'
import { SEEN_REFUSALS, ageOn, isNoSuchDay, readDay, worldIn } from '../postal.rules.ts'
import { SimilarEntries } from './similar.tsx'

/** What stays from one card to the next. */
interface Kept {
  offerId: number
  receivedOn: string
  country: string
  language: Language
}

/** What is written on a card. Days are as somebody types them. */
interface Written {
  name: string
  address: string
  address2: string
  postcode: string
  city: string
  birth: string
  answer: string
  otherAnswer: string
  email: string
  seen: '' | (typeof SEEN_REFUSALS)[number]
}

const BLANK: Written = {
  name: '',
  address: '',
  address2: '',
  postcode: '',
  city: '',
  birth: '',
  answer: '',
  otherAnswer: '',
  email: '',
  seen: '',
}

/** Values of the answers that are no choice of the contest. */
const NONE = ' none'
const OTHER = ' other'

/** The language in which most people of a country write. */
const LANGUAGE_OF: Readonly<Record<string, Language>> = { FR: 'fr', LU: 'fr', NL: 'nl', GB: 'en', IE: 'en' }

const CHECK_AFTER_MS = 500

const linesOf = ({ address, address2 }: Written): string[] =>
  [address, address2].map((line) => line.trim()).filter(Boolean)

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

function answerOf({ answer, otherAnswer }: Written): string | null {
  if (answer === OTHER) return otherAnswer.trim() === '' ? '?' : otherAnswer
  return answer === NONE || answer === '' ? null : answer
}

/** Whom the card is from, as far as it can be compared. */
function personOf(written: Written, { country, offerId }: Kept) {
  const { name, postcode, city, birth } = written
  const address = linesOf(written)
  const date_of_birth = readDay(birth)
  if (date_of_birth === undefined || address.length === 0 || !name.trim() || !postcode.trim() || !city.trim())
    return undefined
  return { offer_id: offerId, name, address, postcode, city, country, date_of_birth }
}

interface Judged {
  /** The person for whom it was judged; another one is judged anew. */
  person: string
  others: readonly string[]
}

const NOBODY: Judged = { person: '', others: [] }

/** One form for a card, in the order of a postcard; Enter registers it, and the next one begins. */
export function CardForm({ desk, bag }: { desk: Desk; bag: string }): ReactNode {
  const t = useTranslations('consolePost.desk')
  const form = useCardForm(desk, bag)
  const { kept, written, faults, contest, age, last, error, isBusy, similar, judged } = form
  const { firstField, question } = form
  // A card that cannot be read has only what can.
  const optional = written.seen === '' ? {} : { mark: t('optional') }
  const text = (name: Exclude<keyof Written, 'seen'>) => ({
    error: faults[FAULT_OF[name] ?? name],
    value: written[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => form.write({ [name]: event.target.value }),
  })

  return (
    <section className="grid grid-cols-1 gap-5 rounded-lg border border-line bg-surface p-4 sm:p-6">
      <h2 className="sr-only">{t('form')}</h2>
      <form className="grid gap-5" noValidate onSubmit={(event) => form.submit(event)}>
        <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_12rem]">
          <ContestField desk={desk} contest={contest} onChange={(offerId) => form.keep({ offerId })} />
          <TextField
            label={t('receivedOn')}
            hint={t('dayHint')}
            error={faults['received_on']}
            inputMode="numeric"
            autoComplete="off"
            value={kept.receivedOn}
            onChange={(event) => form.keep({ receivedOn: event.target.value })}
            onBlur={(event) => form.keep({ receivedOn: tidyDay(event.target.value) })}
          />
        </div>
        {contest?.is_drawn && <Alert tone="warning">{t('drawn')}</Alert>}
        <LastCard entry={last} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={t('name')} {...optional} {...text('name')} ref={firstField} />
          <TextField
            label={t('birth')}
            hint={age ?? t('dayHint')}
            inputMode="numeric"
            {...optional}
            {...text('birth')}
            onBlur={(event) => form.write({ birth: tidyDay(event.target.value) })}
          />
          <TextField label={t('address')} {...optional} {...text('address')} />
          <TextField label={t('address2')} mark={t('optional')} {...text('address2')} error={undefined} />
          <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-4">
            <TextField label={t('postcode')} {...optional} {...text('postcode')} />
            <TextField label={t('city')} {...optional} {...text('city')} />
          </div>
          <CountryField
            value={kept.country}
            error={faults['country']}
            onChange={(event) => form.chooseCountry(event.target.value)}
          />
          {contest?.question && written.seen === '' && (
            <AnswerField contest={contest} answer={text('answer')} other={text('otherAnswer')} />
          )}
          <TextField
            label={t('email')}
            hint={t('emailHint')}
            mark={t('optional')}
            type="email"
            inputMode="email"
            {...text('email')}
          />
          <SelectField
            label={t('language')}
            value={kept.language}
            choices={LANGUAGES.map((one) => [one, LANGUAGE_NAMES[one]])}
            onChange={(event) => form.keep({ language: event.target.value as Language })}
          />
          <SelectField
            label={t('seen')}
            value={written.seen}
            choices={[
              ['', t('readable')],
              ['illegible', t('unreadable')],
              ['incomplete', t('lacking')],
            ]}
            onChange={(event) => form.write({ seen: event.target.value as Written['seen'] })}
          />
        </div>
        <Fault error={error} />
        <Button type="submit" size="large" busy={isBusy}>
          {written.seen === '' ? t('submit') : t('refuse')}
        </Button>
      </form>
      {similar.length > 0 && (
        <SimilarEntries
          card={written}
          address={linesOf(written)}
          country={kept.country}
          birth={readDay(written.birth) ?? ''}
          entries={similar}
          others={judged.others}
          onSame={form.judgeSame}
          onOther={(other) => form.judgeOther(other)}
          headingRef={question}
        />
      )}
    </section>
  )
}

const tidyDay = (typed: string): string => {
  const day = readDay(typed)
  return day === undefined ? typed : formatDay(day)
}

/** The values of the form, and how they become an entry. */
function useCardForm({ contests, today }: Desk, bag: string) {
  const t = useTranslations('consolePost')
  const common = useTranslations('console.common')
  const { revalidate } = useRevalidator()
  const language = useLanguage()
  const [kept, setKept] = useState<Kept>(() => ({
    offerId: contests[0]?.id ?? 0,
    receivedOn: formatDay(today),
    country: 'BE',
    language,
  }))
  const [written, setWritten] = useState(BLANK)
  const [id, setId] = useState(randomId)
  const [last, setLast] = useState<PostalEntry>()
  const [error, setError] = useState<string>()
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [isBusy, setBusy] = useState(false)
  const [found, setFound] = useState<{ person: string; entries: readonly SimilarEntry[] }>()
  const [judged, setJudged] = useState(NOBODY)
  const firstField = useRef<HTMLInputElement>(null)
  const question = useRef<HTMLHeadingElement>(null)

  const contest = contests.find((one) => one.id === kept.offerId)
  const person = written.seen === '' ? personOf(written, kept) : undefined
  const personText = person ? JSON.stringify(person) : ''
  const similar = found && found.person === personText && personText !== '' ? found.entries : []
  const isJudged = judged.person === personText
  useCheck(personText, setFound)

  function next(entry: PostalEntry): void {
    setLast(entry)
    setWritten(BLANK)
    setId(randomId())
    setFound(undefined)
    setJudged(NOBODY)
    setFaults({})
    void revalidate()
    firstField.current?.focus()
  }

  /** Once the marks are drawn. */
  function focusFault(): void {
    requestAnimationFrame(() =>
      firstField.current?.form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(),
    )
  }

  async function send(decision: { others?: readonly string[]; sameAs?: string } = {}): Promise<void> {
    // Enter that is pressed once too often begins nothing.
    if (isBusy || written === BLANK) return firstField.current?.focus()
    setError(undefined)
    setFaults({})
    const missing = writtenFaults(t, kept, written)
    if (missing) {
      setFaults(missing)
      focusFault()
      return setError(common('checkFields'))
    }
    setBusy(true)
    try {
      const body = bodyOf({ id, bag, kept, written }, decision)
      next(await consoleCall<PostalEntry>('POST', '/api/staff/post/entries/', { body }))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      if (failure.code === 'post.similar') {
        const { items } = failure.body as { items: SimilarEntry[] }
        setFound({ person: personText, entries: items })
        requestAnimationFrame(() => question.current?.focus())
      } else if (failure.code === 'post.idReused') setId(randomId())
      const fields = failure.fields ?? {}
      const isMarked = Object.keys(fields).length > 0
      setError(isMarked ? common('checkFields') : failure.message)
      setFaults(fields)
      if (isMarked) focusFault()
    } finally {
      setBusy(false)
    }
  }

  return {
    kept,
    written,
    contest,
    last,
    error,
    faults,
    isBusy,
    similar,
    judged: isJudged ? judged : NOBODY,
    firstField,
    question,
    age: ageText(t, written.birth, kept.receivedOn),
    keep: (change: Partial<Kept>): void => setKept((now) => ({ ...now, ...change })),
    write(change: Partial<Written>): void {
      setWritten((now) => ({ ...now, ...change }))
      // A mark goes when its field is edited.
      const edited = Object.keys(change).map((name) => FAULT_OF[name] ?? name)
      setFaults((now) => Object.fromEntries(Object.entries(now).filter(([name]) => !edited.includes(name))))
    },
    chooseCountry: (country: string): void =>
      setKept((now) => ({ ...now, country, language: LANGUAGE_OF[country] ?? now.language })),
    submit(event: FormEvent): void {
      event.preventDefault()
      void send({ others: isJudged ? judged.others : [] })
    },
    judgeSame: (sameAs: string): void => void send({ sameAs }),
    judgeOther(other: string): void {
      const others = [...(isJudged ? judged.others : []), other]
      setJudged({ person: personText, others })
      if (similar.every((one) => others.includes(one.id))) void send({ others })
    },
  }
}

type Words = ReturnType<typeof useTranslations<'consolePost'>>

/** The faults of fields that the call names otherwise. */
const FAULT_OF: Readonly<Record<string, string>> = { birth: 'date_of_birth', address2: 'address' }

/** What the browser knows to be wrong before it asks. */
function writtenFaults(t: Words, kept: Kept, written: Written): Record<string, string> | undefined {
  const faults: Record<string, string> = {}
  const faultOf = (day: string): string => t(isNoSuchDay(day) ? 'faults.noSuchDay' : 'faults.day')
  if (readDay(kept.receivedOn) === undefined) faults['received_on'] = faultOf(kept.receivedOn)
  if (written.seen === '' && readDay(written.birth) === undefined)
    faults['date_of_birth'] = faultOf(written.birth)
  return Object.keys(faults).length > 0 ? faults : undefined
}

function ageText(t: Words, typedBirth: string, typedReceived: string): string | undefined {
  const [birth, received] = [readDay(typedBirth), readDay(typedReceived)]
  if (birth === undefined || received === undefined) return undefined
  const age = ageOn(birth, received)
  return age < 0 ? undefined : t('desk.age', { age })
}

function bodyOf(
  { id, bag, kept, written }: { id: string; bag: string; kept: Kept; written: Written },
  { others = [], sameAs }: { others?: readonly string[]; sameAs?: string },
): RegisterBody {
  const common = {
    id,
    bag,
    offer_id: kept.offerId,
    received_on: readDay(kept.receivedOn) ?? '',
    language: kept.language,
    email: orNull(written.email),
  }
  const address = linesOf(written)
  if (written.seen !== '') {
    const hasTown = written.city.trim() !== ''
    return {
      ...common,
      seen: written.seen,
      name: orNull(written.name),
      address: address.length > 0 ? address : null,
      postcode: orNull(written.postcode),
      city: orNull(written.city),
      country: hasTown ? kept.country : null,
    }
  }
  return {
    ...common,
    seen: null,
    name: written.name,
    address,
    postcode: written.postcode,
    city: written.city,
    country: kept.country,
    date_of_birth: readDay(written.birth) ?? '',
    answer: answerOf(written),
    other_than: [...others],
    same_as: sameAs ?? null,
  }
}

/** Looks for similar entries once the person is complete and nobody types any more. */
function useCheck(
  person: string,
  found: (answer: { person: string; entries: readonly SimilarEntry[] }) => void,
): void {
  useEffect(() => {
    if (person === '') return
    const leaving = new AbortController()
    const timer = setTimeout(() => {
      const body = JSON.parse(person) as unknown
      consoleCall<{ items: SimilarEntry[] }>('POST', '/api/staff/post/check/', {
        body,
        signal: leaving.signal,
      })
        .then(({ items }) => found({ person, entries: items }))
        // The registration compares again and says what is wrong.
        .catch(() => undefined)
    }, CHECK_AFTER_MS)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [person, found])
}

function ContestField(props: {
  desk: Desk
  contest: DeskContest | undefined
  onChange: (id: number) => void
}): ReactNode {
  const { desk, contest, onChange } = props
  const t = useTranslations('consolePost.desk')
  const language = useLanguage()
  const nameOf = (one: DeskContest): string => {
    const { text } = localized(one, 'title', language)
    const state = t(`state.${one.state}`)
    return one.state === 'open' ? text : `${text} (${state})`
  }
  const hint = contest && (
    <span className="flex flex-wrap gap-x-3">
      <span>{t('closes', { date: formatDay(contest.closes_on) })}</span>
      <span>{t('left', { count: contest.left })}</span>
      {contest.reserve_left > 0 && <span>{t('reserve', { count: contest.reserve_left })}</span>}
    </span>
  )
  return (
    <SelectField
      label={t('contest')}
      hint={hint}
      value={contest?.id ?? ''}
      choices={desk.contests.map((one) => [one.id, nameOf(one)])}
      onChange={(event) => onChange(Number(event.target.value))}
    />
  )
}

/** The card before: its number as large as it can be read from a pile of cards. */
function LastCard({ entry }: { entry: PostalEntry | undefined }): ReactNode {
  const t = useTranslations('consolePost')
  return (
    <div role="status">
      {entry && (
        <div className="flex flex-wrap items-center gap-4 rounded-md bg-sunken p-4">
          {entry.ticket_number === null ? (
            <p className="font-wide text-2xl text-error">
              {t('desk.refused', { reason: entry.refusal ? t(`reasons.${entry.refusal}`) : '' })}
            </p>
          ) : (
            <Plate
              size="large"
              flips
              label={t('desk.entered', { name: entry.name ?? '', number: entry.ticket_number })}
            >
              {entry.ticket_number}
            </Plate>
          )}
          <p className="grid min-w-0 gap-0.5">
            <span aria-hidden="true" className="font-semibold wrap-anywhere">
              {entry.name}
            </span>
            <Link to={`/post/entries/${entry.id}`} className="prose-link py-1 text-sm">
              {entry.number}
            </Link>
          </p>
        </div>
      )}
    </div>
  )
}

function CountryField(props: Omit<ComponentProps<typeof SelectField>, 'label'>): ReactNode {
  const t = useTranslations('consolePost.desk')
  const world = worldIn(useLanguage())
  const isOpen = ({ code }: { code: string }): boolean => findCountry(code) !== undefined
  return (
    <SelectField label={t('country')} {...props}>
      {[
        { label: t('openCountries'), countries: world.filter(isOpen) },
        { label: t('otherCountries'), countries: world.filter((one) => !isOpen(one)) },
      ].map(({ label, countries }) => (
        <optgroup key={label} label={label}>
          {countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  )
}

type Typing = Pick<ComponentProps<typeof TextField>, 'error'> & {
  value: string
  onChange: (event: { target: { value: string } }) => void
}

function AnswerField(props: { contest: DeskContest; answer: Typing; other: Typing }): ReactNode {
  const { contest, answer, other } = props
  const t = useTranslations('consolePost.desk')
  const asked = localized({ ...contest, question: contest.question ?? '' }, 'question', useLanguage())
  return (
    <div className="grid content-start gap-2">
      <SelectField
        label={t('answer')}
        hint={<span lang={asked.language}>{asked.text}</span>}
        error={answer.error}
        value={answer.value}
        choices={[
          ['', t('chooseAnswer')],
          ...contest.choices.map((choice) => [choice, choice] as const),
          [OTHER, t('otherAnswer')],
          [NONE, t('noAnswer')],
        ]}
        onChange={answer.onChange}
      />
      {answer.value === OTHER && (
        <TextInput
          aria-label={t('chooseAnswer')}
          autoComplete="off"
          maxLength={200}
          value={other.value}
          onChange={other.onChange}
        />
      )}
    </div>
  )
}
