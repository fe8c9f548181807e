import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_PAYMENT_COUNTRY, countriesIn, countryName } from '#shared/countries.ts'
import { type Language, LANGUAGES } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { consoleCall, downloadFile } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ReasonField, SelectField, TextAreaField, TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Facts, Fault, Hash, PreviewThenAsk, usePreview } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
import type {
  ClaimContact,
  ClaimSummary,
  ForfeitBody,
  ForfeitPreview,
  RecordBody,
} from '../claims.contract.ts'
import { DECIDED_REASONS } from '../claims.rules.ts'
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
  const actions = (
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
  useScreenActions(actions)
  return (
    <div className="grid grid-cols-1 gap-4">
      {claim.letter?.waits && <Alert tone="warning">{t('letterWaits')}</Alert>}
      {claim.letter && may('draws.claims') && !isOver && <PrintLetter path={path} />}
      {claim.is_changed && <Alert tone="warning">{t('isChanged')}</Alert>}
      {may('draws.claims') && <Contact path={path} isErased={claim.is_erased} />}
      <div className="flex flex-wrap gap-3 max-sm:*:grow">
        {actions.map(({ what, variant, label, run }) => (
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
        <Fault error={action.error} />
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
          holder,
          known.email !== null && [t('email'), known.email],
          [t('language'), known.language.toUpperCase()],
          ...(contact
            ? ([
                [t('name'), contact.name],
                [t('address'), linesOf(contact, language)],
                [t('phone'), contact.phone ?? '–'],
                [
                  t('leafHash'),
                  shown.leaf_hash === null ? t('leafWaits') : <Hash key="leaf" text={shown.leaf_hash} />,
                ],
              ] as const)
            : ([[t('contact'), t(isErased ? 'erased' : 'none')]] as const)),
        ]}
      />
      {!holder && <p>{t('nobody')}</p>}
    </>
  )
}

interface DialogProps {
  path: string
  onClose: () => void
}

/** The claim that an act is about, read when its dialog opens and after each refusal. */
const SeenClaim = ({ claim }: { claim: ClaimContact }): ReactNode => (
  <div className="grid gap-3 rounded-md bg-sunken p-4">
    <ContactFacts shown={claim} isErased={false} />
  </div>
)

function IdentityDialog({ path, onClose }: DialogProps): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  return (
    <PreviewThenAsk
      title={t('identityTitle')}
      confirm={t('identityConfirm')}
      preview={usePreview<ClaimContact>(path)}
      isReadAgain
      text={<p>{t('identityText')}</p>}
      shows={(claim) => (
        <>
          {claim.is_alone && <Alert tone="warning">{t('identityAlone')}</Alert>}
          <SeenClaim claim={claim} />
        </>
      )}
      act={({ seen }) => consoleCall('POST', `${path}identity/`, { body: { seen } })}
      done={t('identityDone')}
      onClose={onClose}
    />
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
      <Fault error={action.error} />
    </div>
  )
}

function SentDialog({ path, onClose }: DialogProps): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  return (
    <ConfirmDialog
      title={t('sentTitle')}
      confirm={t('sent')}
      act={() => consoleCall('POST', `${path}letter/sent/`)}
      done={t('sentDone')}
      onClose={onClose}
    >
      <p>{t('sentText')}</p>
    </ConfirmDialog>
  )
}

function AwardDialog({ path, onClose, draw, attempt, claim }: DialogProps & ClaimPanelProps): ReactNode {
  const t = useTranslations('consoleDraws.claim')
  const form = useFields({ delivered_on: '' })
  const number = draw.attempts.find((one) => one.attempt === attempt)?.number ?? ''
  const { winner } = claim
  const leaf = ['volant-award-v1', draw.slug, attempt, Number(number)].join(' ')
  return (
    <PreviewThenAsk
      title={t('awardTitle')}
      confirm={t('awardConfirm')}
      isDisabled={form.values.delivered_on === ''}
      action={form}
      preview={usePreview<ClaimContact>(path)}
      isReadAgain
      text={<p>{t('awardText')}</p>}
      shows={(seen) => <SeenClaim claim={seen} />}
      act={({ seen }) => consoleCall('POST', `${path}award/`, { body: { seen, ...form.values } })}
      done={t('awardDone')}
      onClose={onClose}
    >
      <TextField label={t('deliveredOn')} type="date" required {...form.field('delivered_on')} />
      <Facts
        facts={[
          [
            t('awardPublished'),
            <span key="leaf" className="grid">
              <Hash text={leaf} />
              {winner && `${winner.first_name}, ${winner.place}`}
            </span>,
          ],
        ]}
      />
    </PreviewThenAsk>
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
  const { winner, picture } = claim
  const form = useFields<RecordBody>({ ...EMPTY, ...(winner && { publish: true, ...winner }), picture })
  const optional = { mark: t('optional') }
  return (
    <ConfirmDialog
      title={t('record')}
      isDisabled={!form.values.declared}
      action={form}
      act={() => consoleCall('POST', `${path}record/`, { body: form.values })}
      done={t('recordDone')}
      onClose={onClose}
    >
      <p>{t('recordText')}</p>
      <TextField label={t('name')} {...form.field('name')} />
      <TextField label={t('street')} {...form.field('street')} />
      <TextField label={t('extra')} {...optional} {...form.field('extra')} />
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
        <TextField label={t('postcode')} {...form.field('postcode')} />
        <TextField label={t('city')} {...form.field('city')} />
      </div>
      <SelectField
        label={t('country')}
        choices={countriesIn(language).map(({ code, name }) => [code, name])}
        {...form.field('country')}
      />
      <TextField label={t('phone')} {...optional} {...form.field('phone')} />
      <Checkbox label={t('declared')} {...form.box('declared')} />
      <Checkbox label={t('publish')} {...form.box('publish')} />
      {form.values.publish && (
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          <TextField label={t('firstName')} {...form.field('first_name')} />
          <TextField label={t('place')} {...form.field('place')} />
        </div>
      )}
      <Checkbox label={t('picture')} {...form.box('picture')} />
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
  const form = useFields<ForfeitBody>({
    reason: 'under-age',
    ...allFields('statement', () => ''),
    note: '',
  })
  const { note: _, ...shown } = form.values
  const preview = usePreview<ForfeitPreview>(() =>
    consoleCall('POST', `${path}forfeit/preview/`, { body: shown }),
  )
  const known = [...DECIDED_REASONS, ...(claim.is_unproven ? (['unclaimed'] as const) : [])]
  return (
    <PreviewThenAsk
      title={t('previewTitle')}
      confirm={t('ask')}
      isDanger
      action={form}
      preview={preview}
      first={{
        title: t('forfeitTitle'),
        confirm: t('preview'),
        back: t('back'),
        fields: (
          <>
            <p>{t('forfeitText', { delay: duration(draw.terms?.alternate_delay_seconds ?? 0) })}</p>
            <SelectField
              label={t('reason')}
              choices={known.map((reason) => [
                reason,
                reason === 'unclaimed' ? t('unproven') : reasons(reason),
              ])}
              {...form.field('reason')}
            />
            {LANGUAGES.map((language) => (
              <TextAreaField
                key={language}
                label={t('statement', { language: languageOf(language) })}
                lang={language}
                rows={3}
                maxLength={2_000}
                {...form.field(`statement_${language}`)}
              />
            ))}
            <ReasonField label={t('note')} hint={t('noteHint')} required={false} {...form.field('note')} />
          </>
        ),
      }}
      shows={({ statement, sha256, decided, most, remaining }) => (
        <>
          <Facts facts={[[t('reason'), reasons(shown.reason)]]} />
          <pre className="rounded-md bg-sunken p-4 text-sm whitespace-pre-wrap wrap-anywhere">
            {statement}
          </pre>
          <Facts facts={[[t('previewHash'), <Hash key="hash" text={sha256} />]]} />
          <p>{t('previewCount', { next: decided + 1, most })}</p>
          <p>{t('previewRemaining', { remaining })}</p>
        </>
      )}
      act={() => consoleCall('POST', `${path}forfeit/`, { body: form.values })}
      done={t('asked')}
      onClose={onClose}
    />
  )
}
