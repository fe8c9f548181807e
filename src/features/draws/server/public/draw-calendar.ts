import { translate } from '#i18n/server-translator.ts'
import { DEFAULT_LANGUAGE, type Language } from '#shared/languages.ts'
import { localized } from '#shared/localized-text.ts'
import type { PublicDraw } from '../../public-draws.contract.ts'
import { drawInstant } from '../../public-draws.rules.ts'
import { calendarFile } from './calendar-file.ts'

/** How long a calendar keeps the draw's place: the beacon decides within seconds, the stream goes on. */
const MINUTES = 15

/** When the calendar reminds of it. */
const REMINDER = 60

/** The draw as an event of a calendar; undefined without an instant. @param publicUrl without a slash at the end */
export function drawCalendar(
  draw: PublicDraw,
  language: Language,
  { brand, publicUrl }: { brand: string; publicUrl: string },
): string | undefined {
  const instant = drawInstant(draw)
  if (instant === null) return undefined
  const { contest, published_at, cancelled } = draw
  const query = language === DEFAULT_LANGUAGE ? '' : `?lang=${language}`
  const page = `${publicUrl}/draws/${encodeURIComponent(contest.slug)}`
  const start = new Date(instant)
  return calendarFile(
    {
      uid: `draw-${contest.id}@${new URL(publicUrl).host}`,
      stamp: new Date(cancelled?.at ?? published_at),
      start,
      end: new Date(start.getTime() + MINUTES * 60_000),
      summary: translate(language, 'draws.calendar.title', {
        title: localized(contest, 'title', language).text,
      }),
      description: translate(language, 'draws.calendar.text', { page: page + query }),
      url: `${page}/live${query}`,
      isCancelled: cancelled !== null,
      reminder: REMINDER,
    },
    `-//${brand}//draws//${language.toUpperCase()}`,
  )
}
