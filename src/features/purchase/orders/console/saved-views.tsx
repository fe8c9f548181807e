import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { ActionForm, TextField } from '#console-kit/fields.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { Fault } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import type { OrderView } from '../staff-orders.contract.ts'
import { VIEW_NAME } from '../staff-orders.rules.ts'

export const VIEWS = '/api/staff/self/order-views/'

/** Filters and columns with a name, which the account keeps. */
export function SavedViews({
  views,
  query,
  onOpen,
}: {
  views: readonly OrderView[]
  query: string
  onOpen: (query: string) => void
}): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const form = useFields({ name: '' })
  const name = form.values.name.trim()
  const save = async (): Promise<void> => {
    if (name === '') return
    const body = { name, query }
    if (await form.run(() => consoleCall('PUT', VIEWS, { body }), t('viewSaved', { name }))) form.clear()
  }
  const remove = (view: OrderView): Promise<boolean> =>
    form.run(() => consoleCall('POST', `${VIEWS}remove/`, { body: { name: view.name } }))
  if (views.length === 0 && query === '') return null
  return (
    <div className="grid gap-3">
      {views.length > 0 && (
        <ul aria-label={t('views')} className="flex flex-wrap gap-2">
          {views.map((view) => (
            <li key={view.name} className="inline-flex items-center rounded-md border border-line bg-surface">
              <button
                type="button"
                aria-pressed={view.query === query}
                className="min-h-11 max-w-60 truncate pl-4 text-sm font-semibold aria-pressed:text-signal-strong"
                onClick={() => onOpen(view.query)}
              >
                {view.name}
              </button>
              <IconButton label={t('removeView', { name: view.name })} onClick={() => void remove(view)}>
                <X aria-hidden="true" className="size-4" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {query !== '' && views.every((view) => view.query !== query) && (
        <ActionForm action={form} className="flex flex-wrap items-end gap-3" onSend={save}>
          <TextField
            label={t('viewName')}
            hint={t('viewsHint')}
            maxLength={VIEW_NAME}
            {...form.field('name')}
          />
          <Button type="submit" variant="secondary" disabled={name === ''} busy={form.isBusy}>
            {t('saveView')}
          </Button>
        </ActionForm>
      )}
      <Fault error={form.fault} />
    </div>
  )
}
