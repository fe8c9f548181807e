import drawTicketMessages from 'virtual:messages/drawTicket'
import verifyFaultsMessages from 'virtual:messages/verifyFaults'
import verifyReportMessages from 'virtual:messages/verifyReport'
import { FileUp, ShieldCheck } from 'lucide-react'
import {
  type DragEvent,
  type ReactNode,
  Suspense,
  lazy,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { needMessages } from '#client/browser.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { Progress as ProgressBar } from '#ui/progress.tsx'
import type { PackQuestion } from '#draw-protocol/check.ts'
import { type Kept, KeptFields, NOTHING_KEPT, keptOf } from './kept-fields.tsx'
import { type OpenWorker, useCheck } from './use-check.ts'

type Files = PackQuestion['files']

interface VerifyProps {
  openWorker: OpenWorker
  /** The address of a draw's evidence pack, on this host. Without it the reader chooses files. */
  evidence?: string
  /** A proof link that is checked along with the files. */
  proof?: string
  /** The hashes of an e-mail's link, which are compared first of all. */
  emailed?: Pick<Kept, 'termsHash' | 'listHash'>
  /** The address of the Python program, where there is a shop to load it from. */
  program?: string
  /** Whom to write to. */
  contact?: string
  /** Begins at once and takes the focus: somebody has pressed what it takes the place of. */
  isAsked?: boolean
}

/** Opens a worker when what shows its findings is there: a page needs that only once something is checked. */
export const withSentences = (open: () => Worker) => async (): Promise<Worker> => {
  await Promise.all([
    needMessages(verifyFaultsMessages, verifyReportMessages, drawTicketMessages),
    reportPart(),
  ])
  return open()
}

/** Checks a draw in a worker of the browser and says each step in words. */
export function Verify({
  openWorker,
  evidence,
  proof = '',
  emailed,
  program,
  contact,
  isAsked = false,
}: VerifyProps): ReactNode {
  const t = useTranslations('verify')
  const { state, start } = useCheck(openWorker)
  const [kept, setKept] = useState<Kept>({ ...NOTHING_KEPT, ...emailed, proof })
  const [files, setFiles] = useState<Files | null>(null)
  const [bytes, setBytes] = useState<LoadedBytes>({ done: 0, total: null })
  const [said, setSaid] = useState('')
  const region = useRef<HTMLDivElement>(null)

  const check = (chosen: Files | null): void => {
    setFiles(chosen)
    const source = chosen ?? (evidence === undefined ? null : () => loadedPack(evidence, setBytes))
    if (source) start(source, keptOf(kept))
  }
  const begin = useEffectEvent(() => {
    region.current?.focus()
    check(null)
  })
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- because the press came before this part was loaded
    if (isAsked) begin()
  }, [isAsked])
  const isChecked = state.phase !== 'idle' && state.phase !== 'loading'
  const report = (state.phase === 'checking' || state.phase === 'done') && (
    <Suspense>
      <Report
        state={state}
        emailed={emailed}
        fileName={files?.length === 1 ? files[0]!.name : nameIn(evidence)}
        program={program}
        contact={contact}
        onSay={setSaid}
      />
    </Suspense>
  )
  return (
    <div ref={region} tabIndex={-1} className="grid grid-cols-1 gap-6">
      <noscript>
        <Alert tone="warning">{t('noScript')}</Alert>
      </noscript>
      {evidence !== undefined && (
        <div>
          <Button
            size="large"
            className="wrap-anywhere"
            busy={state.phase === 'loading'}
            onClick={() => check(null)}
          >
            <ShieldCheck aria-hidden="true" className="size-5 shrink-0" />
            {t(isChecked && files === null ? 'again' : 'start')}
          </Button>
        </div>
      )}
      <p role="status" className="sr-only">
        {state.phase in SAID ? t(SAID[state.phase as keyof typeof SAID]) : state.phase !== 'idle' && said}
      </p>
      {state.phase === 'loading' && <LoadProgress {...bytes} />}
      {(state.phase === 'loadFailed' || state.phase === 'broken') && (
        <Alert tone="error">{t(state.phase)}</Alert>
      )}
      {evidence !== undefined && report}
      <FileChoice isSecond={evidence !== undefined} files={files} onChoose={check} />
      <KeptFields
        kept={kept}
        onChange={setKept}
        onCheck={files || (evidence !== undefined && isChecked) ? () => check(files) : undefined}
      />
      {evidence === undefined && report}
    </div>
  )
}

/** What screen readers hear beside what the report says. */
const SAID = { loading: 'loading', loadFailed: 'loadFailed', broken: 'broken' } as const

const reportPart = async () => ({ default: (await import('./report.tsx')).Report })
const Report = lazy(reportPart)

/** The name in the last part of an address. */
const nameIn = (address: string | undefined): string | null => address?.split('/').at(-1) ?? null

export interface LoadedBytes {
  done: number
  /** Null when the server does not say it beforehand. */
  total: number | null
}

/** With one decimal. */
const inMegabytes = (bytes: number): number => Math.floor(bytes / 100_000) / 10
/** A large pack comes in thousands of parts. */
const TOLD_EVERY_BYTES = 100_000

/** The files of an evidence pack, with word of what has come. */
export async function loadedPack(address: string, onProgress: (bytes: LoadedBytes) => void): Promise<Files> {
  const response = await fetch(address, { credentials: 'same-origin' })
  if (!response.ok || !response.body) throw new Error(`the evidence pack came with ${response.status}`)
  const total = Number(response.headers.get('content-length') ?? 0) || null
  const parts: Uint8Array<ArrayBuffer>[] = []
  let [done, told] = [0, 0]
  onProgress({ done, total })
  for (const reader = response.body.getReader(); ;) {
    const { value, done: isEnd } = await reader.read()
    if (isEnd) return [{ name: nameIn(address)!, content: new Blob(parts) }]
    parts.push(value)
    done += value.length
    if (done - told < TOLD_EVERY_BYTES) continue
    told = done
    onProgress({ done, total })
  }
}

export function LoadProgress({ done, total }: LoadedBytes): ReactNode {
  const t = useTranslations('verify')
  const text =
    total === null
      ? t('loaded', { done: inMegabytes(done) })
      : t('loadedOf', { done: inMegabytes(done), total: inMegabytes(total) })
  return (
    <div className="grid grid-cols-1 gap-2">
      <p>{text}</p>
      {total !== null && <ProgressBar value={done} total={total} label={text} />}
    </div>
  )
}

interface FileChoiceProps {
  isSecond: boolean
  files: Files | null
  onChoose: (files: Files) => void
}

function FileChoice({ isSecond, files, onChoose }: FileChoiceProps): ReactNode {
  const t = useTranslations('verify')
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const choose = (list: FileList | null): void => {
    if (list && list.length > 0) onChoose([...list].map((file) => ({ name: file.name, content: file })))
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    choose(event.dataTransfer.files)
  }
  return (
    <div
      className={classes(
        'grid grid-cols-1 justify-items-start gap-3 rounded-lg border-2 border-dashed p-5 sm:p-6',
        isOver ? 'border-signal bg-signal-soft' : 'border-line-strong bg-surface',
      )}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2 className="text-title">{t(isSecond ? 'choose.own' : 'choose.title')}</h2>
      <p className="max-w-[68ch] text-muted">{t('choose.text')}</p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          choose(event.target.files)
          // The same files can be chosen again.
          event.target.value = ''
        }}
      />
      <Button variant={isSecond ? 'secondary' : 'primary'} onClick={() => input.current?.click()}>
        <FileUp aria-hidden="true" className="size-5 shrink-0" />
        {t('choose.button')}
      </Button>
      {files && (
        <p className="text-sm wrap-anywhere text-muted">
          {t('choose.chosen', { count: files.length, names: files.map(({ name }) => name).join(', ') })}
        </p>
      )}
    </div>
  )
}
