import type { DrawFacts, PublicDraw } from './public-draws.contract.ts'

/** The last attempt: the draw itself, or the alternate that took its place. */
export const lastAttempt = ({
  attempts,
}: Pick<DrawFacts, 'attempts'>): DrawFacts['attempts'][number] | undefined => attempts.at(-1)

/** The number that has won; undefined while a draw or an alternate is waited for, and of a cancelled contest. */
export const winnerOf = (draw: Pick<DrawFacts, 'attempts' | 'state'>): number | undefined =>
  draw.state === 'cancelled' ? undefined : lastAttempt(draw)?.drawn?.number

/** The instant of the draw: that of its round, once it is fixed. */
export const drawInstant = ({ attempts, draw_at }: Pick<DrawFacts, 'attempts' | 'draw_at'>): string | null =>
  attempts[0]?.round_at ?? draw_at

/** What the addresses of a rehearsal have behind those of the draw. */
export const rehearsalQuery = (id: string | null): string =>
  id ? `?rehearsal=${encodeURIComponent(id)}` : ''

interface Named extends Pick<PublicDraw, 'rehearsal'> {
  contest: Pick<PublicDraw['contest'], 'slug'>
}

/** Where the files of a draw or of a rehearsal are. */
export const filesOf = ({ contest, rehearsal }: Named): string =>
  `/${rehearsal ? `rehearsals/${rehearsal}` : `draws/${contest.slug}`}/`

/** The greatest whole unit first: 90061 s are 1 day, 1 hour, 1 minute, 1 second. */
export function durationParts(seconds: number): {
  days: number
  hours: number
  minutes: number
  seconds: number
} {
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3_600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  }
}

/** The archive of all its files. */
export const evidenceOf = (draw: Named): string =>
  `${filesOf(draw)}${draw.contest.slug}-${draw.rehearsal ? 'rehearsal' : 'evidence'}.zip`
