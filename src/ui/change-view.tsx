import type { ReactNode } from 'react'

interface Still {
  src: string
  alt: Readonly<Record<string, string>>
}

/** What changes: texts, and all pictures where one of them does. */
interface Change {
  texts: readonly { field: string; language: string; before: string; after: string }[]
  pictures: { before: readonly Still[]; after: readonly Still[] } | null
}

interface ChangeViewProps {
  change: Change
  /** Of whoever reads, for the descriptions of pictures. */
  language: string
  before: string
  after: string
  /** In place of a text that there is not. */
  none: string
  pictures: string
  nameOf: (field: string, language: string) => string
}

/** A change of texts and pictures: how it was, and how it is. */
export function ChangeView({ change, language, nameOf, ...words }: ChangeViewProps): ReactNode {
  const text = (value: string): ReactNode =>
    value === '' ? <span className="text-muted">{words.none}</span> : value
  return (
    <div className="grid grid-cols-1 gap-4">
      {change.texts.map(({ field, language: lang, before, after }) => (
        <Sides
          key={`${field} ${lang}`}
          name={nameOf(field, lang)}
          words={words}
          lang={lang}
          before={text(before)}
          after={text(after)}
        />
      ))}
      {change.pictures && (
        <Sides
          name={words.pictures}
          words={words}
          lang={language}
          before={<Stills all={change.pictures.before} language={language} />}
          after={<Stills all={change.pictures.after} language={language} />}
        />
      )}
    </div>
  )
}

interface SidesProps {
  name: string
  words: { before: string; after: string }
  lang: string
  before: ReactNode
  after: ReactNode
}

const Sides = ({ name, words, lang, before, after }: SidesProps): ReactNode => (
  <div className="grid gap-2 border-t border-line-strong pt-3">
    <p className="font-semibold">{name}</p>
    <dl className="grid gap-3 sm:grid-cols-2">
      {(
        [
          [words.before, before],
          [words.after, after],
        ] as const
      ).map(([term, value]) => (
        <div key={term} className="min-w-0">
          <dt className="text-sm text-muted">{term}</dt>
          <dd lang={lang} className="whitespace-pre-line wrap-anywhere">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  </div>
)

const Stills = ({ all, language }: { all: readonly Still[]; language: string }): ReactNode => (
  <ol className="flex flex-wrap gap-3">
    {all.map(({ src, alt }, index) => (
      <li key={`${index} ${src}`} className="grid w-28 content-start gap-1">
        <img
          src={src}
          alt=""
          width={112}
          height={70}
          loading="lazy"
          className="aspect-[8/5] w-full rounded-sm bg-sunken object-cover"
        />
        <span className="text-xs">{alt[language]}</span>
      </li>
    ))}
  </ol>
)
