import drawWatchMessages from 'virtual:messages/drawWatch'
import { Eye } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { browserCall, needMessages } from '#client/browser.ts'
import { saveFile } from '#client/save-file.ts'
import { serverNow } from '#client/server-clock.ts'
import { useSettings } from '#client/shell.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { formatDay } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { askWorker } from './ask-worker.ts'
import { openShopWorker } from './shop-worker.ts'
import { CONTRADICTIONS, type Contradiction, type WatchOutcome, sizeIn } from './watch.ts'
import { type Watched, keepWatched, watched } from './watched.ts'

await needMessages(drawWatchMessages)

interface Seen {
  outcome: WatchOutcome
  kept: Watched | null
  key: string | null
  now: string
}

const textOf = async (path: string, signal: AbortSignal): Promise<string | null> => {
  const response = await fetch(path, { signal })
  return response.ok ? await response.text() : null
}

/** The key in the terms of a contest; without one, of any. */
async function keyOf(contest: string | undefined, signal: AbortSignal): Promise<string | null> {
  const slug =
    contest ??
    (await drawsApi(browserCall()).draws('', signal)).items.find(({ terms }) => terms)?.contest.slug
  if (slug === undefined) return null
  const terms = await textOf(`/draws/${encodeURIComponent(slug)}/terms.txt`, signal)
  return /^log-key: (.+)$/m.exec(terms ?? '')?.[1] ?? null
}

/** Asks the shop for its register, and the worker what that is worth; only two sizes are sent. */
async function look(contest: string | undefined, signal: AbortSignal): Promise<Seen | null> {
  const kept = watched()
  const key = contest === undefined && kept ? null : await keyOf(contest, signal)
  // A shop without a draw has no register yet.
  const now = kept || key !== null ? await textOf('/draws/checkpoint', signal) : null
  if (now === null) return null
  const sizes = [sizeIn(kept?.note ?? ''), sizeIn(now)].filter((size) => size !== undefined)
  const [first, second] = sizes.toSorted((one, other) => one - other)
  const proof =
    first === undefined || second === undefined || first === second || first === 0
      ? []
      : await proofOf(first, second, signal)
  const outcome = await askWorker(openShopWorker, { type: 'watch', kept, key, now, proof }, signal)
  return { outcome, kept, key, now }
}

async function proofOf(first: number, second: number, signal: AbortSignal): Promise<string[] | null> {
  const text = await textOf(`/draws/consistency?first=${first}&second=${second}`, signal)
  try {
    const { proof } = JSON.parse(text ?? '') as { proof: unknown }
    return Array.isArray(proof) ? proof.map(String) : null
  } catch {
    return null
  }
}

const isContradiction = (outcome: WatchOutcome): outcome is Contradiction =>
  (CONTRADICTIONS as readonly string[]).includes(outcome)

/** What was seen before stays as it is when something contradicts it: it is the evidence. */
function remember({ outcome, kept, key, now }: Seen): void {
  if (outcome === 'forgotten' && key !== null)
    keepWatched({ key, since: new Date(serverNow()).toISOString(), note: now })
  if (outcome === 'newer' && kept) keepWatched({ ...kept, note: now })
}

/**
 * Compares the register of all draws with what this browser has seen of it before, and says so in one quiet line, or as an
 * alert at the top of the page. @param contest whose terms name the key
 */
export function RegisterWatch({ contest }: { contest?: string | undefined }): ReactNode {
  const [seen, setSeen] = useState<Seen | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    look(contest, signal).then(
      (found) => {
        if (signal.aborted || !found) return
        remember(found)
        setSeen(found)
      },
      // Without a network, or without workers, there is nothing to say.
      () => undefined,
    )
    return () => leaving.abort()
  }, [contest])
  if (!seen || seen.outcome === 'unreadable') return null
  const { outcome, kept } = seen
  if (isContradiction(outcome) && kept)
    return (
      <Contradicted
        outcome={outcome}
        kept={kept}
        now={seen.now}
        forget={
          seen.key === null
            ? undefined
            : () => {
                const anew = { ...seen, outcome: 'forgotten' } as const
                remember(anew)
                setSeen(anew)
              }
        }
      />
    )
  return <Line outcome={outcome} since={kept?.since} />
}

function Line({ outcome, since }: { outcome: WatchOutcome; since: string | undefined }): ReactNode {
  const t = useTranslations('drawWatch')
  const date = since === undefined ? '' : formatDay(since.slice(0, 10))
  return (
    <p data-watch={outcome} className="flex gap-2 text-sm text-muted print:hidden">
      <Eye aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {outcome === 'forgotten' ? t('first') : t(outcome === 'unproven' ? 'unproven' : 'same', { date })}
    </p>
  )
}

interface ContradictedProps {
  outcome: Contradiction
  kept: Watched
  now: string
  forget: (() => void) | undefined
}

function Contradicted({ outcome, kept, now, forget }: ContradictedProps): ReactNode {
  const t = useTranslations('drawWatch')
  const { contactEmail } = useSettings()
  const save = (note: string, name: string): void =>
    saveFile(new Blob([note], { type: 'text/plain;charset=utf-8' }), name)
  const date = formatDay(kept.since.slice(0, 10))
  return (
    <div role="alert" data-watch={outcome} className="order-first print:hidden">
      <Alert
        tone="error"
        title={t('alert.title')}
        actions={
          <>
            <Button size="small" variant="secondary" onClick={() => save(kept.note, 'checkpoint-kept.txt')}>
              {t('alert.kept')}
            </Button>
            <Button size="small" variant="secondary" onClick={() => save(now, 'checkpoint-now.txt')}>
              {t('alert.now')}
            </Button>
            {forget && (
              <Button size="small" variant="ghost" onClick={forget}>
                {t('alert.forget')}
              </Button>
            )}
          </>
        }
      >
        <div className="grid max-w-[68ch] gap-2">
          <p>{t(`alert.${outcome}`, { date })}</p>
          <p>{t('alert.means')}</p>
          <p>{t('alert.act', { email: contactEmail })}</p>
          <p>{t('alert.demonstration')}</p>
        </div>
      </Alert>
    </div>
  )
}
