import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { Plate } from '#ui/plate.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { Facts, Section, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import type { DrawPage, DrawRehearsal } from '../draws.contract.ts'
import { REHEARSAL_SECONDS } from '../rehearsals.rules.ts'

const { least, most, usual } = REHEARSAL_SECONDS

/** Plays the whole draw on rounds that are over, for those who may. */
export function Rehearsal({ draw }: { draw: DrawPage }): ReactNode {
  const t = useTranslations('consoleDraws.rehearsal')
  const may = useMay()
  const make = useAction()
  const play = useAction()
  const [alternate, setAlternate] = useState(false)
  const [seconds, setSeconds] = useState(String(usual))
  if (!may('draws.rehearse')) return null
  const { rehearsal } = draw
  const path = `/api/staff/draws/${draw.offer_id}/rehearsal/`
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const body = { alternate, seconds: Number(seconds) }
    void make.run(() => consoleCall('POST', path, { body }), t('made'))
  }
  const playAgain = (): Promise<boolean> =>
    play.run(
      () => consoleCall('POST', `${path}play/`, { body: { seconds: Number(seconds) } }),
      t('againDone'),
    )
  return (
    <Section title={t('title')}>
      <div className="grid max-w-3xl gap-2">
        <p>{t('text')}</p>
        <p className="text-muted">{t('entries')}</p>
      </div>
      <form className="grid max-w-xl grid-cols-1 gap-4" onSubmit={submit}>
        <Checkbox label={t('alternate')} checked={alternate} onChange={setAlternate} />
        <Field
          label={t('seconds')}
          hint={t('secondsHint')}
          error={make.fields['seconds'] ?? play.fields['seconds']}
        >
          {(ids) => (
            <TextInput
              {...ids}
              type="number"
              inputMode="numeric"
              min={least}
              max={most}
              required
              value={seconds}
              onChange={(event) => setSeconds(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-3 max-sm:*:grow">
          <Button type="submit" busy={make.isBusy}>
            {t(rehearsal ? 'renew' : 'make')}
          </Button>
        </div>
        <div role="alert">{make.error !== undefined && <Alert tone="error">{make.error}</Alert>}</div>
      </form>
      {rehearsal && <Outcome rehearsal={rehearsal} />}
      {rehearsal && (
        <div className="grid justify-items-start gap-3">
          <Button variant="secondary" busy={play.isBusy} onClick={() => void playAgain()}>
            {t('again')}
          </Button>
          <div role="alert">{play.error !== undefined && <Alert tone="error">{play.error}</Alert>}</div>
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
          [
            t('listHash'),
            <code key="hash" className="text-xs wrap-anywhere">
              {rehearsal.list_hash}
            </code>,
          ],
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
