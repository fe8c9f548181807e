import type { ReactNode } from 'react'
import { useLoaderData } from 'react-router'
import { OfferStateBadge, titleOf } from '#features/offers/console/offer-words.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { DataTable, useMore } from '#console-kit/data-table.tsx'
import { Screen, Section } from '#console-kit/parts.tsx'
import type { DrawList, DrawRow } from '../draws.contract.ts'
import { DRAW_TIMES, type DrawTime } from '../timeline.rules.ts'
import { Calendar } from './calendar.tsx'
import { Instant } from './instant.tsx'

const listOf = (when: DrawTime, more = ''): Promise<DrawList> =>
  consoleCall('GET', `/api/staff/draws/?when=${when}${more}`)

type Loaded = Record<DrawTime, DrawList>

export const loader = async (): Promise<Loaded> => {
  const lists = await Promise.all(DRAW_TIMES.map(async (when) => [when, await listOf(when)] as const))
  return Object.fromEntries(lists) as Loaded
}

/** The contests by the instant of their draw. */
export function Component(): ReactNode {
  const t = useTranslations('consoleDraws')
  const lists = useLoaderData<Loaded>()
  const shown = DRAW_TIMES.filter((when) => when === 'coming' || lists[when].items.length > 0)
  return (
    <Screen title={t('title')} lead={t('lead')}>
      <Calendar />
      {shown.map((when) => (
        <Section key={when} title={t(when)}>
          <Draws when={when} first={lists[when]} />
        </Section>
      ))}
    </Screen>
  )
}

function Draws({ when, first }: { when: DrawTime; first: DrawList }): ReactNode {
  const t = useTranslations('consoleDraws')
  const contests = useTranslations('consoleContests')
  const language = useLanguage()
  const { rows, button, news, isGone } = useMore(first, (after) => listOf(when, `&after=${after}`), {
    name: when,
    idOf: ({ offer_id: id }) => id,
  })
  return (
    <>
      {news}
      <DataTable
        caption={t(when)}
        rows={rows}
        isGone={isGone}
        idOf={({ offer_id: id }) => id}
        linkOf={({ offer_id: id }) => `/draws/${id}`}
        empty={t('empty')}
        columns={[
          {
            id: 'contest',
            title: t('contest'),
            cell: (row) => titleOf(row, language) || contests('untitled'),
          },
          { id: 'draw', title: t('drawAt'), cell: ({ draw_at: at }) => <Planned at={at} /> },
          {
            id: 'closes',
            title: t('closesAt'),
            isExtra: true,
            cell: ({ closes_at: at }) => <Planned at={at} />,
          },
          {
            id: 'state',
            title: t('state'),
            cell: ({ state }) => (
              <span>
                <OfferStateBadge state={state} />
              </span>
            ),
          },
          { id: 'entries', title: t('entries'), isNumber: true, cell: (row) => <Entries row={row} /> },
          {
            id: 'terms',
            title: t('terms'),
            cell: ({ terms_locked: isLocked }) => (
              <span>
                <Badge tone={isLocked ? 'signal' : 'neutral'}>{t(isLocked ? 'locked' : 'unlocked')}</Badge>
              </span>
            ),
          },
        ]}
      />
      {button}
    </>
  )
}

function Planned({ at }: { at: string | null }): ReactNode {
  const t = useTranslations('consoleDraws')
  return at === null ? <span className="text-muted">{t('undecided')}</span> : <Instant at={at} />
}

function Entries({ row: { entries_paid: paid, entries_postal: postal } }: { row: DrawRow }): ReactNode {
  const t = useTranslations('consoleDraws')
  const language = useLanguage()
  if (paid === null || postal === null) return '–'
  return (
    <span className="grid">
      {(paid + postal).toLocaleString(language)}
      <span className="text-xs text-muted">{t('entriesOf', { paid, postal })}</span>
    </span>
  )
}
