import type { ReactNode } from 'react'

/** A text as people have typed it, whose blank lines set paragraphs apart. */
export const Paragraphs = ({ text, lang }: { text: string; lang?: string }): ReactNode => (
  <div lang={lang} className="grid max-w-prose gap-3 leading-relaxed whitespace-pre-line">
    {text.split(/\n\s*\n/).map((one, index) => (
      <p key={index}>{one}</p>
    ))}
  </div>
)
