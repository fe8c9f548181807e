import { type Language, isLanguage } from '#shared/languages.ts'
import type { PublicDraw } from './public-draws.contract.ts'
import { lastAttempt } from './public-draws.rules.ts'

/** Parameters of the live page's address, beside `lang` and `rehearsal`. */
export const LIVE_PARAMETERS = ['overlay', 'second', 'pace', 'hold'] as const
type LiveParameter = (typeof LIVE_PARAMETERS)[number]

/** Seconds: how long each digit turns, and how long after the draw the page shows it. */
export const LIVE_BOUNDS = {
  pace: { least: 0.3, most: 10, usual: 1.5 },
  hold: { least: 0, most: 120, usual: 0 },
} as const

/** How the live page looks, as whoever streams it has asked. */
export interface LiveOptions {
  /** Over another picture: without a ground, inside the safe area. */
  overlay: boolean
  /** A language beside that of the page. */
  second: Language | undefined
  pace: number
  hold: number
  /** Parameters whose value is out of bounds; the usual one stands in. */
  wrong: readonly LiveParameter[]
}

const SECONDS = /^\d{1,3}(?:\.\d)?$/

/** Seconds as an address has them; undefined when they are out of bounds. */
export function liveSeconds(name: keyof typeof LIVE_BOUNDS, written: string): number | undefined {
  const { least, most } = LIVE_BOUNDS[name]
  const value = SECONDS.test(written) ? Number(written) : Number.NaN
  return value >= least && value <= most ? value : undefined
}

/** What an address of the live page asks for. @param search of the address @param language of the page */
export function liveOptions(search: string, language: Language): LiveOptions {
  const query = new URLSearchParams(search)
  const [overlay, second] = [query.get('overlay'), query.get('second')]
  const wrong: LiveParameter[] = []
  const seconds = (name: 'pace' | 'hold'): number => {
    const written = query.get(name)
    const { usual } = LIVE_BOUNDS[name]
    if (written === null) return usual
    const value = liveSeconds(name, written)
    if (value === undefined) wrong.push(name)
    return value ?? usual
  }
  if (overlay !== null && overlay !== '0' && overlay !== '1') wrong.push('overlay')
  const isOther = isLanguage(second) && second !== language
  if (second !== null && !isOther) wrong.push('second')
  return {
    overlay: overlay === '1',
    second: isOther ? second : undefined,
    pace: seconds('pace'),
    hold: seconds('hold'),
    wrong,
  }
}

/** The search of the address that asks for a look of the live page: its language always, of the rest what is not usual. */
export function liveSearch(language: Language, look: Omit<LiveOptions, 'wrong'>, rehearsal?: string): string {
  const { overlay, second, pace, hold } = look
  return `?${new URLSearchParams({
    lang: language,
    ...(rehearsal !== undefined && { rehearsal }),
    ...(second && { second }),
    ...(pace !== LIVE_BOUNDS.pace.usual && { pace: String(pace) }),
    ...(hold !== LIVE_BOUNDS.hold.usual && { hold: String(hold) }),
    ...(overlay && { overlay: '1' }),
  })}`
}

/**
 * Until when the number is held back: ISO 8601; null without a number or a hold.
 * @param awaited the instant at which the page expected the number: a rehearsal plays later than it was drawn
 */
export function heldUntil(draw: PublicDraw, hold: number, awaited: string | null): string | null {
  const drawn = lastAttempt(draw)?.drawn
  if (!drawn || hold === 0) return null
  const from = Math.max(Date.parse(drawn.at), awaited === null ? 0 : Date.parse(awaited))
  return new Date(from + hold * 1000).toISOString()
}

/** The draw as it was before its last number was known. */
export function beforeNumber(draw: PublicDraw): PublicDraw {
  const attempts = draw.attempts.with(-1, { ...draw.attempts.at(-1)!, drawn: null })
  return { ...draw, attempts, state: attempts.length === 1 ? 'sealed' : 'drawn', delay: null }
}
