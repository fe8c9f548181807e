/** Text that is already HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | undefined | false | readonly Part[]

const escapes: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&${escapes[character]};`)

function render(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return escape(String(part))
}

/** A template whose values are escaped unless they are `Html` themselves. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, at) => `${text}${at < parts.length ? render(parts[at]) : ''}`).join(''))

export const page = (language: string, title: string, body: Html, more?: Html): string =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/_assets/styles.css" />
        ${more}
      </head>
      <body>
        ${body}
      </body>
    </html> `.text
