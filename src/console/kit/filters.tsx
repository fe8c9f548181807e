import type { FormEvent, ReactNode } from 'react'
import { Form } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { SelectField } from './fields.tsx'

/** The named filters of an address or a form as the calls take them, without empty ones. */
export function filtersOf(
  names: readonly string[],
  given: URLSearchParams | FormData,
  more: Record<string, string> = {},
): string {
  const query = new URLSearchParams(more)
  for (const name of names) {
    const value = given.get(name)
    if (typeof value === 'string' && value.trim() !== '') query.set(name, value.trim())
  }
  return query.toString()
}

/** The filters of a list, which its address keeps. */
export function FilterForm({
  names,
  query,
  className,
  onChange,
  children,
}: {
  names: readonly string[]
  /** The filters that are in force. */
  query: string
  className: string
  onChange: (query: string) => void
  children: ReactNode
}): ReactNode {
  const t = useTranslations('console.common')
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onChange(filtersOf(names, new FormData(event.currentTarget)))
  }
  return (
    <Form role="search" aria-label={t('filters')} className={className} onSubmit={submit}>
      {children}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="secondary">
          {t('applyFilters')}
        </Button>
        {query !== '' && (
          <Button variant="ghost" onClick={() => onChange('')}>
            {t('resetFilters')}
          </Button>
        )}
      </div>
    </Form>
  )
}

/**
 * One of several values. An address may name one that is no choice, which stays as it is.
 * @param any what no value is called; without it there is always one
 */
export function ChoiceFilter({
  label,
  name,
  chosen,
  any,
  choices,
}: {
  label: string
  name: string
  chosen: string
  any?: string
  choices: readonly (readonly [value: string | number, text: string])[]
}): ReactNode {
  const isNamed = chosen === '' || choices.some(([value]) => String(value) === chosen)
  const all = isNamed ? choices : [...choices, [chosen, chosen] as const]
  return (
    <SelectField label={label} name={name} defaultValue={chosen} choices={all}>
      {any !== undefined && <option value="">{any}</option>}
    </SelectField>
  )
}
