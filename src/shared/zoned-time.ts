/** Times as a clock on the wall shows them in a zone: "2026-03-29T20:00". */

const WALL_CLOCK = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/
const DAY_MS = 86_400_000

const kept = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = kept.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    kept.set(timeZone, format)
  }
  return format
}

/** What a clock in the zone shows at an instant, to the minute. */
export function wallClockOf(at: Date | string, timeZone: string): string {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(new Date(at))
      .map(({ type, value }) => [type, value]),
  )
  const year = (parts['year'] ?? '').padStart(4, '0')
  return `${year}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}`
}

/** The wall clock read as UTC; undefined for what no calendar has. */
function asUtc(wallClock: string): number | undefined {
  const fields = WALL_CLOCK.exec(wallClock)?.slice(1).map(Number)
  if (!fields) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = fields
  const at = Date.UTC(year, month - 1, day, hour, minute)
  return new Date(at).toISOString().startsWith(wallClock) ? at : undefined
}

/** Milliseconds by which the zone's clocks are ahead of UTC at an instant. */
const offsetAt = (at: number, timeZone: string): number =>
  (asUtc(wallClockOf(new Date(at), timeZone)) ?? at) - Math.floor(at / 60_000) * 60_000

/** Why a wall clock names no instant, or not one: its text is no time, the clocks skip it, or they show it twice. */
export type NoInstant = 'invalid' | 'skipped' | 'repeated'

/** The instant at which a clock in the zone shows that time. */
export function instantOf(wallClock: string, timeZone: string): Date | NoInstant {
  const utc = asUtc(wallClock)
  if (utc === undefined) return 'invalid'
  // A zone changes its clocks at most once within two days.
  const offsets = new Set([offsetAt(utc - DAY_MS, timeZone), offsetAt(utc + DAY_MS, timeZone)])
  const instants = [...offsets]
    .map((offset) => utc - offset)
    .filter((at) => wallClockOf(new Date(at), timeZone) === wallClock)
  if (instants.length > 1) return 'repeated'
  const [instant] = instants
  return instant === undefined ? 'skipped' : new Date(instant)
}
