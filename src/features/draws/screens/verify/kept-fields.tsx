import { type DragEvent, type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { TextArea, TextInput } from '#ui/inputs.tsx'
import type { PackQuestion } from '#draw-protocol/check.ts'

/** What the reader typed or pasted. */
export interface Kept {
  termsHash: string
  listHash: string
  checkpoints: string
  /** Witnesses whom the reader trusts, as a policy. */
  policy: string
  proof: string
}

export const NOTHING_KEPT: Kept = { termsHash: '', listHash: '', checkpoints: '', policy: '', proof: '' }

const HASH = /^[0-9a-f]{64}$/
const hashOf = (text: string): string => text.replaceAll(/\s/g, '').toLowerCase()
const isHash = (text: string): boolean => text.trim() === '' || HASH.test(hashOf(text))

/** A checkpoint as it was signed: line ends of other systems and empty lines around it come from copying. */
const noteOf = (text: string): string => {
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll(/^\n+|\s+$/g, '')
  return lines === '' ? '' : `${lines}\n`
}

/** As it is compared; a hash that is none is left out, and its field says so. */
export const keptOf = ({
  termsHash,
  listHash,
  checkpoints,
  policy,
  proof,
}: Kept): Omit<PackQuestion, 'files'> => ({
  kept: {
    termsHash: isHash(termsHash) ? hashOf(termsHash) : '',
    listHash: isHash(listHash) ? hashOf(listHash) : '',
    checkpoints: noteOf(checkpoints),
    policy: noteOf(policy),
  },
  proof: proof.trim(),
})

interface KeptFieldsProps {
  kept: Kept
  onChange: (kept: Kept) => void
  /** Checks the same files again; undefined while there are none. */
  onCheck: (() => void) | undefined
}

/** Fields for what is stronger than the files: hashes, checkpoints, and the proof link of a ticket. */
export function KeptFields({ kept, onChange, onCheck }: KeptFieldsProps): ReactNode {
  const t = useTranslations('verify.kept')
  const [isTried, setTried] = useState(false)
  const hashField = (name: 'termsHash' | 'listHash'): ReactNode => (
    <Field
      label={t(name)}
      hint={t('hashHint')}
      error={isTried && !isHash(kept[name]) ? t('hashWrong') : undefined}
    >
      {(ids) => (
        <TextInput
          {...ids}
          value={kept[name]}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ ...kept, [name]: event.target.value })}
          onBlur={() => setTried(true)}
        />
      )}
    </Field>
  )
  const drop = async (name: 'checkpoints' | 'policy', event: DragEvent): Promise<void> => {
    const [file] = event.dataTransfer.files
    if (!file) return
    event.preventDefault()
    event.stopPropagation()
    onChange({ ...kept, [name]: await file.text() })
  }
  const fileField = (name: 'checkpoints' | 'policy'): ReactNode => (
    <Field label={t(name)} hint={t(`${name}Hint`)}>
      {(ids) => (
        <TextArea
          {...ids}
          value={kept[name]}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ ...kept, [name]: event.target.value })}
          onDrop={(event) => void drop(name, event)}
        />
      )}
    </Field>
  )
  const check = (): void => {
    setTried(true)
    if (isHash(kept.termsHash) && isHash(kept.listHash)) onCheck?.()
  }
  return (
    <details className="rounded-lg border border-line bg-surface">
      <summary className="flex min-h-12 items-center px-5 py-3 font-semibold">{t('title')}</summary>
      <div className="grid grid-cols-1 gap-5 border-t border-line p-5">
        <p className="max-w-[68ch] text-muted">{t('text')}</p>
        {hashField('termsHash')}
        {hashField('listHash')}
        {fileField('checkpoints')}
        {fileField('policy')}
        <Field label={t('proof')} hint={t('proofHint')}>
          {(ids) => (
            <TextInput
              {...ids}
              value={kept.proof}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onChange({ ...kept, proof: event.target.value })}
            />
          )}
        </Field>
        {onCheck && (
          <div>
            <Button variant="secondary" onClick={check}>
              {t('check')}
            </Button>
          </div>
        )}
      </div>
    </details>
  )
}
