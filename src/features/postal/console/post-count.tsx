import { type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ActionForm, TextField } from '#console-kit/fields.tsx'
import { Facts, Fault, Section, useTime } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import { useTurn } from '#console-kit/follow.ts'
import { useRead } from '#console-kit/use-read.ts'
import type { PostCount } from '../post-count.contract.ts'

/** Whether the cards of a contest are registered, counted by two people before its seal. */
export function PostCountSection({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('consoleDrawActions.count')
  const may = useMay()
  const time = useTime()
  const [version, setVersion] = useState(0)
  const form = useFields({ cards: '' })
  const path = `/api/staff/draws/${offerId}/post-count/`
  const { response, error } = useRead<PostCount>(path, version + useTurn())
  if (response && !response.can_count && !response.last) return null
  const last = response?.last
  // One's own count waits for somebody else, unless there are other cards by now.
  const toConfirm = last && last.confirmed_at === null && !last.is_own && !last.is_outdated ? last : undefined
  const waits = last && last.confirmed_at === null && last.is_own && !last.is_outdated
  const typed = form.values.cards.trim()
  const body = { cards: /^\d{1,8}$/.test(typed) ? Number(typed) : -1 }
  const send = async (): Promise<void> => {
    const address = toConfirm ? `${path}${toConfirm.id}/confirm/` : path
    const done = await form.run(
      () => consoleCall('POST', address, { body }),
      t(toConfirm ? 'confirmed' : 'counted'),
    )
    if (done) {
      form.clear()
      setVersion(version + 1)
    }
  }
  return (
    <Section title={t('title')}>
      <Fault error={error} />
      {response?.can_count && !response.is_counted && (
        <Alert tone="warning">
          {response.seal_by === null ? t('missing') : t('missingUntil', { when: time(response.seal_by) })}
        </Alert>
      )}
      {response?.is_counted && <Alert tone="success">{t('done')}</Alert>}
      {last && (
        <Facts
          facts={[
            last.cards !== null && [
              t('cards'),
              last.is_outdated ? t('outdated', { cards: last.cards }) : last.cards,
            ],
            [t('first'), `${last.counted_by}, ${time(last.counted_at)}`],
            last.confirmed_at !== null && [
              t('second'),
              `${last.confirmed_by ?? ''}, ${time(last.confirmed_at)}`,
            ],
          ]}
        />
      )}
      {waits && <p>{t('waits')}</p>}
      {response?.can_count && !response.is_counted && !waits && may('post.count') && (
        <ActionForm action={form} className="grid max-w-md grid-cols-1 gap-4" onSend={send}>
          <p className="text-muted">{t(toConfirm ? 'confirmText' : 'text')}</p>
          <TextField label={t('cards')} inputMode="numeric" autoComplete="off" {...form.field('cards')} />
          <Fault error={form.fault} />
          <Button type="submit" className="justify-self-start" busy={form.isBusy}>
            {t(toConfirm ? 'confirm' : 'count')}
          </Button>
        </ActionForm>
      )}
    </Section>
  )
}
