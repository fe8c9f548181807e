import { Download } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useSearchParams } from 'react-router'
import { failureOf } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { browserSession, failureTexts } from '#client/browser.ts'
import { type ClaimApi, type ClaimSource, claimApi } from '#features/draws/claims.api.ts'
import { useCountryNames } from '#client/country-names.ts'
import { canonicalPath, paths } from '#client/paths.ts'
import { saveFile } from '#client/save-file.ts'
import { useSettings } from '#client/shell.ts'
import { toast } from '#client/toast.ts'
import { useLinkToken } from '#features/accounts/screens/link-token.ts'
import { Countdown } from '#features/offers/screens/countdown.tsx'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime, formatDay } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge, type Tone } from '#ui/badge.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Plate } from '#ui/plate.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { Claim } from '../claims.contract.ts'
import type { ClaimState } from '../claims.rules.ts'
import { ClaimFields, ConsentFields } from './claim-forms.tsx'

/** The page on which a winner claims the prize, by the link of an email or as the account that has the number. */
export function ClaimPage(): ReactNode {
  const t = useTranslations('drawClaims')
  const token = useLinkToken()
  const contest = useSearchParams()[0].get('contest') ?? ''
  if (token === undefined) return <Loading />
  if (token !== '') return <ClaimOf key={token} source={{ token }} />
  if (contest !== '') return <ClaimOf key={contest} source={{ contest }} />
  return (
    <EmptyState
      as="h1"
      className="page-width"
      title={t('noLinkTitle')}
      text={t('noLink')}
      action={
        <div className="grid justify-items-center gap-8">
          <AppLink to={paths.participations()} className={buttonClasses('secondary')}>
            {t('login')}
          </AppLink>
          <CodeForm />
        </div>
      }
    />
  )
}

/** For the code of a letter, without the address that a phone reads. */
function CodeForm(): ReactNode {
  const t = useTranslations('drawClaims')
  const [code, setCode] = useState('')
  const open = (): void => {
    window.location.hash = code.replaceAll(/\s/g, '')
  }
  return (
    <form action={open} className="grid w-full max-w-md gap-3 text-left">
      <Field label={t('letterCode')}>
        {(ids) => (
          <TextInput
            {...ids}
            required
            autoComplete="off"
            spellCheck={false}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit">{t('openClaim')}</Button>
    </form>
  )
}

const Loading = (): ReactNode => (
  <LoadingRegion text={useTranslations('drawClaims')('loading')}>
    <div className="page-width grid gap-6 py-8 sm:py-12">
      <Skeleton className="h-12" />
      <Skeleton className="h-96" />
    </div>
  </LoadingRegion>
)

type Read = { claim: Claim } | { failure: string } | 'loggedOut'

function ClaimOf({ source }: { source: ClaimSource }): ReactNode {
  const t = useTranslations('drawClaims')
  const [read, setRead] = useState<Read>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isCurrent = true
    const show = (found: Read): void => {
      if (isCurrent) setRead(found)
    }
    const load = async (): Promise<void> => {
      if ('contest' in source && !(await browserSession().ensure())) return show('loggedOut')
      try {
        show({ claim: await claimApi(source).read() })
      } catch (error) {
        show({ failure: failureOf(error, failureTexts()).message })
      }
    }
    void load()
    return () => {
      isCurrent = false
    }
    // oxlint-disable-next-line react/exhaustive-deps -- another source is another component
  }, [tries])
  if (!read) return <Loading />
  if (read === 'loggedOut')
    return (
      <EmptyState
        as="h1"
        className="page-width"
        title={t('noLinkTitle')}
        text={t('noLink')}
        action={
          <AppLink
            to={paths.login({ next: paths.claim('contest' in source ? source : {}) })}
            className={buttonClasses()}
          >
            {t('login')}
          </AppLink>
        }
      />
    )
  if ('failure' in read)
    return (
      <div role="alert">
        <EmptyState
          as="h1"
          className="page-width"
          title={t('failedTitle')}
          text={read.failure}
          action={
            <Button variant="secondary" onClick={() => setTries(tries + 1)}>
              {t('retry')}
            </Button>
          }
        />
      </div>
    )
  return <Shown claim={read.claim} api={claimApi(source)} onChange={(claim) => setRead({ claim })} />
}

const TONES: Record<ClaimState, Tone> = {
  open: 'signal',
  submitted: 'success',
  checked: 'success',
  awarded: 'success',
  expired: 'warning',
  forfeited: 'warning',
}
const IS_LOST: readonly ClaimState[] = ['expired', 'forfeited']

interface ShownProps {
  claim: Claim
  api: ClaimApi
  onChange: (claim: Claim) => void
}

function Shown({ claim, api, onChange }: ShownProps): ReactNode {
  const t = useTranslations('drawClaims')
  const language = useLanguage()
  const { contactEmail, timeZone } = useSettings()
  const [isEditing, setEditing] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const { state, contest, number, drawn_at, until } = claim
  const isLost = IS_LOST.includes(state)
  const title = localized(contest, 'title', language).text
  const lead = t('lead', { title, date: formatDateTime(drawn_at, timeZone) })

  /** Shows what was stored; the form that had the focus may be gone. */
  function show(next: Claim, text: string): void {
    flushSync(() => {
      setEditing(false)
      onChange(next)
    })
    place.current?.querySelector('h1')?.focus()
    toast.success(text)
  }

  return (
    <div ref={place} className="page-width grid max-w-3xl grid-cols-1 gap-8 py-8 sm:py-12">
      {isLost ? (
        <>
          <PageHeader title={t('noLinkTitle')} lead={lead} />
          <p>
            <Plate size="large" label={t('numberLabel', { number })} isVoid>
              {number}
            </Plate>
          </p>
        </>
      ) : (
        <Prize claim={claim} title={title} lead={lead} />
      )}
      <div className="grid justify-items-start gap-3">
        <Badge tone={TONES[state]}>{t(`states.${state}`)}</Badge>
        {state === 'open' && (
          <>
            <p className="text-lg font-semibold">
              {t.rich('timeLeft', { time: () => <Countdown end={until} /> })}
            </p>
            <p className="sr-only">
              <ZonedTime iso={until} />
            </p>
            <p>{t('until', { until: formatDateTime(until, timeZone) })}</p>
          </>
        )}
        <StateText claim={claim} />
      </div>
      {(state === 'open' || isEditing) && (
        <ClaimFields
          claim={claim}
          submit={async (values) =>
            show(await api.submit(values), t(state === 'open' ? 'submitted' : 'saved'))
          }
        />
      )}
      {(state === 'submitted' || state === 'checked') && !isEditing && (
        <>
          <Receipt claim={claim} />
          <Details claim={claim} />
          <Button variant="secondary" className="justify-self-start" onClick={() => setEditing(true)}>
            {t('edit')}
          </Button>
        </>
      )}
      {state === 'awarded' && <Receipt claim={claim} />}
      {(state === 'checked' || state === 'awarded') && !isEditing && (
        <ConsentFields claim={claim} submit={async (values) => show(await api.consent(values), t('saved'))} />
      )}
      {!isLost && state !== 'awarded' && <Steps claim={claim} />}
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <a href={canonicalPath(paths.draw(contest.slug), language)} className="prose-link py-2">
          {t('seeDraw')}
        </a>
        <p className="text-muted">{t('write', { email: contactEmail })}</p>
      </div>
    </div>
  )
}

/** What has been won, with the picture of the email that led here, and the number that won it. */
function Prize({ claim, title, lead }: { claim: Claim; title: string; lead: string }): ReactNode {
  const t = useTranslations('drawClaims')
  const { contest, number } = claim
  return (
    <div className="overflow-hidden rounded-lg bg-asphalt text-paper">
      {contest.picture !== null && (
        <img src={contest.picture} alt={title} width="1200" height="630" className="w-full bg-sunken" />
      )}
      <div className="grid justify-items-start gap-4 p-5 sm:p-6">
        <h1 tabIndex={-1} className="text-headline">
          {t('title')}
        </h1>
        <p className="text-lg text-balance">{lead}</p>
        <Plate size={number.length > 5 ? 'large' : 'hero'} label={t('numberLabel', { number })}>
          {number}
        </Plate>
      </div>
    </div>
  )
}

function StateText({ claim }: { claim: Claim }): ReactNode {
  const t = useTranslations('drawClaims.texts')
  const { timeZone } = useSettings()
  const { state, reason, submitted_at: at, delivered_on: day } = claim
  switch (state) {
    case 'open':
      return null
    case 'submitted':
      return (
        <Alert tone="success">
          {t('submitted', { date: at === null ? '' : formatDateTime(at, timeZone) })}
        </Alert>
      )
    case 'awarded':
      return <Alert tone="success">{t('awarded', { date: day === null ? '' : formatDay(day) })}</Alert>
    case 'forfeited':
      return (
        <Alert tone="warning">{t(reason === null || reason === 'voided' ? 'voided' : 'forfeited')}</Alert>
      )
    default:
      return <Alert tone={state === 'expired' ? 'warning' : 'success'}>{t(state)}</Alert>
  }
}

function Details({ claim: { contact, winner, picture } }: { claim: Claim }): ReactNode {
  const t = useTranslations('drawClaims')
  const answer = useTranslations('drawClaims.answers')
  const nameOf = useCountryNames()
  if (!contact) return null
  const { name, address, postcode, city, country, phone } = contact
  const facts: [string, string][] = [
    [t('name'), name],
    [t('address'), [...address, [postcode, city].filter(Boolean).join(' '), nameOf(country)].join(', ')],
    [t('phone'), phone ?? '–'],
    [t('publish'), winner ? `${winner.first_name}, ${winner.place}` : answer('no')],
    [t('picture'), answer(picture ? 'yes' : 'no')],
  ]
  return (
    <Card className="p-4 sm:p-6">
      <h2 className="mb-4 text-title">{t('yourDetails')}</h2>
      <dl className="grid grid-cols-1 gap-3">
        {facts.map(([term, text]) => (
          <div key={term}>
            <dt className="text-sm text-muted">{term}</dt>
            <dd className="wrap-anywhere">{text}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** The two files that prove that the claim was received. */
function Receipt({ claim: { receipt, contact } }: { claim: Claim }): ReactNode {
  const t = useTranslations('drawClaims.receipt')
  // Of an erased claim there is none.
  if (!contact) return null
  const save = (name: 'claim' | 'checkpoint', text: string): void =>
    saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), `${name}.txt`)
  return (
    <Card className="grid grid-cols-1 gap-4 p-4 sm:p-6">
      <h2 className="text-title">{t('title')}</h2>
      {receipt ? (
        <>
          <p className="max-w-prose">{t('text')}</p>
          <div className="flex flex-wrap gap-3">
            {(['claim', 'checkpoint'] as const).map((name) => (
              <Button key={name} variant="secondary" onClick={() => save(name, receipt[name])}>
                <Download aria-hidden="true" className="size-5 shrink-0" />
                {t('save', { name: `${name}.txt` })}
              </Button>
            ))}
          </div>
          <p className="font-mono text-xs wrap-anywhere text-muted">{t('hash', { hash: receipt.hash })}</p>
        </>
      ) : (
        <p className="max-w-prose">{t('waits')}</p>
      )}
    </Card>
  )
}

const STEPS = ['claim', 'contact', 'identity', 'handover'] as const
/** How many of them are done. */
const DONE: Partial<Record<ClaimState, number>> = { submitted: 1, checked: 3 }

function Steps({ claim: { state, prove_until: until } }: { claim: Claim }): ReactNode {
  const t = useTranslations('drawClaims.steps')
  const { timeZone } = useSettings()
  const values = { proveUntil: formatDateTime(until, timeZone) }
  return (
    <section className="grid gap-3">
      <h2 className="text-title">{t('title')}</h2>
      <ol className="grid list-decimal grid-cols-1 gap-2 pl-6">
        {STEPS.slice(DONE[state] ?? 0).map((step) => (
          <li key={step}>{t(step, values)}</li>
        ))}
      </ol>
    </section>
  )
}
