import { type ReactNode, useId, useState } from 'react'
import { Link } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { classes } from '#ui/classes.ts'
import { axisTop } from './charts.rules.ts'
import { rowLink } from './row-keys.ts'

/** A moment or a period of a chart. */
export interface Point {
  id: string
  /** "30/11/2026" */
  name: string
  value: number
  /** The value as people read it, with what belongs to it. */
  text: string
}

interface TimeChartProps {
  label: string
  /** The oldest first; the last one is read first. */
  points: readonly Point[]
  /** Of an axis. */
  axis: (value: number) => string
  /** A line across, such as the average, with its words. */
  level?: { value: number; text: string }
}

/** More points than this are a line. */
const BARS_MAX = 62
const HEIGHT = 100

/** Values over time. A slider lies over it: pointer and arrow keys choose the point whose value stands above. */
export function TimeChart({ label, points, axis, level }: TimeChartProps): ReactNode {
  const last = points.length - 1
  const [chosen, setChosen] = useState<number>()
  const at = Math.min(chosen ?? last, last)
  const point = points[at]
  if (!point) return null
  const top = axisTop(Math.max(...points.map(({ value }) => value), level?.value ?? 0))
  const y = (value: number): number => HEIGHT * (1 - Math.max(0, value) / top)
  const step = 100 / points.length
  const middle = (index: number): number => (index + 0.5) * step
  const isLine = points.length > BARS_MAX
  return (
    <figure className="grid grid-cols-1 gap-3">
      <figcaption className="grid gap-x-6 gap-y-1 sm:flex sm:flex-wrap sm:items-baseline sm:justify-between">
        <span className="font-semibold">
          <span className="text-muted">{point.name}</span> {point.text}
        </span>
        {level && (
          <span className="flex items-center gap-2 text-sm text-muted">
            <svg viewBox="0 0 24 4" aria-hidden="true" className="h-1 w-6">
              <path d="M0 2h24" strokeWidth="3" strokeDasharray="5 4" className="stroke-ink" />
            </svg>
            {level.text}
          </span>
        )}
      </figcaption>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div
          aria-hidden="true"
          className="-my-2 flex flex-col justify-between text-right text-xs text-muted tabular-nums"
        >
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{axis(value)}</span>
          ))}
        </div>
        <div
          className="relative h-44 rounded-sm has-focus-visible:outline-2 has-focus-visible:outline-offset-4 has-focus-visible:outline-signal"
          onPointerLeave={() => setChosen(undefined)}
        >
          <svg
            aria-hidden="true"
            viewBox={`0 0 100 ${HEIGHT}`}
            preserveAspectRatio="none"
            className="absolute inset-0 size-full overflow-visible"
          >
            {[0, HEIGHT / 2, HEIGHT].map((line) => (
              <path
                key={line}
                d={`M0 ${line}h100`}
                vectorEffect="non-scaling-stroke"
                className="stroke-line"
              />
            ))}
            {isLine ? (
              <Line points={points.map(({ value }, index) => [middle(index), y(value)])} at={at} />
            ) : (
              points.map(({ id, value }, index) => (
                <rect
                  key={id}
                  x={index * step + step * 0.12}
                  width={step * 0.76}
                  y={y(value)}
                  height={HEIGHT - y(value)}
                  className={index === at ? 'fill-signal' : 'fill-signal/45'}
                />
              ))
            )}
            {level && (
              <path
                d={`M0 ${y(level.value)}h100`}
                vectorEffect="non-scaling-stroke"
                strokeWidth="1.5"
                strokeDasharray="5 4"
                className="stroke-ink"
              />
            )}
          </svg>
          <input
            type="range"
            aria-label={label}
            aria-valuetext={`${point.name}: ${point.text}`}
            min={0}
            max={last}
            value={at}
            className="absolute inset-0 size-full cursor-crosshair touch-pan-y opacity-0"
            onChange={({ target }) => setChosen(Number(target.value))}
            onPointerMove={({ clientX, currentTarget }) => {
              const { left, width } = currentTarget.getBoundingClientRect()
              setChosen(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * points.length))))
            }}
          />
        </div>
        <div
          aria-hidden="true"
          className="col-start-2 flex flex-wrap justify-between gap-x-3 pt-1.5 text-xs text-muted tabular-nums"
        >
          {ends(points).map(({ id, name }) => (
            <span key={id}>{name}</span>
          ))}
        </div>
      </div>
    </figure>
  )
}

/** The first, the middle and the last. */
const ends = (points: readonly Point[]): Point[] =>
  [...new Set([points[0], points[Math.floor((points.length - 1) / 2)], points.at(-1)])].filter(
    (point) => point !== undefined,
  )

const path = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`).join('')

function Line({ points, at }: { points: readonly (readonly [number, number])[]; at: number }): ReactNode {
  const [first, last] = [points[0], points.at(-1)]
  const chosen = points[at]
  if (!first || !last || !chosen) return null
  return (
    <>
      <path d={`${path(points)}L${last[0]} ${HEIGHT}L${first[0]} ${HEIGHT}Z`} className="fill-signal/15" />
      <path
        d={path(points)}
        fill="none"
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
        className="stroke-signal"
      />
      <path
        d={`M${chosen[0]} ${HEIGHT}V${chosen[1]}`}
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
        className="stroke-signal"
      />
    </>
  )
}

interface Bar {
  id: string | number
  name: string
  to?: string
  value: number
  text: string
}

/** Values beside each other, the longest bar for the highest. */
export function BarList({ label, bars }: { label: string; bars: readonly Bar[] }): ReactNode {
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <ol aria-label={label} className="grid grid-cols-1 gap-3">
      {bars.map(({ id, name, to, value, text }) => (
        <li key={id} className="grid gap-1">
          <span className="flex flex-wrap items-baseline justify-between gap-x-4">
            {to === undefined ? (
              <span className="font-semibold wrap-anywhere">{name}</span>
            ) : (
              <Link {...rowLink} to={to} className="prose-link py-1 font-semibold wrap-anywhere">
                {name}
              </Link>
            )}
            <span className="tabular-nums">{text}</span>
          </span>
          <svg
            viewBox="0 0 100 8"
            preserveAspectRatio="none"
            aria-hidden="true"
            className="h-3 w-full rounded-sm bg-sunken"
          >
            <rect
              width={((Math.max(0, value) / highest) * 100).toFixed(1)}
              height="8"
              className="fill-signal"
            />
          </svg>
        </li>
      ))}
    </ol>
  )
}

type Part = readonly [time: number, part: number]

/** What was sold from opening to end, where that leads, and the even pace that sells out at the end. */
export function PaceChart({
  label,
  sold,
  ahead,
}: {
  label: string
  sold: readonly Part[]
  ahead: readonly Part[]
}): ReactNode {
  const id = useId()
  const drawn = (parts: readonly Part[]): string =>
    path(parts.map(([time, part]) => [time * 100, HEIGHT * (1 - part)] as const))
  const now = sold.at(-1)
  return (
    <svg
      role="img"
      aria-labelledby={id}
      viewBox={`0 0 100 ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-28 w-full overflow-visible border-b border-l border-line-strong"
    >
      <title id={id}>{label}</title>
      {now && <path d={`${drawn(sold)}L${now[0] * 100} ${HEIGHT}Z`} className="fill-signal/15" />}
      <path
        d={`M0 ${HEIGHT}L100 0`}
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        className="stroke-line-strong"
      />
      <path
        d={drawn(ahead)}
        fill="none"
        strokeWidth="2"
        strokeDasharray="4 4"
        vectorEffect="non-scaling-stroke"
        className="stroke-signal"
      />
      <path
        d={drawn(sold)}
        fill="none"
        strokeWidth="2.5"
        vectorEffect="non-scaling-stroke"
        className="stroke-signal"
      />
    </svg>
  )
}

/** What the lines of such charts are, once for all of them. */
export function PaceKey({ sold, ahead, even }: { sold: string; ahead: string; even: string }): ReactNode {
  const lines = [
    ['stroke-signal', undefined, sold],
    ['stroke-signal', '5 4', ahead],
    ['stroke-line-strong', undefined, even],
  ] as const
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm text-muted">
      {lines.map(([color, dashes, text]) => (
        <li key={text} className="flex items-center gap-2">
          <svg viewBox="0 0 24 4" aria-hidden="true" className="h-1 w-6 shrink-0">
            <path d="M0 2h24" strokeWidth="3" strokeDasharray={dashes} className={color} />
          </svg>
          {text}
        </li>
      ))}
    </ul>
  )
}

/** The figures of a chart, for whoever reads them one by one. */
export function AsTable({ className, children }: { className?: string; children: ReactNode }): ReactNode {
  const t = useTranslations('console.common')
  return (
    <details className={classes('group', className)}>
      <summary className="prose-link min-h-11 w-fit cursor-pointer content-center text-sm">
        {t('asTable')}
      </summary>
      <div className="pt-2">{children}</div>
    </details>
  )
}
