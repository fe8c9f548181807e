import { serverNow } from '#client/server-clock.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { toast } from 'sonner'
import { ApiError } from '#client/api-error.ts'
import { localStore } from '#client/browser-parts.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { useSettings } from '#console-kit/console-context.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import type { Language } from '#shared/languages.ts'
import { typedAmount } from '#shared/typed-amount.ts'
import {
  EMPTY_DRAFT,
  type DraftFault,
  PRIZE_COUNTS,
  differences,
  faultsOf,
  mergeDrafts,
  tidyDraft,
  withFields,
} from '../offer-drafts.rules.ts'
import type { DraftField, OfferChanged, OfferDraft, StaffOffer } from '../staff-offers.contract.ts'

const FACTS = Object.keys(PRIZE_COUNTS) as (keyof typeof PRIZE_COUNTS)[]
const COUNTS = ['total_tickets', 'max_per_person', 'postal_reserve_percent', ...FACTS] as const
type Count = (typeof COUNTS)[number]

/** A draft as its form has it: amounts and counts are what somebody types. */
export type Values = Omit<OfferDraft, Count | 'correct_choice'> & {
  [name in Count]: string
} & {
  /** Place of the right answer; -1 when there is none. */
  right: number
}

const isFact = (field: Count): field is keyof typeof PRIZE_COUNTS => field in PRIZE_COUNTS

/** Thousands may be apart: "10 000", "10.000". @returns null for nothing, NaN for no number */
function countOf(typed: string): number | null {
  const text = typed.trim()
  if (text === '') return null
  const isCount = /^\d+$/.test(text) || /^\d{1,3}(?:[.,\s’']\d{3})+$/.test(text)
  return isCount ? Number(text.replaceAll(/\D/g, '')) : Number.NaN
}

function toValues(draft: OfferDraft, language: Language): Values {
  const { correct_choice: right, ...same } = draft
  const counts = Object.fromEntries(COUNTS.map((name) => [name, String(draft[name] ?? '')]))
  return {
    ...same,
    ticket_price: typedAmount(draft.ticket_price, language),
    prize_value: typedAmount(draft.prize_value, language),
    prize_zero_to_100: typedAmount(draft.prize_zero_to_100, language),
    ...(counts as Record<Count, string>),
    right: right === '' ? -1 : draft.choices.indexOf(right),
  }
}

function toDraft({ right, ...values }: Values, language: Language): OfferDraft {
  const count = (typed: string): number | null => {
    const found = countOf(typed)
    return Number.isNaN(found) ? null : found
  }
  const draft = {
    ...values,
    ...(Object.fromEntries(COUNTS.map((name) => [name, count(values[name])])) as Record<
      Count,
      number | null
    >),
    correct_choice: values.choices[right] ?? '',
  }
  return tidyDraft(draft, language)
}

interface Kept {
  at: string
  base: OfferDraft
  draft: OfferDraft
}

/** Kept by the browser until it is saved: signing out of the shop in the same browser clears it. */
const keyOf = (id: number): string => `volant-console-contest-${id}`

const isDraft = (found: unknown): found is OfferDraft =>
  typeof found === 'object' &&
  found !== null &&
  Object.keys(EMPTY_DRAFT).every((name) => name in found) &&
  Array.isArray((found as OfferDraft).choices)

function readKept(id: number): Kept | undefined {
  try {
    const found = JSON.parse(localStore.getItem(keyOf(id)) ?? 'null') as Kept | null
    return found && typeof found.at === 'string' && isDraft(found.base) && isDraft(found.draft)
      ? found
      : undefined
  } catch {
    // Something else was written there: nothing is kept.
    return undefined
  }
}

function keep(id: number, kept: Kept | undefined): void {
  if (kept) localStore.setItem(keyOf(id), JSON.stringify(kept))
  else localStore.removeItem(keyOf(id))
}

interface Differing {
  /** Fields that both have changed and that wait for a decision, with what the other person wrote. */
  conflicts: readonly DraftField[]
  theirs: OfferDraft
  /** Fields that only the other person has changed. */
  taken: readonly DraftField[]
  /** What was written in fields that can no longer change. */
  lost: Partial<OfferDraft>
}

export type Faults = Partial<Record<DraftField, string>>

/** The form of a contest: what is typed, what is stored, and what somebody else stored in the meantime. */
export function useDraft(offer: StaffOffer, onStored: () => Promise<void>) {
  const t = useTranslations('consoleContests')
  const common = useTranslations('console.common')
  const language = useLanguage()
  const { timeZone } = useSettings()
  const [stored, setStored] = useState(offer)
  const storedNow = useRef(offer)
  const form = useForm<Values>({ defaultValues: toValues(offer.draft, language) })
  const values = useWatch({ control: form.control }) as Values
  const [faults, setFaults] = useState<Faults>({})
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [differing, setDiffering] = useState<Differing>()
  const [kept, setKept] = useState<Kept | undefined>(() => {
    const found = readKept(offer.id)
    return found && differences(found.draft, offer.draft).length > 0 ? found : undefined
  })

  const draft = toDraft(values, language)
  const wrongCounts = COUNTS.filter((field) => Number.isNaN(countOf(values[field])))
  const isDirty = differences(stored.draft, draft).length > 0 || wrongCounts.length > 0

  const fill = useCallback(
    (next: OfferDraft, fields: readonly DraftField[]): void => {
      const all = toValues(next, language)
      for (const field of fields) {
        if (field === 'correct_choice' || field === 'choices') {
          form.setValue('choices', all.choices)
          form.setValue('right', all.right)
        } else form.setValue(field, all[field])
      }
    },
    [form, language],
  )

  /** Joins what is stored now with what is typed. @param base what was typed upon @returns whether all fits */
  const adopt = useCallback(
    (next: StaffOffer, base: OfferDraft, mine: OfferDraft): boolean => {
      const merged = mergeDrafts(base, mine, next.draft)
      const locked = differences(mine, next.draft).filter(
        (field) => next.locked.includes(field) && !merged.taken.includes(field),
      )
      const conflicts = merged.conflicts.filter((field) => !locked.includes(field))
      storedNow.current = next
      setStored(next)
      const result = withFields(merged.draft, next.draft, locked)
      fill(result, differences(toDraft(form.getValues(), language), result))
      if (conflicts.length + merged.taken.length + locked.length > 0)
        setDiffering((before) => ({
          conflicts: [...new Set([...(before?.conflicts ?? []), ...conflicts])],
          theirs: next.draft,
          taken: [...new Set([...(before?.taken ?? []), ...merged.taken])],
          lost: { ...before?.lost, ...withFields({} as OfferDraft, mine, locked) },
        }))
      return conflicts.length + locked.length === 0
    },
    [fill, form, language],
  )

  // Another action of the screen, or somebody else, has changed the contest.
  useEffect(() => {
    const { version, draft: base } = storedNow.current
    if (offer === storedNow.current || offer.version < version) return
    adopt(offer, base, toDraft(form.getValues(), language))
  }, [offer, adopt, form, language])

  const written = JSON.stringify(draft)
  useEffect(() => {
    if (isDirty)
      keep(offer.id, {
        at: new Date(serverNow()).toISOString(),
        base: storedNow.current.draft,
        draft: JSON.parse(written) as OfferDraft,
      })
    else if (!kept) keep(offer.id, undefined)
  }, [offer.id, isDirty, written, kept])

  useEffect(() => {
    if (!isDirty) return undefined
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isDirty])

  function showFaults(found: Faults): void {
    setFaults(found)
    const [first] = (Object.keys(EMPTY_DRAFT) as DraftField[]).filter((field) => found[field] !== undefined)
    if (first) document.querySelector<HTMLElement>(`#contest-${first}`)?.focus()
  }

  function ownFaults(): Faults {
    const found = faultsOf(draft, timeZone)
    const changed = differences(storedNow.current.draft, draft)
    return Object.fromEntries([
      ...Object.entries(found)
        .filter(([field]) => changed.includes(field as DraftField))
        .map(([field, fault]) => [field, t(`faults.${fault as DraftFault}`)]),
      ...wrongCounts.map((field) => [
        field,
        isFact(field) ? t(`faults.${PRIZE_COUNTS[field][2]}`) : t('editor.wholeNumber'),
      ]),
    ]) as Faults
  }

  /** @returns whether everything is stored */
  async function save(): Promise<boolean> {
    const own = ownFaults()
    setError(undefined)
    if (Object.keys(own).length > 0) {
      setError(t('editor.wrong'))
      showFaults(own)
      return false
    }
    setFaults({})
    setDiffering(undefined)
    setBusy(true)
    try {
      await send()
      setKept(undefined)
      toast.success(t('editor.done'))
      return true
    } catch (failure) {
      if (failure !== UNDECIDED) refuse(failure)
      return false
    } finally {
      setBusy(false)
    }
  }

  /** Sends again by itself when somebody else has only changed other fields. */
  async function send(): Promise<void> {
    const sent = toDraft(form.getValues(), language)
    const { version, draft: base } = storedNow.current
    try {
      const body = { ...sent, version }
      const next = await consoleCall<StaffOffer>('PUT', `/api/staff/offers/${offer.id}/`, { body })
      adopt(next, sent, toDraft(form.getValues(), language))
      await onStored()
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.code !== 'offers.changed') throw failure
      const { current } = failure.body as unknown as OfferChanged
      if (!adopt(current, base, toDraft(form.getValues(), language))) throw UNDECIDED
      await send()
    }
  }

  /** Asks a second person for what is typed; the form then shows what is stored. @throws what the server refuses */
  async function ask(reason: string): Promise<void> {
    const own = ownFaults()
    if (Object.keys(own).length > 0) {
      showFaults(own)
      throw new ApiError({ status: 400, network: false, message: t('editor.wrong') })
    }
    const body = { ...toDraft(form.getValues(), language), version: storedNow.current.version, reason }
    await consoleCall('PUT', `/api/staff/offers/${offer.id}/`, { body })
    discard()
    setKept(undefined)
  }

  function discard(): void {
    fill(storedNow.current.draft, Object.keys(EMPTY_DRAFT) as DraftField[])
    setFaults({})
    setError(undefined)
    setDiffering(undefined)
  }

  function refuse(failure: unknown): void {
    const refusal = failure instanceof ApiError ? failure : undefined
    const fields = Object.entries(refusal?.fields ?? {}).map(([name, message]) => [
      name.split('.')[0] ?? name,
      message,
    ])
    setError(fields.length > 0 ? t('editor.wrong') : (refusal?.message ?? common('unexpected')))
    showFaults(Object.fromEntries(fields) as Faults)
    // Terms are locked, or the contest was published: the screen shows it as it is now.
    if (refusal?.status === 409) void onStored()
  }

  const clearFault = (field: DraftField): void =>
    setFaults((all) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== field)))

  function settle(field: DraftField, choice: 'mine' | 'theirs'): void {
    if (!differing) return
    if (choice === 'theirs') fill(withFields(draft, differing.theirs, [field]), [field])
    const conflicts = differing.conflicts.filter((one) => one !== field)
    setDiffering({ ...differing, conflicts })
  }

  return {
    form,
    values,
    draft,
    stored,
    faults,
    error,
    isBusy,
    isDirty,
    differing,
    kept,
    save,
    settle,
    closeDiffering: () => setDiffering(undefined),
    clearFault,
    /** For a field of the kit. @param onTyped besides */
    field: (name: Exclude<keyof Values, 'right'>, onTyped?: (typed: string) => unknown) => ({
      id: `contest-${name}`,
      error: faults[name],
      ...form.register(name, {
        onChange: ({ target }: { target: { value: string } }) => {
          clearFault(name)
          onTyped?.(target.value)
        },
      }),
    }),
    discard,
    ask,
    /** Takes up what the browser has kept, joined with what is stored now. */
    restore: () => {
      if (!kept) return
      adopt(storedNow.current, kept.base, kept.draft)
      setKept(undefined)
    },
    dropKept: () => {
      keep(offer.id, undefined)
      setKept(undefined)
    },
  }
}

export type DraftForm = ReturnType<typeof useDraft>

/** Two people have changed the same fields. */
const UNDECIDED = new Error('somebody must decide')
