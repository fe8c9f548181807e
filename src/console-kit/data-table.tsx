import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigationType } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { consoleCall } from './console-call.ts'
import { isUnasked } from './follow.ts'
import { type News, keepPlace } from './keep-place.ts'
import { Fault } from './parts.tsx'
import { rowLink } from './row-keys.ts'

export interface Column<Row> {
  id: string
  title: string
  cell: (row: Row) => ReactNode
  /** For amounts and counts. */
  isNumber?: boolean
  /** For ids, addresses and the like: they break anywhere, where words would widen the table. */
  isCode?: boolean
  /** Left out on narrow screens. */
  isExtra?: boolean
}

interface DataTableProps<Row> {
  /** What the table shows, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string | number
  /** Where a row leads; its first column becomes the link. */
  linkOf?: (row: Row) => string
  empty: ReactNode
  /** Whether a row is not in the list any more and only keeps its place. */
  isGone?: (row: Row) => boolean
  /** Selected ids and their setter, where rows can be selected. */
  selection?: {
    selected: ReadonlySet<string | number>
    toggle: (row: Row) => void
    label: (row: Row) => string
  }
}

/**
 * A table whose rows j and k move through and Enter opens. On narrow screens its cells stand below each other, each with
 * the name of its column.
 */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { caption, columns, rows, idOf, linkOf, empty, isGone, selection } = props
  const t = useTranslations('console.common')
  if (rows.length === 0)
    return <p className="rounded-lg border border-line bg-surface p-6 text-muted">{empty}</p>
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full text-left text-sm max-md:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b border-line max-md:sr-only">
          <tr>
            {selection && (
              <th scope="col" className="w-11">
                <span className="sr-only">{t('select')}</span>
              </th>
            )}
            {columns.map(({ id, title, isNumber }) => (
              <th
                key={id}
                scope="col"
                className={classes(
                  'px-2.5 py-3 font-semibold whitespace-nowrap xl:px-4',
                  isNumber && 'text-right',
                )}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:grid">
          {rows.map((row) => (
            <tr
              key={idOf(row)}
              className={classes(
                'border-b border-line last:border-0 hover:bg-sunken has-[[data-row-link]:focus-visible]:bg-signal-soft max-md:grid max-md:gap-1 max-md:px-4 max-md:py-3',
                isGone?.(row) && 'line-through',
              )}
            >
              {selection && (
                <td className="w-11 px-2 md:text-center">
                  <label className="inline-flex size-11 items-center justify-center">
                    <input
                      type="checkbox"
                      aria-label={selection.label(row)}
                      className="size-5"
                      checked={selection.selected.has(idOf(row))}
                      onChange={() => selection.toggle(row)}
                    />
                  </label>
                </td>
              )}
              {columns.map(({ id, title, cell, isNumber, isCode, isExtra }, index) => {
                const content = cell(row)
                return (
                  <td
                    key={id}
                    className={classes(
                      'wrap-anywhere md:px-2.5 md:py-3 xl:px-4',
                      isCode ? 'md:min-w-40' : 'md:wrap-break-word',
                      isNumber && 'md:text-right',
                      isExtra && 'max-md:hidden',
                      index > 0 &&
                        (content === false || content === null || content === ''
                          ? 'max-md:hidden'
                          : 'max-md:grid max-md:grid-cols-[minmax(6rem,35%)_1fr] max-md:justify-items-start max-md:gap-3'),
                    )}
                  >
                    {index > 0 && <span className="text-muted md:hidden">{title}</span>}
                    {index === 0 && linkOf ? (
                      <Link
                        {...rowLink}
                        to={linkOf(row)}
                        className="prose-link inline-block py-1.5 font-semibold"
                      >
                        {content}
                      </Link>
                    ) : (
                      content
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface ListTableProps<Row> extends Omit<DataTableProps<Row>, 'rows' | 'isGone'> {
  first: Page<Row>
  /** Where the rows after a cursor are. */
  more: (after: string) => string
  /** Of the list of a screen, which Back shows as it was left and which follows what happens. */
  name?: string
}

/** A table of a list that is loaded page by page. */
export function ListTable<Row>({ first, more, name, ...table }: ListTableProps<Row>): ReactNode {
  const { rows, button, news, isGone } = useMore(
    first,
    (after) => consoleCall<Page<Row>>('GET', more(after)),
    name === undefined ? {} : { name, idOf: table.idOf },
  )
  return (
    <>
      {name !== undefined && news}
      <DataTable {...table} rows={rows} isGone={isGone} />
      {button}
    </>
  )
}

export interface Page<Row> {
  items: Row[]
  /** Cursor of the next page; null at the end. */
  next: string | null
}

interface Shown<Row> {
  first: Page<Row>
  more: Page<Row>
  /** All rows as they were when the reader asked for them. */
  asked: readonly Row[]
  /** What has happened since then, with the list as it is now. */
  news?: News & { newest: Shown<Row> }
}

type Id = string | number

/** Lists as they were left, by the entry of the browser's history, for Back. */
const left = new Map<string, Shown<unknown>>()
const MOST_LEFT = 50

function keepList(place: string, shown: Shown<unknown>): void {
  left.delete(place)
  left.set(place, shown)
  const [oldest] = left.keys()
  if (left.size > MOST_LEFT && oldest !== undefined) left.delete(oldest)
}

interface MoreOptions<Row> {
  /** Of the list on its screen; one without a name starts again after Back. */
  name?: string
  /** For a list that follows what happens: its rows then stay where they are, and what has come is offered. */
  idOf?: (row: Row) => Id
}

/**
 * The rows of a list that is loaded page by page. They start again with another first page, such as after a filter; the
 * same list, asked for again, keeps as many rows as it had. Back shows them as they were left.
 * @param first as the route's loader gives it @param loadMore asks for the page after a cursor
 */
export function useMore<Row>(
  first: Page<Row>,
  loadMore: (after: string) => Promise<Page<Row>>,
  { name, idOf }: MoreOptions<Row> = {},
) {
  const t = useTranslations('console.common')
  const { key: at } = useLocation()
  const isBack = useNavigationType() === 'POP'
  const place = name === undefined ? undefined : `${at} ${name}`
  const [begun, setBegun] = useState({ first, at })
  const [shown, setShown] = useState<Shown<Row>>(
    () =>
      ((isBack && place !== undefined ? left.get(place) : undefined) as Shown<Row> | undefined) ??
      beginningOf(first),
  )
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const { more } = shown
  const follows = idOf !== undefined && isUnasked(first)
  const isRefreshed = begun.first !== first && begun.at === at && (follows || more.items.length > 0)
  if (begun.first !== first && !isRefreshed) {
    setBegun({ first, at })
    setShown(beginningOf(first))
    setError(undefined)
  }

  const ask = useRef(loadMore)
  const follow = useRef(idOf)
  useEffect(() => {
    ask.current = loadMore
    follow.current = idOf
  }, [loadMore, idOf])
  useEffect(() => {
    if (!isRefreshed) return undefined
    let isCurrent = true
    void refill(first, more.items.length, ask.current).then(
      (again) => {
        if (!isCurrent) return
        setBegun({ first, at })
        const newest = { first, more: again, asked: [...first.items, ...again.items] }
        const byId = follow.current
        setShown((present) => (follows && byId ? inPlace(present, newest, byId) : newest))
      },
      // What is shown stays.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [isRefreshed, follows, first, at, more.items.length])
  useEffect(() => {
    if (place !== undefined) keepList(place, shown)
  }, [place, shown])

  async function load(): Promise<void> {
    if (more.next === null) return
    setBusy(true)
    setError(undefined)
    try {
      const page = await loadMore(more.next)
      setShown((present) => ({
        ...present,
        more: { items: [...present.more.items, ...page.items], next: page.next },
        asked: [...present.asked, ...page.items],
      }))
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : t('unexpected'))
    } finally {
      setBusy(false)
    }
  }

  const button = (
    <div className="grid justify-items-center gap-3">
      <Fault error={error} />
      {more.next !== null && (
        <Button variant="secondary" busy={isBusy} onClick={() => void load()}>
          {t('more')}
        </Button>
      )}
    </div>
  )
  const { news } = shown
  return {
    rows: rowsOf(shown),
    button,
    asked: shown.asked,
    /** Stands above the list, with room for it, so that nothing moves when there is news. */
    news: <NewsLine news={news} onShow={() => news && setShown(news.newest)} />,
    isGone: (row: Row): boolean => idOf !== undefined && (news?.gone.has(idOf(row)) ?? false),
  }
}

/** The list of a call that responds with all of it. */
export const wholeList = <Row,>(items: Row[]): Page<Row> => ({ items, next: null })

/** The rows of a whole list that follows what happens: each stays where it stands, and what has come is offered. */
export const useRows = <Row,>(first: Page<Row>, idOf: (row: Row) => Id) =>
  useMore(first, async () => first, { name: 'list', idOf })

const rowsOf = <Row,>({ first, more }: Shown<Row>): Row[] => [...first.items, ...more.items]

const beginningOf = <Row,>(first: Page<Row>): Shown<Row> => ({
  first,
  more: { items: [], next: first.next },
  asked: first.items,
})

/** The rows as they stand, with what is known of them now. */
function inPlace<Row>(present: Shown<Row>, newest: Shown<Row>, idOf: (row: Row) => Id): Shown<Row> {
  const shown = rowsOf(present)
  // Nothing stands there that could move.
  if (shown.length === 0) return newest
  const { rows, news } = keepPlace(
    { items: shown, isEnd: present.more.next === null },
    { items: rowsOf(newest), isEnd: newest.more.next === null },
    idOf,
  )
  const inFirst = present.first.items.length
  return {
    first: { ...present.first, items: rows.slice(0, inFirst) },
    more: { ...present.more, items: rows.slice(inFirst) },
    asked: present.asked,
    ...(news && { news: { ...news, newest } }),
  }
}

function NewsLine({ news, onShow }: { news: News | undefined; onShow: () => void }): ReactNode {
  const t = useTranslations('console.common.news')
  const line = useRef<HTMLDivElement>(null)
  const told = news && [
    news.added > 0 && t('added', { count: news.added }),
    news.gone.size > 0 && t('gone', { count: news.gone.size }),
    news.isReordered && news.added === 0 && news.gone.size === 0 && t('reordered'),
  ]
  const show = (): void => {
    line.current?.focus({ preventScroll: true })
    onShow()
  }
  return (
    <div ref={line} tabIndex={-1} className="-my-2 flex min-h-11 flex-wrap items-center gap-3 outline-none">
      <p role="status" className="text-sm text-muted">
        {told?.filter(Boolean).join(' ')}
      </p>
      {news && (
        <Button variant="secondary" size="small" onClick={show}>
          {t('show')}
        </Button>
      )}
    </div>
  )
}

/** At least so many further rows, if there are. */
async function refill<Row>(
  first: Page<Row>,
  count: number,
  loadMore: (after: string) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  let more: Page<Row> = { items: [], next: first.next }
  while (more.next !== null && more.items.length < count) {
    const page = await loadMore(more.next)
    more = { items: [...more.items, ...page.items], next: page.next }
  }
  return more
}
