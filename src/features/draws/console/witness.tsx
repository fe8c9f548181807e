import { sha256 } from '@noble/hashes/sha2.js'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { TextArea, TextInput } from '#ui/inputs.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { ConfirmDialog, Facts, Section, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import { useRead } from '#console/kit/use-read.ts'
import { fromHex, toBase64, toBytes } from '../protocol/bytes.ts'
import {
  type KeptCheckpoint,
  type SigningRefusal,
  checkpointOf,
  keptOf,
  keyProofText,
  refusalToSign,
  witnessLine,
} from '../protocol/witness.ts'
import type { WitnessDraw } from '../witness.contract.ts'
import { type OwnKey, keepKey, keepOfLog, keptOfLog, newKey, ownKey, signWith } from './witness-store.ts'

const KEY_PATH = '/api/staff/witness/key/'

/** The proof between what was signed last and a checkpoint, whichever is larger. */
async function proofBetween(slug: string, a: number, b: number): Promise<Uint8Array[]> {
  if (a === b) return []
  const [first, second] = [Math.min(a, b), Math.max(a, b)]
  const answer = await fetch(`/draws/${encodeURIComponent(slug)}/consistency?first=${first}&second=${second}`)
  // A log that has become shorter than what was signed has no proof, and is refused.
  if (answer.status === 404) return []
  if (!answer.ok) throw new Error(`no proof: status ${answer.status}`)
  return ((await answer.json()) as { proof: string[] }).proof.map(fromHex)
}

const pathOf = (offerId: number): string => `/api/staff/draws/${offerId}/witness/`

/** For a witness: a key of their own, and the checkpoints of a draw that it countersigns. */
export function WitnessSection({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('consoleDrawActions.witness')
  const [version, setVersion] = useState(0)
  const [own, setOwn] = useState<OwnKey | null>()
  const { answer, error } = useRead<WitnessDraw>(pathOf(offerId), version)
  useEffect(() => {
    ownKey().then(
      (key) => setOwn(key ?? null),
      () => setOwn(null),
    )
  }, [version])
  const refresh = (): void => setVersion((before) => before + 1)
  const isHere =
    own != null && answer?.key?.verifier_key.endsWith(`+${toBase64(Uint8Array.of(1, ...own.publicKey))}`)
  return (
    <Section title={t('title')}>
      <p className="text-muted">{t('text')}</p>
      <div role="alert" className="empty:absolute">
        {error !== undefined && <Alert tone="error">{error}</Alert>}
      </div>
      {answer && own !== undefined && (
        <>
          {answer.key ? (
            <Facts
              facts={[
                [
                  t('key'),
                  <code key="key" className="text-xs wrap-anywhere">
                    {answer.key.verifier_key}
                  </code>,
                ],
              ]}
            />
          ) : (
            <NewKey host={answer.host} onDone={refresh} />
          )}
          {answer.key && !isHere && <Alert tone="info">{t('elsewhere')}</Alert>}
          {answer.key &&
            answer.checkpoints.map((one) => (
              <Signing
                key={`${one.of} ${one.id}`}
                offerId={offerId}
                draw={answer}
                checkpoint={one}
                own={isHere ? own : null}
                onDone={refresh}
              />
            ))}
          {answer.key && <EndKey onDone={refresh} />}
        </>
      )}
    </Section>
  )
}

function NewKey({ host, onDone }: { host: string; onDone: () => void }): ReactNode {
  const t = useTranslations('consoleDrawActions.witness')
  const action = useAction()
  const [typed, setTyped] = useState({ name: '', public_key: '', proof: '' })
  const [isByHand, setByHand] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const name = typed.name.trim().replaceAll(/\s+/g, '-')

  async function create(): Promise<void> {
    const made = await newKey()
    if (!made) {
      setMissing(true)
      setByHand(true)
      return
    }
    const done = await action.run(async () => {
      const proof = toBase64(await signWith(made, toBytes(keyProofText(host, name))))
      const body = { name, public_key: toBase64(made.publicKey), proof }
      await keepKey({ name, ...made })
      await consoleCall('POST', KEY_PATH, { body })
    }, t('keyMade'))
    if (done) onDone()
  }
  async function register(): Promise<void> {
    const body = { ...typed, name }
    if (await action.run(() => consoleCall('POST', KEY_PATH, { body }), t('keyMade'))) onDone()
  }

  const text = (field: 'name' | 'public_key' | 'proof', hint?: string): ReactNode => (
    <Field label={t(`fields.${field}`)} hint={hint} error={action.fields[field]}>
      {(ids) => (
        <TextInput
          {...ids}
          autoComplete="off"
          value={typed[field]}
          onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
        />
      )}
    </Field>
  )
  const fault = Object.keys(action.fields).length === 0 ? action.error : undefined
  return (
    <form
      noValidate
      className="grid max-w-xl grid-cols-1 gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void (isByHand ? register() : create())
      }}
    >
      <p>{t('keyText')}</p>
      {isMissing && <Alert tone="warning">{t('noEd25519')}</Alert>}
      {text('name', t('nameHint'))}
      {isByHand && (
        <>
          <p>{t('byHandText')}</p>
          <pre className="rounded-md bg-sunken p-4 text-xs whitespace-pre-wrap wrap-anywhere">
            {keyProofText(host, name || 'NAME')}
          </pre>
          {text('public_key')}
          {text('proof')}
        </>
      )}
      <div role="alert" className="empty:absolute">
        {fault !== undefined && <Alert tone="error">{fault}</Alert>}
      </div>
      <div className="flex flex-wrap gap-3 max-sm:*:grow">
        <Button type="submit" busy={action.isBusy}>
          {t(isByHand ? 'register' : 'create')}
        </Button>
        {!isByHand && (
          <Button variant="ghost" onClick={() => setByHand(true)}>
            {t('byHand')}
          </Button>
        )}
      </div>
    </form>
  )
}

interface SigningProps {
  offerId: number
  draw: WitnessDraw
  checkpoint: WitnessDraw['checkpoints'][number]
  /** The key of this browser; null when the witness signs elsewhere. */
  own: OwnKey | null
  onDone: () => void
}

function Signing({ offerId, draw, checkpoint, own, onDone }: SigningProps): ReactNode {
  const t = useTranslations('consoleDrawActions.witness')
  const time = useTime()
  const action = useAction()
  const [refused, setRefused] = useState<SigningRefusal>()
  const [line, setLine] = useState('')
  const { id, of, size, at, note, is_signed: isSigned } = checkpoint
  const { origin, slug, log_key: logKey } = draw

  /** @returns what was kept, when there is no reason to refuse */
  async function look(): Promise<{ kept: KeptCheckpoint | null } | undefined> {
    const kept = (await keptOfLog(origin)) ?? null
    const proof = kept ? await proofBetween(slug, kept.size, size) : []
    const refusal = refusalToSign({ note, origin, logKey, kept, proof }, sha256)
    setRefused(refusal ?? undefined)
    return refusal ? undefined : { kept }
  }
  async function sign(): Promise<void> {
    const done = await action.run(async () => {
      const looked = await look()
      if (!looked) return
      const read = checkpointOf(note)
      const signed = own
        ? witnessLine({ name: own.name, publicKey: own.publicKey }, await signWith(own, read.text), sha256)
        : line.trim()
      await consoleCall('POST', pathOf(offerId), { body: { checkpoint: id, line: signed } })
      if (!looked.kept || looked.kept.size <= size) await keepOfLog(origin, keptOf(read, logKey))
    })
    if (done) onDone()
  }

  const fault = Object.keys(action.fields).length === 0 ? action.error : undefined
  return (
    <div className="grid grid-cols-1 gap-3 rounded-md border border-line p-4">
      <h3 className="flex flex-wrap items-center gap-2 font-semibold">
        {t(`of.${of}`)}
        {isSigned && <Badge tone="success">{t('signed')}</Badge>}
      </h3>
      <p className="text-sm text-muted">{t('state', { size, when: time(at) })}</p>
      <pre className="rounded-md bg-sunken p-4 text-xs whitespace-pre-wrap wrap-anywhere">{note}</pre>
      {refused && <Alert tone="error">{t(`refused.${refused}`)}</Alert>}
      <div role="alert" className="empty:absolute">
        {fault !== undefined && <Alert tone="error">{fault}</Alert>}
      </div>
      {!isSigned && (
        <>
          {!own && (
            <Field label={t('line')} hint={t('lineHint')} error={action.fields['line']}>
              {(ids) => (
                <TextArea
                  {...ids}
                  rows={2}
                  spellCheck={false}
                  value={line}
                  onChange={(event) => setLine(event.target.value)}
                />
              )}
            </Field>
          )}
          <Button className="justify-self-start" busy={action.isBusy} onClick={() => void sign()}>
            {t(own ? 'sign' : 'publish')}
          </Button>
        </>
      )}
    </div>
  )
}

function EndKey({ onDone }: { onDone: () => void }): ReactNode {
  const t = useTranslations('consoleDrawActions.witness')
  const action = useAction()
  const [isAsked, setAsked] = useState(false)
  const end = async (): Promise<boolean> => {
    const isDone = await action.run(() => consoleCall('POST', `${KEY_PATH}end/`), t('keyEnded'))
    if (isDone) onDone()
    return isDone
  }
  return (
    <>
      <Button size="small" variant="secondary" className="justify-self-start" onClick={() => setAsked(true)}>
        {t('end')}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={t('end')}
          confirm={t('end')}
          isDanger
          action={action}
          onClose={() => setAsked(false)}
          onConfirm={end}
        >
          <p>{t('endText')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
