import { type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ReasonField, SelectField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Facts, Fault, Hash, Section, useTime } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import { useRead } from '#console-kit/use-read.ts'
import type { DrawBeacon, NamedBeacon } from '../beacon.contract.ts'

/** The beacon in force, and another one in its place before the contest closes. */
export function BeaconSection({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('consoleDrawActions.beacon')
  const may = useMay()
  const time = useTime()
  const [version, setVersion] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const path = `/api/staff/draws/${offerId}/beacon/`
  const { response, error } = useRead<DrawBeacon>(path, version)
  const mayReplace = may('draws.beacon') && response?.can_replace === true
  return (
    <Section
      title={t('title')}
      actions={
        mayReplace &&
        response.candidates.length > 0 && (
          <Button size="small" variant="danger" onClick={() => setOpen(true)}>
            {t('replace')}
          </Button>
        )
      }
    >
      <Fault error={error} />
      {response && (
        <Facts
          facts={[
            [t('chain'), <Chain key="chain" beacon={response.in_force} />],
            [t('round'), `${response.in_force.round}, ${time(response.in_force.round_at)}`],
          ]}
        />
      )}
      {response?.is_replaced && <Alert tone="info">{t('replaced')}</Alert>}
      {mayReplace && response.candidates.length === 0 && <p className="text-muted">{t('none')}</p>}
      {isOpen && response && (
        <ReplaceDialog
          path={path}
          candidates={response.candidates}
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
    <Hash text={chain} />
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
  const form = useFields({ chain: candidates[0]?.chain ?? '', note: '' })
  const chosen = candidates.find(({ chain }) => chain === form.values.chain)
  return (
    <ConfirmDialog
      title={t('replace')}
      confirm={t('ask')}
      isDanger
      action={form}
      act={() => consoleCall('POST', path, { body: form.values })}
      done={t('asked')}
      onClose={onClose}
    >
      <p>{t('text')}</p>
      <SelectField
        label={t('chain')}
        choices={candidates.map(({ name, chain }) => [chain, name ?? chain])}
        {...form.field('chain')}
      />
      {chosen && <Facts facts={[[t('round'), `${chosen.round}, ${time(chosen.round_at)}`]]} />}
      <ReasonField label={t('note')} required={false} {...form.field('note')} />
    </ConfirmDialog>
  )
}
