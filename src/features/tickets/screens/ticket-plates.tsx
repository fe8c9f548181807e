import { Download } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { AppLink } from '#client/app-link.tsx'
import { matchesMedia, onMediaChange } from '#client/browser-parts.ts'
import { saveFile } from '#client/save-file.ts'
import { useAppDispatch } from '#client/state.ts'
import { toast } from '#client/toast.ts'
import { Button } from '#ui/button.tsx'
import { Plate } from '#ui/plate.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import type { Ticket } from '../tickets.contract.ts'
import { downloadTicket, downloadTickets } from './tickets-slice.ts'

/** A few rows on a phone. */
const COLLAPSED = 12

/** Pressing a plate downloads its ticket. */
export function TicketPlates({ tickets, title }: { tickets: readonly Ticket[]; title: string }): ReactNode {
  const t = useTranslations('tickets')
  const [open, setOpen] = useState(false)
  const { download, loadingId } = useDownload()
  const isLong = tickets.length > COLLAPSED + 1
  const size = isLong ? 'small' : 'medium'
  const printing = usePrinting()
  const shown = isLong && !open && !printing ? tickets.slice(0, COLLAPSED) : tickets

  return (
    <div className="grid grid-cols-1 gap-4">
      <ul aria-label={t('numbers', { title })} className="flex flex-wrap gap-x-1 gap-y-2 sm:gap-x-3">
        {shown.map((ticket) => (
          <li key={ticket.id} className="max-w-full">
            <PlateButton
              ticket={ticket}
              size={size}
              loading={loadingId === ticket.id}
              onDownload={() => void download(ticket)}
            />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3 print:hidden">
        {isLong && (
          <Button variant="secondary" size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t('showLess') : t('showAll', { count: tickets.length })}
          </Button>
        )}
        <DownloadAll tickets={tickets} />
        <Proofs tickets={tickets} />
      </div>
      <p role="status" className="sr-only">
        {loadingId !== undefined && t('downloading', { number: numberOf(tickets, loadingId) })}
      </p>
    </div>
  )
}

/** The links to the public log, which few want: made when they are opened. */
function Proofs({ tickets }: { tickets: readonly Ticket[] }): ReactNode {
  const t = useTranslations('tickets')
  const [open, setOpen] = useState(false)
  const logged = tickets.filter(({ proof_link: link }) => link !== null)
  if (logged.length === 0) return null
  return (
    <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer py-2 text-muted">
        {t('proofs', { count: logged.length })}
      </summary>
      {open && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {logged.map(({ id, proof_link: link, ticket_number: number }) => (
            <li key={id}>
              <AppLink to={link ?? ''} className="prose-link inline-block py-1.5 tabular-nums">
                <span className="sr-only">{t('proof')} </span>
                {number}
              </AppLink>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

interface PlateButtonProps {
  ticket: Ticket
  size: 'small' | 'medium'
  loading: boolean
  onDownload: () => void
}

function PlateButton({ ticket, size, loading, onDownload }: PlateButtonProps): ReactNode {
  const t = useTranslations('tickets')
  const { ticket_number: number, status, source } = ticket
  const isVoid = status === 'void'
  const remark = isVoid ? t('void') : source === 'postal' ? t('postal') : undefined
  return (
    <button
      type="button"
      disabled={loading}
      onClick={onDownload}
      className="prints group inline-flex min-h-11 max-w-full flex-wrap items-center gap-1.5 rounded-md pr-1 hover:bg-sunken"
    >
      <Plate size={size} isVoid={isVoid} label={t('download', { number })}>
        {number}
      </Plate>
      {loading ? (
        <Spinner />
      ) : (
        <Download aria-hidden="true" className="size-5 text-muted group-hover:text-ink print:hidden" />
      )}
      {remark && <span className="text-xs text-muted">{remark}</span>}
    </button>
  )
}

/** Void tickets are not in the file. */
function DownloadAll({ tickets }: { tickets: readonly Ticket[] }): ReactNode {
  const t = useTranslations('tickets')
  const dispatch = useAppDispatch()
  const [busy, setBusy] = useState(false)
  const [first, second] = tickets.filter(({ status }) => status === 'valid')
  if (!first || !second) return null

  async function download({ offer_slug: slug }: Ticket): Promise<void> {
    setBusy(true)
    const action = await dispatch(downloadTickets(slug))
    setBusy(false)
    if (downloadTickets.fulfilled.match(action))
      return saveFile(action.payload, `${t('fileName')}-${slug}.pdf`)
    toast.error(action.payload?.message ?? '')
  }

  return (
    <Button variant="secondary" size="small" busy={busy} onClick={() => void download(first)}>
      <Download aria-hidden="true" className="size-5" />
      {t('downloadAll')}
    </Button>
  )
}

const numberOf = (tickets: readonly Ticket[], id: string): string =>
  tickets.find((ticket) => ticket.id === id)?.ticket_number ?? ''

/** One download at a time. */
function useDownload() {
  const t = useTranslations('tickets')
  const dispatch = useAppDispatch()
  const [loadingId, setLoadingId] = useState<string>()

  async function download(ticket: Ticket): Promise<void> {
    if (loadingId !== undefined) return
    setLoadingId(ticket.id)
    const action = await dispatch(downloadTicket(ticket.id))
    setLoadingId(undefined)
    const number = ticket.ticket_number
    if (downloadTicket.fulfilled.match(action)) {
      saveFile(action.payload.data, `${t('fileName')}-${ticket.offer_slug}-${number}.pdf`)
      return toast.success(t('downloaded', { number }))
    }
    toast.error(t('downloadError', { number }), action.payload && { description: action.payload.message })
  }

  return { download, loadingId }
}

/** Paper shows the whole list. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    // The browser lays out the print right after the event.
    const turn = (now: boolean) => flushSync(() => setPrinting(now))
    const leaving = new AbortController()
    const { signal } = leaving
    window.addEventListener('beforeprint', () => turn(true), { signal })
    window.addEventListener('afterprint', () => turn(false), { signal })
    const stop = onMediaChange('print', () => turn(matchesMedia('print')))
    return () => {
      leaving.abort()
      stop()
    }
  }, [])
  return printing
}
