import { ArrowLeft, CircleCheck, CircleDashed, CircleDot, CircleX, Radio } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useState, useTransition } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { useEnding, useHasEnded } from '#features/offers/screens/live-offers.ts'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { SLIDE_SIZES, shownPictures } from '#features/offers/screens/pictures.ts'
import { PriceCountry, PricePair } from '#features/offers/screens/price-pair.tsx'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { ChangeView } from '#ui/change-view.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { filesOf, rehearsalQuery } from '../public-draws.rules.ts'
import { type Step, nextStep, publicSteps } from '../timeline.rules.ts'
import { Clock, DrawInstant, Fact, FileLink, Hash, StateBadge } from './draw-parts.tsx'
import { DrawResult } from './draw-result.tsx'
import { DrawTerms } from './draw-terms.tsx'
import { useLiveDraw } from './live-draw.ts'
import { OtherVerifiers } from './other-verifiers.tsx'
import { RehearsalMarks } from './rehearsal-marks.tsx'
import { RunningDraw } from './running-draw.tsx'
import { useProofFragment } from './use-proof-fragment.ts'
import { languageName } from '#i18n/language-name.ts'

/** How often the page asks around an awaited step. */
const NEAR_MS = 4_000

/** The public page of a contest. */
export function DrawPage({ draw: loaded }: { draw: PublicDraw }): ReactNode {
  const draw = useLiveDraw(loaded, NEAR_MS)
  const t = useTranslations('draws')
  const { contest } = draw
  const title = localized(contest, 'title', useLanguage())
  const [picture] = shownPictures(contest)
  const hasEnded = useHasEnded(draw.closes_at)
  // Stopped, a contest may sell again before its end.
  const isRunning = (draw.state === 'open' || draw.stopped) && !hasEnded && !draw.rehearsal
  return (
    <div className="relative">
      {draw.rehearsal && (
        <div className="page-width pt-6">
          <RehearsalMarks />
        </div>
      )}
      <article className="page-width @container grid grid-cols-1 gap-6 py-6">
        <AppLink
          to={paths.draws()}
          className="inline-flex min-h-11 w-fit items-center gap-2 text-sm underline-offset-4 hover:underline print:hidden"
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
          {t('all')}
        </AppLink>
        <header className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <h1 lang={title.language} tabIndex={-1} className="text-headline">
            {title.text}
          </h1>
          <StateBadge state={draw.state} />
          <p role="status" className="sr-only">
            {draw.state !== loaded.state && t(`states.${draw.state}`)}
          </p>
        </header>
        <Notices draw={draw} />
        {!draw.rehearsal && <OwnTicket draw={draw} />}
        {isRunning ? (
          <RunningDraw
            draw={draw}
            proofs={
              <>
                <Entries draw={draw} />
                <ProofSection draw={draw} />
                <BeaconSection draw={draw} />
                <DrawTerms draw={draw} />
              </>
            }
          >
            <Description draw={draw} />
            <Timeline draw={draw} />
            <Changes draw={draw} />
          </RunningDraw>
        ) : (
          <>
            <div className="grid grid-cols-1 items-start gap-6 @4xl:grid-cols-[minmax(0,1fr)_23rem] @4xl:gap-10">
              <div className="aspect-[8/5] overflow-hidden rounded-lg bg-sunken">
                {picture && <OfferPicture picture={picture} sizes={SLIDE_SIZES} loading="first" />}
              </div>
              <div className="@4xl:sticky @4xl:top-20 @4xl:row-span-2">
                {!draw.rehearsal && <TakePart draw={draw} />}
              </div>
              <div className="grid grid-cols-1 gap-8">
                <DrawResult draw={draw} />
                <Timeline draw={draw} />
              </div>
            </div>
            <div className="grid max-w-4xl grid-cols-1 gap-10 pt-4">
              <Entries draw={draw} />
              <ProofSection draw={draw} />
              <BeaconSection draw={draw} />
              <DrawTerms draw={draw} />
              <Description draw={draw} />
              <Changes draw={draw} />
            </div>
          </>
        )}
      </article>
    </div>
  )
}

/** What is late, and why there will be no draw. */
function Notices({ draw: { delay, cancelled, changes, draw_at, state } }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  return (
    <>
      {cancelled && (
        <Alert tone="warning" title={t(`cancelled.${cancelled.reason}`)}>
          {cancelled.words !== '' && <p lang={DEFAULT_LANGUAGE}>{cancelled.words}</p>}
          <DrawInstant iso={cancelled.at} />
        </Alert>
      )}
      <div role="status">
        {delay && (
          <Alert tone="warning" title={t('delays.title')}>
            {t(`delays.${delay}`)}
          </Alert>
        )}
      </div>
      {draw_at === null && state !== 'cancelled' && <Alert>{t('noDraw')}</Alert>}
      {changes.length > 0 && (
        <Alert>
          {t('changes.notice')}{' '}
          <a href="#changes" className="prose-link">
            {t('changes.see')}
          </a>
        </Alert>
      )}
    </>
  )
}

/** Prize, price, end and odds, with the way to the guarded page where tickets are bought. */
function TakePart({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const tOffers = useTranslations('offers')
  const language = useLanguage()
  const contest = useEnding(draw.contest)
  const closed = whyNotBuyable(contest)
  const reason = draw.state === 'cancelled' ? 'cancelled' : draw.stopped ? 'stopped' : closed
  const step = nextStep(draw)
  return (
    <Card role="region" aria-label={t('takePart.label')} className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      {step && (
        <div className="grid gap-1">
          <p className="text-sm text-muted">{t(`next.${step.name}`)}</p>
          <p className="font-wide text-title">
            <Clock at={step.at} />
          </p>
          <p className="text-sm">
            <DrawInstant iso={step.at} />
          </p>
        </div>
      )}
      <div className="grid gap-2">
        <p className="text-sm text-muted">{tOffers('price.ticket')}</p>
        <PricePair ticketPrice={contest.ticket_price} />
        <PriceCountry />
      </div>
      <dl className="grid grid-cols-1 gap-4">
        {contest.prize_value !== null && (
          <Fact term={t('facts.prizeValue')}>{formatEur(contest.prize_value, language)}</Fact>
        )}
        <Fact term={t('facts.sold')}>
          {t('soldOf', { sold: contest.tickets_sold, total: contest.total_tickets })}
        </Fact>
        <Odds draw={draw} isOpen={!closed || draw.stopped} />
      </dl>
      {reason ? (
        <p className="font-semibold">{t(`takePart.${reason}`)}</p>
      ) : (
        <AppLink to={paths.offer(contest.slug)} className={buttonClasses('primary', 'large', { wide: true })}>
          {t('takePart.action')}
        </AppLink>
      )}
    </Card>
  )
}

/**
 * Never better than what is true now: a void number only makes the odds of the others better. Without an entry to draw there
 * are none.
 */
function Odds({ draw, isOpen }: { draw: PublicDraw; isOpen: boolean }): ReactNode {
  const t = useTranslations('draws')
  const { tickets_sold: sold, total_tickets: total } = draw.contest
  const valid = (draw.sealed ?? draw.provisional)?.valid
  if (draw.cancelled || (valid ?? (isOpen ? 1 : sold)) === 0) return null
  return (
    <Fact term={t('facts.odds')}>
      {draw.sealed
        ? t('odds.sealed', { valid: draw.sealed.valid })
        : isOpen
          ? t('odds.open', { total, now: sold + 1 })
          : t('odds.closed', { sold: valid ?? sold })}
    </Fact>
  )
}

const MARKS: Record<Step['state'], typeof CircleDot> = {
  done: CircleCheck,
  current: CircleDot,
  coming: CircleDashed,
  off: CircleX,
}

function Timeline({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  return (
    <section aria-labelledby="steps" className="grid grid-cols-1 gap-4">
      <h2 id="steps" className="text-title">
        {t('steps.title')}
      </h2>
      <ol className="grid grid-cols-1 gap-4">
        {publicSteps(draw).map(({ name, at, state, atLatest }, index) => {
          const Mark = MARKS[state]
          return (
            <li key={index} className="flex gap-3" aria-current={state === 'current' ? 'step' : undefined}>
              <Mark
                aria-hidden="true"
                className={`mt-1 size-5 shrink-0 ${state === 'done' ? 'text-success' : state === 'current' ? 'text-signal' : 'text-muted'}`}
              />
              <div className="grid min-w-0 grid-cols-1">
                <p className="font-semibold">
                  {t(`steps.${name}.name`)}
                  <span className="sr-only"> ({t(`steps.${state}`)})</span>
                </p>
                {at !== null && (
                  <p className="flex flex-wrap gap-x-2">
                    {atLatest && state !== 'done' && <span>{t('steps.atLatest')}</span>}
                    <DrawInstant iso={at} />
                  </p>
                )}
                {(name !== 'opened' || draw.log) && (
                  <p className="text-sm text-muted">{t(`steps.${name}.text`)}</p>
                )}
                {name === 'objections' && state === 'current' && (
                  <AppLink
                    to={paths.contact()}
                    className="prose-link inline-flex min-h-11 w-fit items-center"
                  >
                    {t('steps.object')}
                  </AppLink>
                )}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

/** The log and the lists, as figures, hashes and files. */
function Entries({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const { log, provisional, sealed, rehearsal } = draw
  if (!log && !provisional) return null
  const file = (name: string) => filesOf(draw) + name
  const lists = [
    { list: sealed, name: 'list.txt', label: 'facts.sealedList' },
    { list: provisional, name: 'provisional.txt', label: 'facts.provisionalList' },
  ] as const
  return (
    <section aria-labelledby="entries" className="grid grid-cols-1 gap-4">
      <h2 id="entries" className="text-title">
        {t('entries.title')}
      </h2>
      <p className="max-w-prose text-muted">{t('entries.text')}</p>
      {lists.map(
        ({ list, name, label }) =>
          list && (
            <Card key={name} className="grid grid-cols-1 gap-3 p-5">
              <h3 className="text-lg">{t(label)}</h3>
              <dl className="grid grid-cols-1 gap-3">
                <Fact term={t('entries.published')}>
                  <DrawInstant iso={list.at} />
                </Fact>
                <Fact term={t('facts.entries')}>
                  {t('counts', { paid: list.paid, postal: list.postal, demo: list.demo, valid: list.valid })}
                </Fact>
                <Fact term={t('entries.listHash')}>
                  <Hash value={list.hash} label={t('entries.listHash')} />
                </Fact>
                {list.root !== null && (
                  <Fact term={t('entries.listRoot')}>
                    <Hash value={list.root} label={t('entries.listRoot')} />
                  </Fact>
                )}
              </dl>
              <FileLink href={file(name)}>{t('entries.download', { name })}</FileLink>
            </Card>
          ),
      )}
      {log && (
        <Card className="grid grid-cols-1 gap-3 p-5">
          <h3 className="text-lg">{t('entries.log')}</h3>
          <dl className="grid grid-cols-1 gap-3">
            <Fact term={t('entries.size')}>
              {t('entries.sizeText', { size: log.size, entries: log.entries })}
            </Fact>
            <Fact term={t('entries.root')}>
              <Hash value={log.root} label={t('entries.root')} />
            </Fact>
            <Fact term={t('entries.checkpoint')}>
              <DrawInstant iso={log.checkpoint_at} />
            </Fact>
            {draw.witnesses.map(({ name, key, size }) => (
              <Fact key={key} term={t('entries.witness', { name, size })}>
                <Hash value={key} label={name} />
              </Fact>
            ))}
          </dl>
          <p className="flex flex-wrap gap-x-6">
            <FileLink href={file('log.txt')}>{t('entries.download', { name: 'log.txt' })}</FileLink>
            <FileLink href={file('checkpoints.txt')}>
              {t('entries.download', { name: 'checkpoints.txt' })}
            </FileLink>
            {!rehearsal && <FileLink href={file('checkpoint')}>{t('entries.checkpoint')}</FileLink>}
          </p>
        </Card>
      )}
    </section>
  )
}

const DrawTicket = lazy(async () => ({ default: (await import('./draw-check.tsx')).DrawTicket }))
const DrawCheck = lazy(async () => ({ default: (await import('./draw-check.tsx')).DrawCheck }))

/** The ticket whose proof link opened the page, where nobody has to look for it. */
function OwnTicket({ draw: { contest } }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.proof')
  const proof = useProofFragment()
  if (proof === undefined) return null
  return (
    <Suspense fallback={<p role="status">{t('loading')}</p>}>
      <DrawTicket contest={contest.slug} proof={proof} total={contest.total_tickets} />
    </Suspense>
  )
}

function ProofSection({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.proof')
  const { contest, log, rehearsal } = draw
  const [isAsked, setAsked] = useState(false)
  // The link stays, with its focus, until what takes its place is there.
  const [isLoading, startLoading] = useTransition()
  if (!log) return null
  const evidence = `${filesOf(draw)}${contest.slug}-${rehearsal ? 'rehearsal' : 'evidence'}.zip`
  return (
    <section aria-labelledby="verify" className="grid grid-cols-1 gap-3">
      <h2 id="verify" className="text-title">
        {t('title')}
      </h2>
      <p className="max-w-prose text-muted">{t('text')}</p>
      <p role="status" className="sr-only">
        {isLoading && t('loading')}
      </p>
      {isAsked ? (
        <DrawCheck evidence={evidence} />
      ) : (
        <AppLink
          to={paths.verifyDraw()}
          className={buttonClasses('primary', 'medium', { className: 'justify-self-start' })}
          onClick={(event) => {
            event.preventDefault()
            startLoading(() => setAsked(true))
          }}
        >
          {t('verify')}
        </AppLink>
      )}
      <p className="flex flex-wrap items-center gap-x-6">
        <FileLink href={evidence}>{t('evidence')}</FileLink>
        <AppLink
          to={paths.liveDraw(contest.slug) + rehearsalQuery(rehearsal)}
          className="inline-flex min-h-11 items-center gap-2 underline"
        >
          <Radio aria-hidden="true" className="size-4 shrink-0" />
          {t('live')}
        </AppLink>
      </p>
      <OtherVerifiers />
    </section>
  )
}

/** Relays of the League of Entropy that do not belong to the shop. */
const RELAYS = ['https://api.drand.sh', 'https://drand.cloudflare.com'] as const

function BeaconSection({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.beacon')
  const { beacon, attempts } = draw
  if (!beacon) return null
  const { chain, key, genesis, period } = beacon
  const rounds = attempts.length > 0 ? attempts : [{ attempt: 0, round: beacon.round }]
  const { round } = rounds.at(-1)!
  const command = (relay: string, asked: number): string => `curl ${relay}/${chain}/public/${asked}`
  return (
    <section aria-labelledby="beacon" className="grid grid-cols-1 gap-3">
      <h2 id="beacon" className="text-title">
        {t('title')}
      </h2>
      <p className="max-w-prose text-muted">{t('text', { round: String(round) })}</p>
      <dl className="grid grid-cols-1 gap-3">
        <Fact term={t('chain')}>
          <Hash value={chain} label={t('chain')} />
        </Fact>
        <Fact term={t('key')}>
          <Hash value={key} label={t('key')} />
        </Fact>
        <Fact term={t('clock')}>{t('clockText', { genesis: String(genesis), period })}</Fact>
      </dl>
      {beacon.public ? (
        <details className="rounded-md border border-line bg-surface">
          <summary className="flex min-h-12 items-center px-4 py-2 font-semibold">{t('elsewhere')}</summary>
          <div className="grid grid-cols-1 gap-3 border-t border-line p-4">
            {rounds.map((one) => (
              <div key={one.attempt} className="grid grid-cols-1 gap-2">
                <p className="max-w-prose">
                  {t('compare', { round: String(one.round), file: `beacon-${one.attempt}.json` })}
                </p>
                {RELAYS.map((relay) => (
                  <p key={relay} className="flex items-start gap-1">
                    <Hash value={command(relay, one.round)} label={t('command')} />
                  </p>
                ))}
              </div>
            ))}
          </div>
        </details>
      ) : (
        <Alert tone="warning">{t('notPublic')}</Alert>
      )}
    </section>
  )
}

function Description({ draw: { contest } }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const description = localized(contest, 'description', useLanguage())
  if (description.text.trim() === '') return null
  return (
    <section aria-labelledby="about" className="grid grid-cols-1 gap-3">
      <h2 id="about" className="text-title">
        {t('about')}
      </h2>
      <p lang={description.language} className="max-w-prose leading-relaxed whitespace-pre-line">
        {description.text}
      </p>
    </section>
  )
}

/** What people have entered for, as it was before each change. */
function Changes({ draw: { changes } }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.changes')
  const language = useLanguage()
  if (changes.length === 0) return null
  return (
    <section aria-labelledby="changes" className="grid grid-cols-1 gap-5">
      <h2 id="changes" className="text-title">
        {t('title')}
      </h2>
      <p className="max-w-prose">{t('intro')}</p>
      <ol className="grid grid-cols-1 gap-8">
        {changes.map((change) => (
          <li key={change.at} className="grid grid-cols-1 gap-3">
            <h3 className="font-semibold">
              {t('at')} <DrawInstant iso={change.at} />
            </h3>
            <ChangeView
              change={change}
              language={language}
              t={t}
              nameOf={(field, of) =>
                t('named', { field: t(`fields.${field}`), language: languageName(of, language) })
              }
              factOf={(fact) => t(`facts.${fact}`)}
              noFigure={t('noFigure')}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}
