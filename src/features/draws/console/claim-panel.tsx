import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_PAYMENT_COUNTRY, countriesIn, countryName } from '#shared/countries.ts'
import { type Language, LANGUAGES } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field } from '#ui/field.tsx'
import { TextArea, TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall, downloadFile } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { ConfirmDialog, Facts, ReasonField } from '#console/kit/parts.tsx'
import { useScreenActions } from '#console/kit/screen-actions.ts'
import { useAction } from '#console/kit/use-action.ts'
import { useRead } from '#console/kit/use-read.ts'
import type {
  ClaimContact,
  ClaimSummary,
  ForfeitBody,
  ForfeitPreview,
  RecordBody,
} from '../claims.contract.ts'
import { DECIDED_REASONS, type StaffReason } from '../claims.rules.ts'
import type { DrawPage } from '../draws.contract.ts'
import { useDuration } from './instant.tsx'
import { allFields } from '#shared/text-fields.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

interface ClaimPanelProps {
  draw: DrawPage
  attempt: number
  claim: ClaimSummary
}

/** Who won, for those who may know, and what staff do about the claim. */
export function ClaimPanel({ draw, attempt, claim }: ClaimPanelProps): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const may = useMay()
  const [opened, setOpened] = useState<'record' | 'identity' | 'award' | 'forfeit' | 'sent'>()
  const { state } = claim
  const path = `/api/staff/draws/${draw.offer_id}/claims/${attempt}/`
  const isOver = ['awarded', 'expired', 'forfeited'].includes(state)
  const close = (): void => setOpened(undefined)
  const deeds = (
    [
      [
        'record',
        'secondary',
        may('draws.claims') && (state === 'open' || (state === 'submitted' && claim.is_recorded)),
      ],
      ['sent', 'primary', may('draws.claims') && !isOver && isPrinted(claim)],
      ['identity', 'primary', may('draws.claims') && state === 'submitted'],
      ['award', 'primary', may('draws.award') && state === 'checked'],
      ['forfeit', 'danger', may('draws.decide') && !isOver],
    ] as const
  )
    .filter(([, , isOffered]) => isOffered)
    .map(([what, variant]) => ({ what, variant, label: t(what), run: () => setOpened(what) }))
  useScreenActions(deeds)
  return (
    <div className="grid grid-cols-1 gap-4">
      {claim.letter?.waits && <Alert tone="warning">{t('letterWaits')}</Alert>}
      {claim.letter && may('draws.claims') && !isOver && <PrintLetter path={path} />}
      {claim.is_changed && <Alert tone="warning">{t('isChanged')}</Alert>}
      {may('draws.claims') && <Contact path={path} isErased={claim.is_erased} />}
      <div className="flex flex-wrap gap-3 max-sm:*:grow">
        {deeds.map(({ what, variant, label, run }) => (
          <Button key={what} variant={variant} onClick={run}>
            {label}
          </Button>
        ))}
      </div>
      {opened === 'record' && <RecordDialog path={path} claim={claim} onClose={close} />}
      {opened === 'identity' && <IdentityDialog path={path} onClose={close} />}
      {opened === 'sent' && <SentDialog path={path} onClose={close} />}
      {opened === 'award' && (
        <AwardDialog path={path} claim={claim} draw={draw} attempt={attempt} onClose={close} />
      )}
      {opened === 'forfeit' && <ForfeitDialog path={path} draw={draw} claim={claim} onClose={close} />}
    </div>
  )
}

const linesOf = (
  { address, postcode, city, country }: NonNullable<ClaimContact['contact']>,
  language: Language,
) => [...address, [postcode, city].filter(Boolean).join(' '), countryName(country, language)].join(', ')

/** Asked for by a button, because opening it is logged. */
function Contact({ path, isErased }: { path: string; isErased: boolean }): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const action = useAction()
  const [shown, setShown] = useState<ClaimContact>()
  const show = (): Promise<boolean> => action.run(async () => setShown(await consoleCall('GET', path)))
  if (!shown)
    return (
      <div className="grid justify-items-start gap-2">
        <Button variant="secondary" busy={action.isBusy} onClick={() => void show()}>
          {t('show')}
        </Button>
        <p className="text-sm text-muted">{t('shown')}</p>
        <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
      </div>
    )
  return (
    <div className="grid justify-items-start gap-3 rounded-md bg-sunken p-4">
      <ContactFacts shown={shown} isErased={isErased} />
      <Button size="small" variant="ghost" onClick={() => setShown(undefined)}>
        {t('hide')}
      </Button>
    </div>
  )
}

function ContactFacts({ shown, isErased }: { shown: ClaimContact; isErased: boolean }): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const language = useLanguage()
  const { known, contact, user_id: user, postal_entry_id: card } = shown
  const holder: readonly [string, ReactNode] | null =
    card !== null
      ? [
          t('card'),
          <Link key="card" to={`/post/entries/${card}`} className="prose-link">
            {known.name ?? card}
          </Link>,
        ]
      : user !== null
        ? [
            t('account'),
            <Link key="account" to={`/customers/${user}`} className="prose-link">
              {known.name ?? user}
            </Link>,
          ]
        : null
  return (
    <>
      <Facts
        facts={[
          ...(holder ? [holder] : []),
          ...(known.email === null ? [] : [[t('email'), known.email] as const]),
          [t('language'), known.language.toUpperCase()],
          ...(contact
            ? ([
                [t('name'), contact.name],
                [t('address'), linesOf(contact, language)],
                [t('phone'), contact.phone ?? '–'],
              ] as const)
            : ([[t('contact'), t(isErased ? 'erased' : 'none')]] as const)),
        ]}
      />
      {!holder && <p>{t('nobody')}</p>}
    </>
  )
}

/** The claim that an act is about, read when its dialog opens and after each refusal, because it may have changed. */
function useSeen(path: string): {
  claim: ClaimContact | undefined
  error: string | undefined
  again: () => void
} {
  const [tries, setTries] = useState(0)
  const { answer, error } = useRead<ClaimContact>(path, tries)
  return { claim: answer, error, again: () => setTries(tries + 1) }
}

interface DialogProps {
  path: string
  onClose: () => void
}

function IdentityDialog({ path, onClose }: DialogProps): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const action = useAction()
  const seen = useSeen(path)
  async function confirm(): Promise<boolean> {
    const body = { seen: seen.claim?.seen ?? '' }
    const isDone = await action.run(
      () => consoleCall('POST', `${path}identity/`, { body }),
      t('identityDone'),
    )
    if (!isDone) seen.again()
    return isDone
  }
  return (
    <ConfirmDialog
      title={t('identityTitle')}
      confirm={t('identityConfirm')}
      isDisabled={!seen.claim}
      action={action}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>{t('identityText')}</p>
      {seen.claim?.is_alone && <Alert tone="warning">{t('identityAlone')}</Alert>}
      <SeenClaim seen={seen} />
    </ConfirmDialog>
  )
}

/** The letter to the winner, printed and not noted as posted. */
const isPrinted = ({ letter }: ClaimSummary): boolean =>
  letter !== null && letter.printed_at !== null && letter.sent_at === null

function PrintLetter({ path }: { path: string }): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const action = useAction()
  return (
    <div className="grid justify-items-start gap-2">
      <Button
        variant="secondary"
        busy={action.isBusy}
        onClick={() => void action.run(() => downloadFile('POST', `${path}letter/`))}
      >
        {t('letter')}
      </Button>
      <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
    </div>
  )
}

function SentDialog({ path, onClose }: DialogProps): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const action = useAction()
  return (
    <ConfirmDialog
      title={t('sentTitle')}
      confirm={t('sent')}
      action={action}
      onClose={onClose}
      onConfirm={() => action.run(() => consoleCall('POST', `${path}letter/sent/`), t('sentDone'))}
    >
      <p>{t('sentText')}</p>
    </ConfirmDialog>
  )
}

function SeenClaim({ seen: { claim, error } }: { seen: ReturnType<typeof useSeen> }): ReactNode {
  return (
    <div className="grid gap-3 rounded-md bg-sunken p-4">
      {claim && <ContactFacts shown={claim} isErased={false} />}
      {error !== undefined && <Alert tone="error">{error}</Alert>}
    </div>
  )
}

function AwardDialog({ path, onClose, draw, attempt, claim }: DialogProps & ClaimPanelProps): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const action = useAction()
  const seen = useSeen(path)
  const [day, setDay] = useState('')
  const number = draw.attempts.find((one) => one.attempt === attempt)?.number ?? ''
  const { winner } = claim
  const leaf = ['volant-award-v1', draw.slug, attempt, Number(number)].join(' ')
  async function confirm(): Promise<boolean> {
    const body = { seen: seen.claim?.seen ?? '', delivered_on: day }
    const isDone = await action.run(() => consoleCall('POST', `${path}award/`, { body }), t('awardDone'))
    if (!isDone) seen.again()
    return isDone
  }
  return (
    <ConfirmDialog
      title={t('awardTitle')}
      confirm={t('awardConfirm')}
      isDisabled={day === '' || !seen.claim}
      action={action}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>{t('awardText')}</p>
      <SeenClaim seen={seen} />
      <Field label={t('deliveredOn')} error={action.fields['delivered_on']}>
        {(ids) => (
          <TextInput
            {...ids}
            type="date"
            required
            value={day}
            onChange={(event) => setDay(event.target.value)}
          />
        )}
      </Field>
      <Facts
        facts={[
          [
            t('awardPublished'),
            <span key="leaf" className="grid">
              <code className="text-xs wrap-anywhere">{leaf}</code>
              {winner && `${winner.first_name}, ${winner.place}`}
            </span>,
          ],
        ]}
      />
    </ConfirmDialog>
  )
}

const EMPTY: RecordBody = {
  name: '',
  street: '',
  extra: '',
  postcode: '',
  city: '',
  country: DEFAULT_PAYMENT_COUNTRY,
  phone: '',
  publish: false,
  first_name: '',
  place: '',
  picture: false,
  declared: false,
}

function RecordDialog({ path, claim, onClose }: DialogProps & { claim: ClaimSummary }): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const language = useLanguage()
  const action = useAction()
  const { winner, picture } = claim
  const [typed, setTyped] = useState<RecordBody>({
    ...EMPTY,
    ...(winner && { publish: true, ...winner }),
    picture,
  })
  const change = (part: Partial<RecordBody>): void => setTyped({ ...typed, ...part })
  const text = (
    name: 'name' | 'street' | 'extra' | 'postcode' | 'city' | 'phone' | 'first_name' | 'place',
    isOptional = false,
  ): ReactNode => (
    <Field
      label={t(name === 'first_name' ? 'firstName' : name)}
      error={action.fields[name]}
      {...(isOptional && { mark: t('optional') })}
    >
      {(ids) => (
        <TextInput
          {...ids}
          value={typed[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <ConfirmDialog
      title={t('record')}
      confirm={t('record')}
      isDisabled={!typed.declared}
      action={action}
      onClose={onClose}
      onConfirm={() =>
        action.run(() => consoleCall('POST', `${path}record/`, { body: typed }), t('recordDone'))
      }
    >
      <p>{t('recordText')}</p>
      {text('name')}
      {text('street')}
      {text('extra', true)}
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
        {text('postcode')}
        {text('city')}
      </div>
      <Field label={t('country')} error={action.fields['country']}>
        {(ids) => (
          <Select
            {...ids}
            value={typed.country}
            onChange={(event) => change({ country: event.target.value })}
          >
            {countriesIn(language).map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {text('phone', true)}
      <Checkbox
        label={t('declared')}
        checked={typed.declared}
        onChange={(declared) => change({ declared })}
      />
      <Checkbox label={t('publish')} checked={typed.publish} onChange={(publish) => change({ publish })} />
      {typed.publish && (
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          {text('first_name')}
          {text('place')}
        </div>
      )}
      <Checkbox
        label={t('picture')}
        checked={typed.picture}
        onChange={(allowed) => change({ picture: allowed })}
      />
    </ConfirmDialog>
  )
}

/** Two steps: the text, then what is published, before a second person is asked. */
function ForfeitDialog({
  path,
  draw,
  claim,
  onClose,
}: DialogProps & Omit<ClaimPanelProps, 'attempt'>): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const reasons = useTranslations('consoleDraws.reasons')
  const languageOf = useLanguageName()
  const duration = useDuration()
  const action = useAction()
  const [typed, setTyped] = useState<ForfeitBody>({
    reason: 'under-age',
    ...allFields('statement', () => ''),
    note: '',
  })
  const [preview, setPreview] = useState<ForfeitPreview>()
  const change = (part: Partial<ForfeitBody>): void => setTyped({ ...typed, ...part })
  const delay = duration(draw.terms?.alternate_delay_seconds ?? 0)

  async function confirm(): Promise<boolean> {
    const { note: _, ...shown } = typed
    if (!preview) {
      await action.run(async () =>
        setPreview(await consoleCall('POST', `${path}forfeit/preview/`, { body: shown })),
      )
      return false
    }
    return await action.run(async () => {
      await consoleCall('POST', `${path}forfeit/`, { body: typed })
      toast.success(t('asked'))
    })
  }

  return (
    <ConfirmDialog
      title={preview ? t('previewTitle') : t('forfeitTitle')}
      confirm={preview ? t('ask') : t('preview')}
      isDanger={preview !== undefined}
      action={action}
      onClose={onClose}
      onConfirm={confirm}
    >
      {preview ? (
        <>
          <Facts facts={[[t('reason'), reasons(typed.reason)]]} />
          <pre className="rounded-md bg-sunken p-4 text-sm whitespace-pre-wrap wrap-anywhere">
            {preview.statement}
          </pre>
          <Facts
            facts={[
              [
                t('previewHash'),
                <code key="hash" className="text-xs wrap-anywhere">
                  {preview.sha256}
                </code>,
              ],
            ]}
          />
          <p>{t('previewCount', { next: preview.decided + 1, most: preview.most })}</p>
          <p>{t('previewRemaining', { remaining: preview.remaining })}</p>
          <Button
            size="small"
            variant="ghost"
            className="justify-self-start"
            onClick={() => setPreview(undefined)}
          >
            {t('back')}
          </Button>
        </>
      ) : (
        <>
          <p>{t('forfeitText', { delay })}</p>
          <Field label={t('reason')} error={action.fields['reason']}>
            {(ids) => (
              <Select
                {...ids}
                value={typed.reason}
                onChange={(event) => change({ reason: event.target.value as StaffReason })}
              >
                {DECIDED_REASONS.map((reason) => (
                  <option key={reason} value={reason}>
                    {reasons(reason)}
                  </option>
                ))}
                {claim.is_unproven && <option value="unclaimed">{t('unproven')}</option>}
              </Select>
            )}
          </Field>
          {LANGUAGES.map((language) => (
            <Field
              key={language}
              label={t('statement', { language: languageOf(language) })}
              error={action.fields[`statement_${language}`]}
            >
              {(ids) => (
                <TextArea
                  {...ids}
                  lang={language}
                  rows={3}
                  maxLength={2_000}
                  value={typed[`statement_${language}`]}
                  onChange={(event) => change({ [`statement_${language}`]: event.target.value })}
                />
              )}
            </Field>
          ))}
          <ReasonField
            label={t('note')}
            hint={t('noteHint')}
            error={action.fields['note']}
            required={false}
            value={typed.note}
            onChange={(note) => change({ note })}
          />
        </>
      )}
    </ConfirmDialog>
  )
}
