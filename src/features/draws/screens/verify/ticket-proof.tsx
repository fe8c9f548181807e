import { CircleAlert, CircleMinus, Info, type LucideIcon, TriangleAlert, Trophy } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { Plate } from '#ui/plate.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { FoundTicket } from '#draw-protocol/check.ts'
import { shownNumber, timeText } from './shown-number.ts'
import { type Reading, useTicket } from './ticket-reading.ts'

const FORM = 'https://HOST/draws/SLUG#NUMBER.SALT.ID.TERMS'

/** What the page knows besides the check. */
interface TicketPlace {
  /** How many numbers the contest has; undefined when that is not known. */
  total: number | undefined
  /** Where a winner claims the prize; undefined where nothing can be won. */
  claimAt?: string | undefined
  /** Where the whole draw can be checked. */
  wholeAt?: string
  /** Whom to write to. */
  contact?: string
  /** The moment of a Unix second in words. */
  timeOf?: (seconds: number) => string
  /** The round that is waited for is due. */
  isDue?: boolean
  isRehearsal?: boolean
}

interface TicketProofProps extends TicketPlace {
  /** The slug of the contest whose page this is. */
  contest: string
  /** `#NUMBER.SALT.ID.TERMS` */
  proof: string
  openWorker: () => Worker
  /** Changes whenever there is something new to find. */
  moment: string
}

/** The ticket of a proof link. Its secret is compared in the browser; only the number is sent, to get its leaf. */
export function TicketProof({ contest, proof, openWorker, moment, ...place }: TicketProofProps): ReactNode {
  const { reading, staleSince } = useTicket(contest, proof, openWorker, moment)
  const region = useRef<HTMLDivElement>(null)
  // A link that is opened on a page that is scrolled down changes what is out of sight.
  useEffect(() => region.current?.scrollIntoView({ block: 'nearest' }), [proof])
  return (
    <div ref={region} aria-live="polite">
      <TicketResult reading={reading} staleSince={staleSince} {...place} />
    </div>
  )
}

type Tone = 'won' | 'open' | 'quiet' | 'warning' | 'error' | 'checking'

const TONES: Record<Tone, { box: string; head: string; icon: LucideIcon | typeof Spinner }> = {
  won: { box: 'border-gold bg-gold-soft', head: 'text-gold', icon: Trophy },
  open: { box: 'border-signal bg-signal-soft', head: 'text-signal', icon: Info },
  quiet: { box: 'border-line-strong bg-sunken', head: 'text-ink', icon: CircleMinus },
  warning: { box: 'border-warning bg-warning-soft', head: 'text-warning', icon: TriangleAlert },
  error: { box: 'border-error bg-error-soft', head: 'text-error', icon: CircleAlert },
  checking: { box: 'border-line-strong bg-sunken', head: 'text-ink', icon: Spinner },
}

type Head =
  | Exclude<Reading['shown']['outcome'], 'found' | 'broken'>
  | 'in'
  | 'drawing'
  | 'won'
  | 'awarded'
  | 'lost'
  | 'waiting'
  | 'forfeited'
  | 'void'
  | 'cancelled'
type Text =
  | Exclude<Head, 'void' | 'checking'>
  | 'alternate'
  | 'claimed'
  | 'out'
  | 'later'
  | 'drawnVoid'
  | 'unknown'
  | 'broken'

interface View {
  tone: Tone
  head: Head
  text: Text | null
}

/** What is said first of a reading. */
export function viewOf({ shown }: Pick<Reading, 'shown'>, isDue: boolean): View {
  switch (shown.outcome) {
    case 'checking':
      return { tone: 'checking', head: 'checking', text: null }
    case 'broken':
      return { tone: 'warning', head: 'unreachable', text: 'broken' }
    case 'absent':
    case 'unreachable':
      return { tone: 'warning', head: shown.outcome, text: shown.outcome }
    case 'found':
      return foundView(shown, isDue)
    default:
      return { tone: 'error', head: shown.outcome, text: shown.outcome }
  }
}

/** Whether the entry became void and that decides something. */
const isOut = ({ end, voided }: FoundTicket): boolean =>
  end === 'out' || (voided !== null && (end === 'won' || end === 'waiting' || end === 'undrawn'))

function foundView(ticket: FoundTicket, isDue: boolean): View {
  const { end, winners, over } = ticket
  if (isOut(ticket))
    return {
      tone: 'warning',
      head: 'void',
      text: end === 'won' ? 'drawnVoid' : end === 'out' ? 'out' : 'later',
    }
  switch (end) {
    case 'won': {
      const { attempt, isClaimed } = winners.at(-1)!
      const won = isClaimed ? 'claimed' : attempt > 0 ? 'alternate' : 'won'
      return over === 'awarded'
        ? { tone: 'won', head: 'awarded', text: 'awarded' }
        : { tone: 'won', head: 'won', text: won }
    }
    case 'lost':
      return { tone: 'quiet', head: 'lost', text: 'lost' }
    case 'waiting':
    case 'undrawn': {
      const head = isDue ? 'drawing' : end === 'waiting' ? 'waiting' : 'in'
      return { tone: 'open', head, text: head }
    }
    case 'out':
    case 'unknown':
      return { tone: 'error', head: 'unproven', text: 'unknown' }
    default:
      return { tone: 'warning', head: end, text: end }
  }
}

interface TicketResultProps extends TicketPlace {
  reading: Reading
  /** Unix milliseconds since which the shop has not responded. */
  staleSince?: number | null
}

/** What is known of a ticket: whether it won, in its first line, and below how that is known. */
export function TicketResult({
  reading,
  staleSince = null,
  total,
  claimAt,
  wholeAt,
  contact,
  timeOf: ownTime,
  isDue = false,
  isRehearsal = false,
}: TicketResultProps): ReactNode {
  const t = useTranslations('drawTicket')
  const language = useLanguage()
  const timeOf = ownTime ?? ((seconds: number): string => timeText(seconds, language))
  const { shown, isDemonstration } = reading
  const view = viewOf(reading, isDue)
  const { box, head, icon: Icon } = TONES[view.tone]
  const number = 'number' in shown ? shownNumber(shown.number, total) : ''
  const found = shown.outcome === 'found' ? shown : null
  const last = found?.winners.at(-1)
  const reason = found?.voided ?? (found?.listed === 'valid' ? null : found?.listed) ?? null
  const values = {
    number,
    form: FORM,
    contact: contact ?? t('shop'),
    winner: last ? shownNumber(last.number, total) : '',
    date: found?.awaited ? timeOf(found.awaited.time) : '',
    reason: reason === null ? '' : t(`reasons.${reason}`),
    found: shown.outcome === 'foreign' ? shown.found : '',
    expected: shown.outcome === 'foreign' ? shown.expected : '',
  }
  const isWon = view.tone === 'won'
  return (
    <section
      aria-labelledby="verify-ticket"
      data-ticket={shown.outcome}
      data-head={view.head}
      className={classes('grid grid-cols-1 gap-3 rounded-lg border-2 p-4 sm:p-6', box)}
    >
      <div className="flex gap-3">
        <Icon aria-hidden="true" className={classes('mt-1 size-6 shrink-0', head)} />
        <h2 id="verify-ticket" className={classes('min-w-0 text-headline text-balance', head)}>
          {t(`heads.${view.head}`, values)}
        </h2>
      </div>
      {number !== '' && (
        <p>
          <Plate size="large" label={t('title', { number })} isVoid={view.head === 'void'}>
            {number}
          </Plate>
        </p>
      )}
      {isRehearsal ? (
        <p className="font-semibold">{t('rehearsal')}</p>
      ) : (
        isDemonstration && <p className="font-semibold">{t('demonstration')}</p>
      )}
      {view.text !== null && <p className="max-w-[68ch] wrap-anywhere">{t(`texts.${view.text}`, values)}</p>}
      {isWon && claimAt !== undefined && (
        <>
          <a
            href={claimAt}
            className={buttonClasses('primary', 'large', { className: 'justify-self-start' })}
          >
            {t(last?.isClaimed ? 'seeClaim' : 'claim')}
          </a>
          {!last?.isClaimed && <p className="text-sm">{t('claimHint')}</p>}
        </>
      )}
      {staleSince !== null && (
        <p className="text-sm font-semibold">{t('stale', { time: timeOf(Math.floor(staleSince / 1000)) })}</p>
      )}
      {found && (
        <>
          <p className="text-sm font-semibold">{t(last ? 'vouch.computed' : 'vouch.proven')}</p>
          <How found={found} number={number} total={total} wholeAt={wholeAt} timeOf={timeOf} />
        </>
      )}
    </section>
  )
}

interface HowProps extends Pick<TicketPlace, 'total'> {
  found: FoundTicket
  number: string
  wholeAt: string | undefined
  timeOf: (seconds: number) => string
}

/** How the first line is known. */
function How({ found, number, total, wholeAt, timeOf }: HowProps): ReactNode {
  const t = useTranslations('drawTicket')
  const { line, since, listed, winners } = found
  return (
    <details className="text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center font-semibold underline underline-offset-4">
        {t('how')}
      </summary>
      <ul className="grid list-disc grid-cols-1 gap-1.5 pl-5">
        <li>{t('found', { number, line })}</li>
        <li>{t('terms')}</li>
        <li>{since === null ? t('unsigned') : t('since', { time: timeOf(since) })}</li>
        <li>{t(listed === null ? 'unsealed' : listed === 'valid' ? 'valid' : 'void')}</li>
        {winners.length > 0 && <li>{t('beacon')}</li>}
        {winners.map((winner) => (
          <li key={winner.attempt}>{t('drawn', { number: shownNumber(winner.number, total) })}</li>
        ))}
      </ul>
      {wholeAt !== undefined && (
        <a href={wholeAt} className="prose-link inline-flex min-h-11 items-center">
          {t('whole')}
        </a>
      )}
    </details>
  )
}
