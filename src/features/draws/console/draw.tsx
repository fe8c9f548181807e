import type { ReactNode } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { ObjectionsSection } from '#features/objections/console/objections.tsx'
import { PostCountSection } from '#features/postal/console/post-count.tsx'
import { OfferStateBadge, titleOf } from '#features/offers/console/offer-words.tsx'
import { formatDay } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Plate } from '#ui/plate.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { DataTable } from '#console-kit/data-table.tsx'
import { type Fact, Facts, Hash, Screen, Section, useTime } from '#console-kit/parts.tsx'
import type { ClaimSummary } from '../claims.contract.ts'
import type { DrawAttempt, DrawPage } from '../draws.contract.ts'
import { ClaimPanel } from './claim-panel.tsx'
import { Instant, useDuration } from './instant.tsx'
import { Rehearsal } from './rehearsal.tsx'
import { Stream } from './stream.tsx'

export const loader = ({ params }: LoaderFunctionArgs): Promise<DrawPage> =>
  consoleCall('GET', `/api/staff/draws/${encodeURIComponent(params['id'] ?? '')}/`)

/** One draw: what it waits for, what it has published, its winners and their claims. */
export function Component(): ReactNode {
  const t = useTranslations('consoleDraws')
  const contests = useTranslations('consoleContests')
  const language = useLanguage()
  const draw = useLoaderData<DrawPage>()
  const may = useMay()
  const { offer_id, slug, state, lists, attempts } = draw
  return (
    <Screen
      title={t('page.title', { title: titleOf(draw, language) || contests('untitled') })}
      lead={<OfferStateBadge state={state} />}
      actions={
        <>
          <Link to={`/offers/${offer_id}`} className="prose-link self-center py-2">
            {t('page.contest')}
          </Link>
          {draw.terms && (
            <a
              href={`/draws/${encodeURIComponent(slug)}`}
              target="_blank"
              rel="noopener"
              className="prose-link self-center py-2"
            >
              {t('page.public')}
            </a>
          )}
        </>
      }
    >
      <Standing draw={draw} />
      {draw.terms && may('post.read') && <PostCountSection offerId={offer_id} />}
      {draw.terms && may('draws.object') && <ObjectionsSection offerId={offer_id} />}
      {attempts.toReversed().map((attempt) => (
        <Attempt key={attempt.attempt} draw={draw} attempt={attempt} />
      ))}
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
        <Terms draw={draw} />
        <Log draw={draw} />
      </div>
      {lists.length > 0 && <Lists lists={lists} />}
      {draw.files.length > 0 && <Files draw={draw} />}
      {(draw.terms || draw.rehearsal) && <Stream draw={draw} />}
      <Rehearsal draw={draw} />
    </Screen>
  )
}

function Standing({ draw: { waits, moments, held } }: { draw: DrawPage }): ReactNode {
  const t = useTranslations('consoleDraws')
  const time = useTime()
  const { until, is_late: isLate } = waits
  return (
    <Section title={t('page.standing')}>
      <p className="flex flex-wrap items-center gap-3">
        <span>
          <WaitsFor what={waits.for} />
          {until !== null && `, ${t(isLate ? 'page.since' : 'page.until', { when: time(until) })}`}
        </span>
        {isLate && <Badge tone="error">{t('page.late')}</Badge>}
      </p>
      {isLate && until !== null && <Alert tone="warning">{t('page.lateText', { when: time(until) })}</Alert>}
      {held > 0 && <Facts facts={[[t('page.held'), held]]} />}
      <DataTable
        caption={t('page.standing')}
        rows={moments}
        idOf={({ name }) => name}
        empty=""
        columns={[
          { id: 'moment', title: t('page.moment'), cell: ({ name }) => t(`moments.${name}`) },
          { id: 'planned', title: t('page.planned'), cell: ({ planned_at: at }) => <Instant at={at} /> },
          { id: 'done', title: t('page.done'), cell: ({ at }) => <Instant at={at} /> },
        ]}
      />
    </Section>
  )
}

/** What a draw waits for; two of the texts are sentences of their own. */
function WaitsFor({ what }: { what: DrawPage['waits']['for'] }): ReactNode {
  const t = useTranslations('consoleDraws')
  if (what === 'nothing' || what === 'noDraw') return t(`waits.${what}`)
  return t.rich('page.waitsFor', {
    what: t(`waits.${what}`),
    strong: (text: ReactNode) => <strong>{text}</strong>,
  })
}

function Attempt({ draw, attempt: one }: { draw: DrawPage; attempt: DrawAttempt }): ReactNode {
  const t = useTranslations('consoleDraws.attempt')
  const reasons = useTranslations('consoleDraws.reasons')
  const time = useTime()
  const may = useMay()
  const { attempt, number, claim, forfeiture, randomness, relay } = one
  const title = attempt === 0 ? t('title') : t('titleNth', { attempt: attempt + 1 })
  return (
    <Section title={title}>
      {number === null ? (
        <p>{t('waiting')}</p>
      ) : (
        <p>
          <Plate size="large" label={t('number', { number })} isVoid={one.is_void || forfeiture !== null}>
            {number}
          </Plate>
        </p>
      )}
      {forfeiture && (
        <Alert tone="warning">
          {t('forfeited', { reason: reasons(forfeiture.reason), when: time(forfeiture.published_at) })}{' '}
          {forfeiture.is_decided && t('decided')}
        </Alert>
      )}
      {one.asked && (
        <Alert
          tone="warning"
          actions={
            may('approvals.read') && (
              <Link to="/approvals" className="prose-link inline-block py-1.5">
                {t('openApproval')}
              </Link>
            )
          }
        >
          {t('asked', { name: one.asked.by, when: time(one.asked.at), reason: reasons(one.asked.reason) })}
        </Alert>
      )}
      {one.is_void && !forfeiture && <Alert tone="warning">{t('void')}</Alert>}
      <Facts
        facts={[
          [t('round'), one.round],
          [t('roundAt'), <Instant key="round" at={one.round_at} />],
          relay !== null && [t('relay'), relay],
          randomness !== null && [t('randomness'), <Hash key="randomness" text={randomness} />],
          ...(claim ? claimFacts(claim) : []),
        ]}
      />
      {number !== null && !claim && <p className="text-muted">{t('opening')}</p>}
      {claim && <ClaimPanel draw={draw} attempt={attempt} claim={claim} />}
    </Section>
  )

  function claimFacts({ state, submitted_at: submitted, letter, winner, ...rest }: ClaimSummary): Fact[] {
    const { identity_seen_at: seen, delivered_on: day } = rest
    return [
      [
        t('state'),
        <Badge key="state" tone={state === 'expired' || state === 'forfeited' ? 'warning' : 'signal'}>
          {t(`states.${state}`)}
        </Badge>,
      ],
      // While a letter waits, the time has not begun.
      !letter?.waits && [t('until'), <Instant key="until" at={rest.until} />],
      !!letter?.printed_at && [t('letterPrinted'), time(letter.printed_at)],
      !!letter?.sent_at && [t('letterPosted'), time(letter.sent_at)],
      submitted !== null && [
        t('submitted'),
        <span key="submitted">
          {time(submitted)}
          {rest.is_recorded && `, ${t('recorded')}`}
        </span>,
      ],
      submitted !== null && [
        t('published'),
        winner ? `${winner.first_name}, ${winner.place}` : t('onlyNumber'),
      ],
      submitted !== null && [t('picture'), t(rest.picture ? 'pictureYes' : 'pictureNo')],
      seen !== null && [
        t('identity'),
        `${time(seen)}, ${t('identityBy', { name: rest.identity_seen_by ?? '' })}`,
      ],
      day !== null && [t('delivered'), formatDay(day)],
    ]
  }
}

function Terms({ draw: { terms, decided } }: { draw: DrawPage }): ReactNode {
  const t = useTranslations('consoleDraws.page')
  const duration = useDuration()
  return (
    <Section title={t('terms')}>
      {terms ? (
        <Facts
          facts={[
            [t('termsHash'), <Hash key="hash" text={terms.hash} />],
            [t('objections'), duration(terms.objections_seconds)],
            [t('sealMargin'), duration(terms.seal_margin_seconds)],
            [t('notice'), duration(terms.notice_seconds)],
            [t('claimTime'), duration(terms.claim_seconds)],
            [t('alternateDelay'), duration(terms.alternate_delay_seconds)],
            [t('decisions'), t('decisionsOf', { decided, most: terms.alternates_decided })],
          ]}
        />
      ) : (
        <p className="text-muted">{t('noTerms')}</p>
      )}
    </Section>
  )
}

function Log({ draw: { log } }: { draw: DrawPage }): ReactNode {
  const t = useTranslations('consoleDraws.page')
  const language = useLanguage()
  return (
    <Section title={t('log')}>
      {log ? (
        <Facts
          facts={[
            [t('logSize'), log.size.toLocaleString(language)],
            [t('logEntries'), log.entries.toLocaleString(language)],
            [t('logWaiting'), log.waiting.toLocaleString(language)],
            [t('logRoot'), log.root === null ? '–' : <Hash key="root" text={log.root} />],
            [t('checkpoint'), <Instant key="checkpoint" at={log.checkpoint_at} />],
          ]}
        />
      ) : (
        <p className="text-muted">{t('noLog')}</p>
      )}
    </Section>
  )
}

function Lists({ lists }: { lists: DrawPage['lists'] }): ReactNode {
  const t = useTranslations('consoleDraws.page')
  return (
    <Section title={t('lists')}>
      {lists.map(({ name, hash, root, paid, postal, demo, valid }) => (
        <div key={name} className="grid gap-2">
          <h3 className="font-semibold">{t(name === 'list.txt' ? 'listOf.sealed' : 'listOf.provisional')}</h3>
          <p>
            {t(demo > 0 ? 'listRowsDemo' : 'listRows', {
              valid,
              all: paid + postal + demo,
              paid,
              postal,
              demo,
            })}
          </p>
          <Facts
            facts={[
              [t('listHash'), <Hash key="hash" text={hash} />],
              root !== null && [t('listRoot'), <Hash key="root" text={root} />],
            ]}
          />
        </div>
      ))}
    </Section>
  )
}

function Files({ draw: { files, slug } }: { draw: DrawPage }): ReactNode {
  const t = useTranslations('consoleDraws.page')
  const language = useLanguage()
  const folder = `/draws/${encodeURIComponent(slug)}/`
  return (
    <Section
      title={t('files')}
      actions={
        <a href={`${folder}${encodeURIComponent(slug)}-evidence.zip`} download className="prose-link py-2">
          {t('seeEvidence')}
        </a>
      }
    >
      <DataTable
        caption={t('files')}
        rows={files}
        idOf={({ name }) => name}
        empty=""
        columns={[
          {
            id: 'file',
            title: t('file'),
            cell: ({ name }) => (
              <a href={`${folder}${name}`} target="_blank" rel="noopener" className="prose-link">
                {name}
              </a>
            ),
          },
          { id: 'made', title: t('made'), cell: ({ made_at: at }) => <Instant at={at} /> },
          {
            id: 'size',
            title: t('size'),
            isNumber: true,
            isExtra: true,
            cell: ({ bytes }) => bytes.toLocaleString(language),
          },
          {
            id: 'hash',
            title: t('listHash'),
            isExtra: true,
            cell: ({ sha256 }) => <Hash text={sha256} />,
          },
        ]}
      />
    </Section>
  )
}
