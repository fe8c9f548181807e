import { type ReactNode, useEffect, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import type { LeafAnswer, TicketAnswer } from '../../protocol/check.ts'
import type { OpenWorker } from './use-check.ts'
import type { WorkerAnswer, WorkerQuestion } from './verify.worker.ts'

/** Who won so far, the forfeited winners included. */
type Winners = readonly { number: number; isForfeited: boolean }[]

type Shown = TicketAnswer | { outcome: 'checking' } | { outcome: 'unreachable' }

const FORM = 'https://HOST/draws/SLUG#NUMBER.SALT.ID'

/** Other fragments name a part of the page. */
const MEANT_AS_PROOF = /^#(?:\d|.*\.)/

interface TicketProofProps {
  /** The slug of the contest whose page this is. */
  contest: string
  winners: Winners
  openWorker: OpenWorker
}

/**
 * The ticket whose proof link opened the page: `#NUMBER.SALT.ID`. Its secret is compared in the browser; only the number
 * is sent, to get its leaf. Nothing without such a fragment.
 */
export function TicketProof({ contest, winners, openWorker }: TicketProofProps): ReactNode {
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => {
    let stop = (): void => undefined
    const look = (): void => {
      stop()
      const { hash } = window.location
      if (!MEANT_AS_PROOF.test(hash)) return setShown(null)
      const giveUp = new AbortController()
      stop = () => giveUp.abort()
      setShown({ outcome: 'checking' })
      proofOf(contest, hash, openWorker, giveUp.signal).then(
        (answer) => !giveUp.signal.aborted && setShown(answer),
        () => !giveUp.signal.aborted && setShown({ outcome: 'unreachable' }),
      )
    }
    look()
    window.addEventListener('hashchange', look)
    return () => {
      window.removeEventListener('hashchange', look)
      stop()
    }
  }, [contest, openWorker])
  return <div aria-live="polite">{shown && <TicketResult answer={shown} winners={winners} />}</div>
}

/** What the public files of a draw say of a proof link; `openWorker` starts the worker that compares. */
export async function proofOf(
  contest: string,
  proof: string,
  openWorker: OpenWorker,
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
    answer: (await leaf.json()) as LeafAnswer,
    row: await listRow(`${address}/list.txt`, number, signal),
  }
  const worker = openWorker()
  try {
    return await new Promise<Shown>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) =>
        data.type === 'leaf' ? resolve(data.answer) : reject(new Error('the ticket could not be checked')),
      )
      worker.addEventListener('error', () => reject(new Error('the worker did not start')))
      worker.postMessage(question)
    })
  } finally {
    worker.terminate()
  }
}

/** The row of a number in the sealed list: null before the seal, empty when there is none. Rows are sorted, so reading ends there. */
export async function listRow(address: string, number: number, signal: AbortSignal): Promise<string | null> {
  const response = await fetch(address, { signal })
  if (response.status === 404) return null
  if (!response.ok || !response.body) throw new Error(`the list was answered with ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    let rest = ''
    for (;;) {
      const { done, value = '' } = await reader.read()
      const lines = (rest + value).split('\n')
      rest = done ? '' : lines.pop()!
      for (const line of lines) {
        // Lines of the header have no TAB.
        const at = line.indexOf('\t') === -1 ? 0 : Number.parseInt(line, 10)
        if (at === number) return line
        if (at > number) return ''
      }
      if (done) return ''
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** What is known of a ticket, in words. */
export function TicketResult({ answer, winners }: { answer: Shown; winners: Winners }): ReactNode {
  const t = useTranslations('verify.ticket')
  return (
    <section aria-labelledby="verify-ticket" data-ticket={answer.outcome} className="grid grid-cols-1 gap-3">
      <h2 id="verify-ticket" className="text-title">
        {t('title')}
      </h2>
      {answer.outcome === 'found' ? (
        <FoundTicket ticket={answer} winners={winners} />
      ) : (
        <Alert tone={answer.outcome === 'checking' ? 'info' : 'error'}>
          <span className="wrap-anywhere">{t(answer.outcome, { ...answer, form: FORM })}</span>
        </Alert>
      )}
    </section>
  )
}

function FoundTicket({
  ticket,
  winners,
}: {
  ticket: Extract<TicketAnswer, { outcome: 'found' }>
  winners: Winners
}): ReactNode {
  const t = useTranslations('verify')
  const { number, line, since, listed, voided } = ticket
  const won = winners.find((winner) => winner.number === number)
  const status =
    listed === null
      ? t('ticket.unsealed')
      : listed === 'valid'
        ? t('ticket.valid')
        : t('ticket.void', { reason: t(`reasons.${listed}`) })
  const end = won
    ? t(won.isForfeited ? 'ticket.forfeited' : 'ticket.won')
    : t(winners.length > 0 ? 'ticket.lost' : 'ticket.undrawn')
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
        <li>{end}</li>
      </ul>
    </Alert>
  )
}

/** As times stand in the files. */
const timeText = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
