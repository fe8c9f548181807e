import { type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { Facts, Section, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import { useTurn } from '#console/kit/follow.ts'
import { useRead } from '#console/kit/use-read.ts'
import type { PostCount } from '../post-count.contract.ts'

/** Whether the cards of a contest are registered, counted by two people before its seal. */
export function PostCountSection({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('consoleDrawActions.count')
  const may = useMay()
  const time = useTime()
  const action = useAction()
  const [version, setVersion] = useState(0)
  const [typed, setTyped] = useState('')
  const path = `/api/staff/draws/${offerId}/post-count/`
  const { answer, error } = useRead<PostCount>(path, version + useTurn())
  if (answer && !answer.can_count && !answer.last) return null
  const last = answer?.last
  // One's own count waits for somebody else, unless there are other cards by now.
  const toConfirm = last && last.confirmed_at === null && !last.is_own && !last.is_outdated ? last : undefined
  const waits = last && last.confirmed_at === null && last.is_own && !last.is_outdated
  const body = { cards: /^\d{1,8}$/.test(typed.trim()) ? Number(typed) : -1 }
  const send = async (): Promise<void> => {
    const address = toConfirm ? `${path}${toConfirm.id}/confirm/` : path
    const done = await action.run(
      () => consoleCall('POST', address, { body }),
      t(toConfirm ? 'confirmed' : 'counted'),
    )
    if (done) {
      setTyped('')
      setVersion(version + 1)
    }
  }
  const fault = Object.keys(action.fields).length === 0 ? action.error : undefined
  return (
    <Section title={t('title')}>
      <div role="alert" className="empty:absolute">
        {error !== undefined && <Alert tone="error">{error}</Alert>}
      </div>
      {answer?.can_count && !answer.is_counted && (
        <Alert tone="warning">
          {answer.seal_by === null ? t('missing') : t('missingUntil', { when: time(answer.seal_by) })}
        </Alert>
      )}
      {answer?.is_counted && <Alert tone="success">{t('done')}</Alert>}
      {last && (
        <Facts
          facts={[
            ...(last.cards === null
              ? []
              : [
                  [t('cards'), last.is_outdated ? t('outdated', { cards: last.cards }) : last.cards] as const,
                ]),
            [t('first'), `${last.counted_by}, ${time(last.counted_at)}`],
            ...(last.confirmed_at === null
              ? []
              : [[t('second'), `${last.confirmed_by ?? ''}, ${time(last.confirmed_at)}`] as const]),
          ]}
        />
      )}
      {waits && <p>{t('waits')}</p>}
      {answer?.can_count && !answer.is_counted && !waits && may('post.count') && (
        <form
          noValidate
          className="grid max-w-md grid-cols-1 gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          <p className="text-muted">{t(toConfirm ? 'confirmText' : 'text')}</p>
          <Field label={t('cards')} error={action.fields['cards']}>
            {(ids) => (
              <TextInput
                {...ids}
                inputMode="numeric"
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
          <div role="alert" className="empty:absolute">
            {fault !== undefined && <Alert tone="error">{fault}</Alert>}
          </div>
          <Button type="submit" className="justify-self-start" busy={action.isBusy}>
            {t(toConfirm ? 'confirm' : 'count')}
          </Button>
        </form>
      )}
    </Section>
  )
}
