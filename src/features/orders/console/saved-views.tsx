import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { useTranslations } from '#i18n/translations.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { onEnter } from '#console/kit/data-table.tsx'

interface View {
  name: string
  /** As in the address. */
  query: string
}

/** Kept by the browser: signing out of the shop in the same browser clears it. */
const KEY = 'volant-console-order-views'
const MOST = 20

function readViews(): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored)
      ? stored.filter(
          (one: Partial<View> | null): one is View =>
            typeof one?.name === 'string' && typeof one.query === 'string',
        )
      : []
  } catch {
    // Blocked or overwritten storage: there are no views.
    return []
  }
}

function storeViews(views: readonly View[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(views))
  } catch {
    // Then they last as long as the page.
  }
}

/** Filters with a name, which this browser keeps. */
export function SavedViews({ query, onOpen }: { query: string; onOpen: (query: string) => void }): ReactNode {
  const t = useTranslations('consoleOrders.list')
  const [views, setViews] = useState(readViews)
  const [name, setName] = useState('')
  const change = (next: View[]): void => {
    setViews(next)
    storeViews(next)
  }
  const save = (): void => {
    const trimmed = name.trim()
    if (trimmed === '' || query === '') return
    change([...views.filter((one) => one.name !== trimmed), { name: trimmed, query }].slice(-MOST))
    setName('')
    toast.success(t('viewSaved', { name: trimmed }))
  }
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
              <IconButton
                label={t('removeView', { name: view.name })}
                onClick={() => change(views.filter((one) => one !== view))}
              >
                <X aria-hidden="true" className="size-4" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {query !== '' && views.every((view) => view.query !== query) && (
        <div className="flex flex-wrap items-end gap-3">
          <Field label={t('viewName')} hint={t('viewsHint')}>
            {(ids) => (
              <TextInput
                {...ids}
                value={name}
                maxLength={40}
                onKeyDown={onEnter(save)}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Button variant="secondary" disabled={name.trim() === ''} onClick={save}>
            {t('saveView')}
          </Button>
        </div>
      )}
    </div>
  )
}
