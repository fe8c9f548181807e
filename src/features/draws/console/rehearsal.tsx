import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Plate } from '#ui/plate.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ActionForm, TextField } from '#console-kit/fields.tsx'
import { Facts, Fault, Hash, Section, useTime } from '#console-kit/parts.tsx'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
import type { DrawPage, DrawRehearsal } from '../draws.contract.ts'
import { REHEARSAL_SECONDS } from '../rehearsals.rules.ts'

const { least, most, usual } = REHEARSAL_SECONDS

/** Plays the whole draw on rounds that are over, for those who may. */
export function Rehearsal({ draw }: { draw: DrawPage }): ReactNode {
  const t = useTranslations('consoleDraws.rehearsal')
  const may = useMay()
  const make = useFields({ alternate: false, seconds: String(usual) })
  const play = useAction()
  if (!may('draws.rehearse')) return null
  const { rehearsal } = draw
  const path = `/api/staff/draws/${draw.offer_id}/rehearsal/`
  const seconds = Number(make.values.seconds)
  const body = { ...make.values, seconds }
  const playAgain = (): Promise<boolean> =>
    play.run(() => consoleCall('POST', `${path}play/`, { body: { seconds } }), t('againDone'))
  return (
    <Section title={t('title')}>
      <div className="grid max-w-3xl gap-2">
        <p>{t('text')}</p>
        <p className="text-muted">{t('entries')}</p>
      </div>
      <ActionForm
        action={make}
        isChecked
        className="grid max-w-xl grid-cols-1 gap-4"
        onSend={() => make.run(() => consoleCall('POST', path, { body }), t('made'))}
      >
        <Checkbox label={t('alternate')} {...make.box('alternate')} />
        <TextField
          label={t('seconds')}
          hint={t('secondsHint')}
          type="number"
          inputMode="numeric"
          min={least}
          max={most}
          required
          {...make.field('seconds')}
          error={make.fields['seconds'] ?? play.fields['seconds']}
        />
        <div className="flex flex-wrap gap-3 max-sm:*:grow">
          <Button type="submit" busy={make.isBusy}>
            {t(rehearsal ? 'renew' : 'make')}
          </Button>
        </div>
        <Fault error={make.error} />
      </ActionForm>
      {rehearsal && <Outcome rehearsal={rehearsal} />}
      {rehearsal && (
        <div className="grid justify-items-start gap-3">
          <Button variant="secondary" busy={play.isBusy} onClick={() => void playAgain()}>
            {t('again')}
          </Button>
          <Fault error={play.error} />
        </div>
      )}
    </Section>
  )
}

/** What came out, and where it is shown. */
function Outcome({ rehearsal }: { rehearsal: DrawRehearsal }): ReactNode {
  const t = useTranslations('consoleDraws.rehearsal')
  const time = useTime()
  const { id, slug, numbers, entries, is_invented: isInvented, is_played: isPlayed } = rehearsal
  const page = `/draws/${encodeURIComponent(slug)}`
  const query = `?rehearsal=${id}`
  const links = [
    ['live', `${page}/live${query}`],
    ['page', `${page}${query}`],
  ] as const
  return (
    <>
      <Facts
        facts={[
          [
            t(rehearsal.alternate ? 'numbers' : 'number'),
            numbers.length === 0 ? (
              t('nobody')
            ) : (
              <span key="numbers" className="flex flex-wrap gap-3">
                {numbers.map((number, at) => (
                  <Plate key={number} isVoid={rehearsal.alternate && at === 0}>
                    {number}
                  </Plate>
                ))}
              </span>
            ),
          ],
          [t('plays'), t(isPlayed ? 'played' : 'playsAt', { when: time(rehearsal.plays_at) })],
          [t('used'), t(isInvented ? 'invented' : 'real', { entries })],
          [t('madeBy'), t('madeByText', { when: time(rehearsal.made_at), name: rehearsal.made_by })],
          [t('listHash'), <Hash key="hash" text={rehearsal.list_hash} />],
        ]}
      />
      <p className="flex flex-wrap gap-x-6">
        {links.map(([name, href]) => (
          <a key={name} href={href} target="_blank" rel="noopener" className="prose-link py-2">
            {t(name)}
          </a>
        ))}
        <a href={`/rehearsals/${id}/${slug}-rehearsal.zip`} download className="prose-link py-2">
          {t('evidence')}
        </a>
      </p>
    </>
  )
}
