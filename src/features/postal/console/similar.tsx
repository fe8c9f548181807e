import { formatDay } from '#i18n/format.ts'
import type { ReactNode, Ref } from 'react'
import { Link } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countryName } from '#shared/countries.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import type { SimilarEntry } from '../postal.contract.ts'

interface SimilarProps {
  card: { name: string; postcode: string; city: string }
  address: readonly string[]
  country: string
  birth: string
  entries: readonly SimilarEntry[]
  /** Ids of those that were judged to be other people. */
  others: readonly string[]
  onSame: (id: string) => void
  onOther: (id: string) => void
  headingRef: Ref<HTMLHeadingElement>
}

/** The card and the entries that may be of the same person, side by side. */
export function SimilarEntries(props: SimilarProps): ReactNode {
  const { entries, others, onSame, onOther, headingRef } = props
  const t = useTranslations('consolePost.similar')
  return (
    <section className="grid gap-4 border-t border-line pt-5">
      <h2 ref={headingRef} tabIndex={-1} className="text-title">
        {entries.some((one) => one.is_same) ? t('same') : t('title')}
      </h2>
      <p>{t('text')}</p>
      <ul className="grid gap-4">
        {entries.map((entry) => (
          <li key={entry.id} className="grid gap-4 rounded-md border border-line-strong p-4">
            <Comparison {...props} entry={entry} />
            {entry.is_same ? (
              <Alert tone="warning">{t('sameText')}</Alert>
            ) : others.includes(entry.id) ? (
              <p className="font-semibold">{t('judged')}</p>
            ) : (
              <div className="flex flex-wrap gap-3 max-sm:*:grow">
                <Button variant="danger" onClick={() => onSame(entry.id)}>
                  {t('isSame')}
                </Button>
                <Button variant="secondary" onClick={() => onOther(entry.id)}>
                  {t('isOther')}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Comparison({
  card,
  address,
  country,
  birth,
  entry,
}: SimilarProps & { entry: SimilarEntry }): ReactNode {
  const t = useTranslations('consolePost')
  const language = useLanguage()
  const { like } = entry
  const place = (lines: readonly string[], postcode: string, city: string, code: string): ReactNode =>
    [...lines, `${postcode} ${city}`, countryName(code, language)].map((line) => (
      <span key={line} className="block">
        {line}
      </span>
    ))
  const rows = [
    {
      name: t('entry.name'),
      isAlike: like.name,
      alike: t('similar.likeName'),
      values: [card.name, entry.name],
    },
    {
      name: t('entry.address'),
      isAlike: like.address,
      alike: t('similar.likeAddress'),
      values: [
        place(address, card.postcode, card.city, country),
        place(entry.address, entry.postcode, entry.city, entry.country),
      ],
    },
    {
      name: t('similar.born'),
      isAlike: like.date_of_birth,
      alike: t('similar.likeBirth'),
      values: [birth, entry.date_of_birth].map((day) => (
        <span key={day} className="whitespace-nowrap">
          {day && formatDay(day)}
        </span>
      )),
    },
  ]
  return (
    <table className="w-full table-fixed text-left text-sm">
      <thead>
        <tr className="align-top">
          {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- the corner above the names of the rows */}
          <td className="w-[4.75rem] pb-2" />
          <th scope="col" className="pr-3 pb-2 font-semibold">
            {t('similar.card')}
          </th>
          <th scope="col" className="pb-2 font-semibold">
            <Link to={`/post/entries/${entry.id}`} target="_blank" rel="noopener" className="prose-link py-1">
              {t('similar.entry', { number: entry.number })}
            </Link>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, isAlike, alike, values: [own, theirs] }) => (
          <tr key={name} className="border-t border-line align-top">
            <th scope="row" className="py-2 pr-3 font-normal wrap-anywhere text-muted">
              {name}
            </th>
            <td className="py-2 pr-3 wrap-anywhere">{own}</td>
            <td className="py-2 wrap-anywhere">
              {theirs}
              {isAlike && (
                <span className="mt-1 block">
                  <Badge tone="warning">{alike}</Badge>
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
