import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import type { LeafResponse, TicketOutcome } from '#draw-protocol/check.ts'
import { shownNumber, timeText } from './shown-number.ts'
import type { WorkerMessage, WorkerQuestion } from './verify.worker.ts'

type Shown = TicketOutcome | { outcome: 'checking' } | { outcome: 'unreachable' }

const FORM = 'https://HOST/draws/SLUG#NUMBER.SALT.ID'

interface TicketProofProps {
  /** The slug of the contest whose page this is. */
  contest: string
  /** `#NUMBER.SALT.ID` */
  proof: string
  /** How many numbers the contest has. */
  total: number
  openWorker: () => Worker
}

/** The ticket of a proof link. Its secret is compared in the browser; only the number is sent, to get its leaf. */
export function TicketProof({ contest, proof, total, openWorker }: TicketProofProps): ReactNode {
  const [state, setState] = useState<{ proof: string; shown: Shown }>()
  const region = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // A link that is opened on a page that is scrolled down changes what is out of sight.
    region.current?.scrollIntoView({ block: 'nearest' })
    const giveUp = new AbortController()
    const show = (shown: Shown): void => {
      if (!giveUp.signal.aborted) setState({ proof, shown })
    }
    proofOf(contest, proof, openWorker, giveUp.signal).then(show, () => show({ outcome: 'unreachable' }))
    return () => giveUp.abort()
  }, [contest, proof, openWorker])
  return (
    <div ref={region} aria-live="polite">
      <TicketResult outcome={state?.proof === proof ? state.shown : { outcome: 'checking' }} total={total} />
    </div>
  )
}

/** What the public files of a draw say of a proof link; `openWorker` starts the worker that compares. */
export async function proofOf(
  contest: string,
  proof: string,
  openWorker: () => Worker,
  signal: AbortSignal,
): Promise<Shown> {
  const number = Number(/^#(\d{1,8})\./.exec(proof)?.[1] ?? 0)
  if (number === 0) return { outcome: 'malformed' }
  const address = `/draws/${encodeURIComponent(contest)}`
  const [leaf, terms] = await Promise.all([
    fetch(`${address}/leaf?number=${number}`, { signal }),
    fetch(`${address}/terms.txt`, { signal }),
  ])
  if (leaf.status === 404) return { outcome: 'absent', number }
  if (!leaf.ok || !terms.ok) return { outcome: 'unreachable' }
  const question: WorkerQuestion = {
    type: 'leaf',
    contest,
    proof,
    terms: new Uint8Array(await terms.arrayBuffer()),
    response: (await leaf.json()) as LeafResponse,
  }
  const worker = openWorker()
  try {
    return await new Promise<Shown>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) =>
        data.type === 'leaf' ? resolve(data.outcome) : reject(new Error('the ticket could not be checked')),
      )
      worker.addEventListener('error', () => reject(new Error('the worker did not start')))
      worker.postMessage(question)
    })
  } finally {
    worker.terminate()
  }
}

/** What is known of a ticket, in words. */
export function TicketResult({
  outcome,
  total,
}: {
  outcome: Shown
  /** How many numbers the contest has; undefined when that is not known. */
  total: number | undefined
}): ReactNode {
  const t = useTranslations('verify.ticket')
  const number = 'number' in outcome ? shownNumber(outcome.number, total) : ''
  return (
    <section aria-labelledby="verify-ticket" data-ticket={outcome.outcome} className="grid grid-cols-1 gap-3">
      <h2 id="verify-ticket" className="text-title">
        {t('title')}
      </h2>
      {outcome.outcome === 'found' ? (
        <FoundTicket ticket={outcome} number={number} />
      ) : (
        <Alert tone={outcome.outcome === 'checking' ? 'info' : 'error'}>
          <span className="wrap-anywhere">{t(outcome.outcome, { ...outcome, number, form: FORM })}</span>
        </Alert>
      )}
    </section>
  )
}

function FoundTicket({
  ticket,
  number,
}: {
  ticket: Extract<TicketOutcome, { outcome: 'found' }>
  number: string
}): ReactNode {
  const t = useTranslations('verify')
  const { line, since, listed, voided, end } = ticket
  const status =
    listed === null
      ? t('ticket.unsealed')
      : listed === 'valid'
        ? t('ticket.valid')
        : t('ticket.void', { reason: t(`reasons.${listed}`) })
  return (
    <Alert
      tone={since === null || voided !== null ? 'warning' : 'success'}
      title={t('ticket.found', { number, line })}
    >
      <ul className="grid list-disc grid-cols-1 gap-1 pl-5">
        <li>{since === null ? t('ticket.unsigned') : t('ticket.since', { time: timeText(since) })}</li>
        <li>{status}</li>
        {voided !== null && voided !== listed && (
          <li>{t('ticket.voidedLater', { reason: t(`reasons.${voided}`) })}</li>
        )}
        <li>{t(`ticket.${end}`)}</li>
      </ul>
    </Alert>
  )
}
