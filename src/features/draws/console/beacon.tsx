import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { ConfirmDialog, Facts, ReasonField, Section, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import { useRead } from '#console/kit/use-read.ts'
import type { DrawBeacon, NamedBeacon } from '../beacon.contract.ts'

/** The beacon in force, and another one in its place before the contest closes. */
export function BeaconSection({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('consoleDrawActions.beacon')
  const may = useMay()
  const time = useTime()
  const [version, setVersion] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const path = `/api/staff/draws/${offerId}/beacon/`
  const { answer, error } = useRead<DrawBeacon>(path, version)
  const mayReplace = may('draws.beacon') && answer?.can_replace === true
  return (
    <Section
      title={t('title')}
      actions={
        mayReplace &&
        answer.candidates.length > 0 && (
          <Button size="small" variant="danger" onClick={() => setOpen(true)}>
            {t('replace')}
          </Button>
        )
      }
    >
      <div role="alert" className="empty:absolute">
        {error !== undefined && <Alert tone="error">{error}</Alert>}
      </div>
      {answer && (
        <Facts
          facts={[
            [t('chain'), <Chain key="chain" beacon={answer.in_force} />],
            [t('round'), `${answer.in_force.round}, ${time(answer.in_force.round_at)}`],
          ]}
        />
      )}
      {answer?.is_replaced && <Alert tone="info">{t('replaced')}</Alert>}
      {mayReplace && answer.candidates.length === 0 && <p className="text-muted">{t('none')}</p>}
      {isOpen && answer && (
        <ReplaceDialog
          path={path}
          candidates={answer.candidates}
          onClose={() => {
            setOpen(false)
            setVersion(version + 1)
          }}
        />
      )}
    </Section>
  )
}

const Chain = ({ beacon: { name, chain } }: { beacon: NamedBeacon }): ReactNode => (
  <>
    {name !== null && `${name}, `}
    <code className="text-xs wrap-anywhere">{chain}</code>
  </>
)

function ReplaceDialog({
  path,
  candidates,
  onClose,
}: {
  path: string
  candidates: readonly NamedBeacon[]
  onClose: () => void
}): ReactNode {
  const t = useTranslations('consoleDrawActions.beacon')
  const time = useTime()
  const action = useAction()
  const [typed, setTyped] = useState({ chain: candidates[0]?.chain ?? '', note: '' })
  const chosen = candidates.find(({ chain }) => chain === typed.chain)
  return (
    <ConfirmDialog
      title={t('replace')}
      confirm={t('ask')}
      isDanger
      action={action}
      onClose={onClose}
      onConfirm={() =>
        action.run(async () => {
          await consoleCall('POST', path, { body: typed })
          toast.success(t('asked'))
        })
      }
    >
      <p>{t('text')}</p>
      <Field label={t('chain')} error={action.fields['chain']}>
        {(ids) => (
          <Select
            {...ids}
            value={typed.chain}
            onChange={(event) => setTyped({ ...typed, chain: event.target.value })}
          >
            {candidates.map(({ name, chain }) => (
              <option key={chain} value={chain}>
                {name ?? chain}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {chosen && <Facts facts={[[t('round'), `${chosen.round}, ${time(chosen.round_at)}`]]} />}
      <ReasonField
        label={t('note')}
        error={action.fields['note']}
        required={false}
        value={typed.note}
        onChange={(note) => setTyped({ ...typed, note })}
      />
    </ConfirmDialog>
  )
}
