import { sha256 } from '@noble/hashes/sha2.js'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { ActionForm, TextAreaField, TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Facts, Fault, Hash, Section, useTime } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import { useRead } from '#console-kit/use-read.ts'
import { fromHex, toBase64, toBytes } from '#draw-protocol/bytes.ts'
import {
  type KeptCheckpoint,
  type SigningRefusal,
  checkpointOf,
  keptOf,
  keyProofText,
  refusalToSign,
  witnessLine,
} from '#draw-protocol/witness.ts'
import type { WitnessDraw } from '../witness.contract.ts'
import { type OwnKey, keepKey, keepOfLog, keptOfLog, newKey, ownKey, signWith } from './witness-store.ts'

const KEY_PATH = '/api/staff/witness/key/'

/** The proof between what was signed last and a checkpoint, whichever is larger. */
async function proofBetween(slug: string, a: number, b: number): Promise<Uint8Array[]> {
  if (a === b) return []
  const [first, second] = [Math.min(a, b), Math.max(a, b)]
  const response = await fetch(
    `/draws/${encodeURIComponent(slug)}/consistency?first=${first}&second=${second}`,
  )
  // A log that has become shorter than what was signed has no proof, and is refused.
  if (response.status === 404) return []
  if (!response.ok) throw new Error(`no proof: status ${response.status}`)
  return ((await response.json()) as { proof: string[] }).proof.map(fromHex)
}

const pathOf = (offerId: number): string => `/api/staff/draws/${offerId}/witness/`

/** For a witness: a key of their own, and the checkpoints of a draw that it countersigns. */
export function WitnessSection({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('consoleDrawActions.witness')
  const [version, setVersion] = useState(0)
  const [own, setOwn] = useState<OwnKey | null>()
  const { response, error } = useRead<WitnessDraw>(pathOf(offerId), version)
  useEffect(() => {
    ownKey().then(
      (key) => setOwn(key ?? null),
      () => setOwn(null),
    )
  }, [version])
  const refresh = (): void => setVersion((before) => before + 1)
  const isHere =
    own != null && response?.key?.verifier_key.endsWith(`+${toBase64(Uint8Array.of(1, ...own.publicKey))}`)
  return (
    <Section title={t('title')}>
      <p className="text-muted">{t('text')}</p>
      <Fault error={error} />
      {response && own !== undefined && (
        <>
          {response.key ? (
            <Facts facts={[[t('key'), <Hash key="key" text={response.key.verifier_key} />]]} />
          ) : (
            <NewKey host={response.host} onDone={refresh} />
          )}
          {response.key && !isHere && <Alert tone="info">{t('elsewhere')}</Alert>}
          {response.key &&
            response.checkpoints.map((one) => (
              <Signing
                key={`${one.of} ${one.id}`}
                offerId={offerId}
                draw={response}
                checkpoint={one}
                own={isHere ? own : null}
                onDone={refresh}
              />
            ))}
          {response.key && <EndKey onDone={refresh} />}
        </>
      )}
    </Section>
  )
}

function NewKey({ host, onDone }: { host: string; onDone: () => void }): ReactNode {
  const t = useTranslations('consoleDrawActions.witness')
  const form = useFields({ name: '', public_key: '', proof: '' })
  const [isByHand, setByHand] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const name = form.values.name.trim().replaceAll(/\s+/g, '-')

  async function create(): Promise<void> {
    const made = await newKey()
    if (!made) {
      setMissing(true)
      setByHand(true)
      return
    }
    const done = await form.run(async () => {
      const proof = toBase64(await signWith(made, toBytes(keyProofText(host, name))))
      const body = { name, public_key: toBase64(made.publicKey), proof }
      await keepKey({ name, ...made })
      await consoleCall('POST', KEY_PATH, { body })
    }, t('keyMade'))
    if (done) onDone()
  }
  async function register(): Promise<void> {
    const body = { ...form.values, name }
    if (await form.run(() => consoleCall('POST', KEY_PATH, { body }), t('keyMade'))) onDone()
  }

  const text = (field: 'name' | 'public_key' | 'proof', hint?: string): ReactNode => (
    <TextField label={t(`fields.${field}`)} hint={hint} autoComplete="off" {...form.field(field)} />
  )
  return (
    <ActionForm
      action={form}
      className="grid max-w-xl grid-cols-1 gap-4"
      onSend={isByHand ? register : create}
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
      <Fault error={form.fault} />
      <div className="flex flex-wrap gap-3 max-sm:*:grow">
        <Button type="submit" busy={form.isBusy}>
          {t(isByHand ? 'register' : 'create')}
        </Button>
        {!isByHand && (
          <Button variant="ghost" onClick={() => setByHand(true)}>
            {t('byHand')}
          </Button>
        )}
      </div>
    </ActionForm>
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
  const form = useFields({ line: '' })
  const [refused, setRefused] = useState<SigningRefusal>()
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
    const done = await form.run(async () => {
      const looked = await look()
      if (!looked) return
      const read = checkpointOf(note)
      const signed = own
        ? witnessLine({ name: own.name, publicKey: own.publicKey }, await signWith(own, read.text), sha256)
        : form.values.line.trim()
      await consoleCall('POST', pathOf(offerId), { body: { checkpoint: id, line: signed } })
      if (!looked.kept || looked.kept.size <= size) await keepOfLog(origin, keptOf(read, logKey))
    })
    if (done) onDone()
  }

  return (
    <div className="grid grid-cols-1 gap-3 rounded-md border border-line p-4">
      <h3 className="flex flex-wrap items-center gap-2 font-semibold">
        {t(`of.${of}`)}
        {isSigned && <Badge tone="success">{t('signed')}</Badge>}
      </h3>
      <p className="text-sm text-muted">{t('state', { size, when: time(at) })}</p>
      <pre className="rounded-md bg-sunken p-4 text-xs whitespace-pre-wrap wrap-anywhere">{note}</pre>
      {refused && <Alert tone="error">{t(`refused.${refused}`)}</Alert>}
      <Fault error={form.fault} />
      {!isSigned && (
        <>
          {!own && (
            <TextAreaField
              label={t('line')}
              hint={t('lineHint')}
              rows={2}
              spellCheck={false}
              {...form.field('line')}
            />
          )}
          <Button className="justify-self-start" busy={form.isBusy} onClick={() => void sign()}>
            {t(own ? 'sign' : 'publish')}
          </Button>
        </>
      )}
    </div>
  )
}

function EndKey({ onDone }: { onDone: () => void }): ReactNode {
  const t = useTranslations('consoleDrawActions.witness')
  const [isAsked, setAsked] = useState(false)
  const end = async (): Promise<void> => {
    await consoleCall('POST', `${KEY_PATH}end/`)
    onDone()
  }
  return (
    <>
      <Button size="small" variant="secondary" className="justify-self-start" onClick={() => setAsked(true)}>
        {t('end')}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={t('end')}
          isDanger
          act={end}
          done={t('keyEnded')}
          onClose={() => setAsked(false)}
        >
          <p>{t('endText')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
