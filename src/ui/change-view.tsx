import type { ReactNode } from 'react'
import { type Language, hasDecimalComma } from '#shared/languages.ts'

interface Still {
  src: string
  alt: Readonly<Record<string, string>>
}

type Field = 'title' | 'description'

type Fact = 'power_kw' | 'zero_to_100' | 'year' | 'range_km'

/** What changes: texts, figures, and all pictures where one of them does. */
interface Change {
  texts: readonly { field: Field; language: Language; before: string; after: string }[]
  /** None of a request that was made before there were figures. */
  facts?: readonly { fact: Fact; before: string | null; after: string | null }[]
  pictures: { before: readonly Still[]; after: readonly Still[] } | null
}

type Word = 'before' | 'after' | 'none' | 'pictures'

interface ChangeViewProps {
  change: Change
  /** Of whoever reads, for the descriptions of pictures. */
  language: Language
  /** The words, in whichever catalogue has them. */
  t: (word: Word) => string
  nameOf: (field: Field, language: Language) => string
  factOf: (fact: Fact) => string
  noFigure: string
}

/** A change of texts, figures and pictures: how it was, and how it is. */
export function ChangeView(props: ChangeViewProps): ReactNode {
  const { change, language, t, nameOf, factOf, noFigure } = props
  const { texts, facts = [], pictures } = change
  const stills = (all: readonly Still[]): ReactNode => (
    <ol className="flex flex-wrap gap-3">
      {all.map(({ src, alt }) => (
        <li key={src} className="w-24 text-xs">
          <img src={src} alt="" loading="lazy" className="aspect-[8/5] w-full object-cover" />
          {alt[language]}
        </li>
      ))}
    </ol>
  )
  const row = (name: string, lang: Language, sides: { before: ReactNode; after: ReactNode }): ReactNode => (
    <div key={name} className="grid gap-2 border-t border-line-strong pt-3">
      <p className="font-semibold">{name}</p>
      <dl className="grid gap-3 sm:grid-cols-2">
        {(['before', 'after'] as const).map((side) => (
          <div key={side} className="min-w-0">
            <dt className="text-sm text-muted">{t(side)}</dt>
            <dd lang={lang} className="whitespace-pre-line wrap-anywhere">
              {sides[side]}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
  return (
    <div className="grid grid-cols-1 gap-4">
      {texts.map(({ field, language: lang, before, after }) =>
        row(nameOf(field, lang), lang, {
          before: before || t('none'),
          after: after || t('none'),
        }),
      )}
      {facts.map(({ fact, before, after }) =>
        row(factOf(fact), language, {
          before: figure(before, language) ?? noFigure,
          after: figure(after, language) ?? noFigure,
        }),
      )}
      {pictures &&
        row(t('pictures'), language, { before: stills(pictures.before), after: stills(pictures.after) })}
    </div>
  )
}

/** With the decimal mark of the language. Thousands are not set apart: one of the figures is a year. */
const figure = (text: string | null, language: Language): string | undefined =>
  text?.replace('.', hasDecimalComma(language) ? ',' : '.')
