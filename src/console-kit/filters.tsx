import type { ComponentProps, FormEvent, ReactNode } from 'react'
import { Form, useSearchParams } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { SelectField, TextField } from './fields.tsx'

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

/** What the address says of a filter. */
const useGiven = (name: string): string => useSearchParams()[0].get(name)?.trim() ?? ''

/** A text, an amount or a day, as the address has it. */
export function TextFilter(props: ComponentProps<typeof TextField> & { name: string }): ReactNode {
  const given = useGiven(props.name)
  return <TextField defaultValue={given} {...props} />
}

interface ChoiceFilterProps {
  label: string
  name: string
  /** Where the address says nothing. */
  usual?: string
  /** What no value is called; without it there is always one. */
  any?: string
  choices: readonly (readonly [value: string | number, text: string])[]
}

/** One of several values. The address may name one that is no choice, which stays as it is. */
export function ChoiceFilter({ label, name, usual = '', any, choices }: ChoiceFilterProps): ReactNode {
  const chosen = useGiven(name) || usual
  const isNamed = chosen === '' || choices.some(([value]) => String(value) === chosen)
  const all = isNamed ? choices : [...choices, [chosen, chosen] as const]
  return (
    <SelectField label={label} name={name} defaultValue={chosen} choices={all}>
      {any !== undefined && <option value="">{any}</option>}
    </SelectField>
  )
}
