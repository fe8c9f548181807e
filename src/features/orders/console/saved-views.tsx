import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { TextField } from '#console/kit/fields.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { onEnter } from '#console/kit/data-table.tsx'
import { useAction } from '#console/kit/use-action.ts'
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
  const action = useAction()
  const [name, setName] = useState('')
  const save = async (): Promise<void> => {
    const body = { name: name.trim(), query }
    if (body.name === '' || query === '') return
    if (await action.run(() => consoleCall('PUT', VIEWS, { body }), t('viewSaved', { name: body.name })))
      setName('')
  }
  const remove = (view: OrderView): Promise<boolean> =>
    action.run(() => consoleCall('POST', `${VIEWS}remove/`, { body: { name: view.name } }))
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
        <div className="flex flex-wrap items-end gap-3">
          <TextField
            label={t('viewName')}
            hint={t('viewsHint')}
            error={action.fields['name']}
            value={name}
            maxLength={VIEW_NAME}
            onKeyDown={onEnter(() => void save())}
            onChange={(event) => setName(event.target.value)}
          />
          <Button
            variant="secondary"
            disabled={name.trim() === ''}
            busy={action.isBusy}
            onClick={() => void save()}
          >
            {t('saveView')}
          </Button>
        </div>
      )}
      <div role="alert" className="empty:absolute">
        {action.error !== undefined && !action.fields['name'] && <Alert tone="error">{action.error}</Alert>}
      </div>
    </div>
  )
}
