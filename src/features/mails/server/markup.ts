const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A piece of HTML that is written already; everything else is text. */
export class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Value = string | Html | readonly Html[]

const written = (value: Value): string => {
  if (value instanceof Html) return value.source
  if (typeof value === 'string') return value.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
  return value.map((one) => one.source).join('')
}

/**
 * HTML from a template; texts in it are escaped, for elements and for quoted attributes. Not called `html`, since formatters
 * would then move its spaces about, which readers see.
 */
export const markup = (pieces: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(String.raw({ raw: pieces }, ...values.map(written)))
