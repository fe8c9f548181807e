import type { PublicDraw } from './public-draws.contract.ts'

/** Seconds until a rehearsal shows its result. */
export const REHEARSAL_SECONDS = { least: 0, most: 3_600, usual: 60 } as const

/** Seconds after the first number in which the first winner forfeits, and in which the alternate is drawn. */
export const ALTERNATE_PLAYS = { forfeits: 30, draws: 90 } as const

const OF_ATTEMPT = /^(?:beacon|result|forfeiture|statement)-/

/**
 * What the pages of a rehearsal show at a moment. Until it plays, the list is sealed; then come the number, and when the
 * first winner does not claim, the alternate, each at an instant that an audience can wait for. The log is shown in the
 * end, when all of it has been played.
 * @param end what they show in the end
 */
export function rehearsalAt(end: PublicDraw, playsAt: Date, now: Date): PublicDraw {
  const after = (seconds: number): Date => new Date(playsAt.getTime() + seconds * 1000)
  const { attempts, beacon, files } = end
  const [first, second] = attempts
  const earlier = { ...end, state: 'drawn', cancelled: null, log: null } as const
  if (now < playsAt) {
    const at = playsAt.toISOString()
    return {
      ...earlier,
      state: 'sealed',
      draw_at: at,
      attempts: [{ attempt: 0, round: beacon?.round ?? 0, round_at: at, drawn: null, forfeited: null }],
      files: files.filter(({ name }) => !OF_ATTEMPT.test(name)),
    }
  }
  const isForfeited = files.some(({ name }) => name === 'forfeiture-0.txt')
  if (!first || !isForfeited) return end
  if (now < after(ALTERNATE_PLAYS.forfeits))
    return {
      ...earlier,
      attempts: [{ ...first, forfeited: null }],
      files: files.filter(({ name }) => !OF_ATTEMPT.test(name) || /^(?:beacon|result)-0/.test(name)),
    }
  const draws = after(ALTERNATE_PLAYS.draws)
  if (!second || now >= draws) return end
  return {
    ...earlier,
    attempts: [first, { ...second, round_at: draws.toISOString(), drawn: null }],
    files: files.filter(({ name }) => !OF_ATTEMPT.test(name) || name.includes('-0.')),
  }
}
