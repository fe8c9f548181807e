import { createHash } from 'node:crypto'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Without files: each page must be shown when nothing else can be loaded. Colours are those of `tokens.css`. */
const STYLE = `
:root { color-scheme: light dark; --ground: #f5f3ee; --surface: #fffdf9; --ink: #121417; --line: #d5d1c7; --signal: #0a3fc4; --fill: #0a3fc4 }
@media (prefers-color-scheme: dark) {
:root { --ground: #0b0c0d; --surface: #15171a; --ink: #f3f1ec; --line: #2c3036; --signal: #93aaff; --fill: #3a60ff }
}
* { box-sizing: border-box; margin: 0 }
body { background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif }
main { display: grid; gap: 1.25rem; align-content: center; justify-items: start; min-height: 100vh; max-width: 38rem; margin: auto; padding: 2rem 1.25rem; overflow-wrap: anywhere }
.brand { display: flex; align-items: center; gap: .75rem; font-size: 1.25rem; font-weight: 700 }
svg { width: 2.5rem; height: 2.5rem; fill: none; stroke-width: 3.5 }
circle { stroke: currentColor }
path { stroke: var(--signal); stroke-linejoin: round }
h1, h2 { font-size: 1.5rem; line-height: 1.2; text-wrap: balance }
h1 { font-size: clamp(1.85rem, 1.35rem + 2.1vw, 3rem); line-height: 1.1 }
h1 + p { margin-top: .5rem }
ul { width: 100%; padding: 1rem 1.25rem 1rem 2.5rem; border: 1px solid var(--line); border-radius: 14px; background: var(--surface) }
.action { display: inline-flex; align-items: center; min-height: 3rem; margin-top: .5rem; padding: .5rem 1.25rem; border-radius: 8px; background: var(--fill); color: #fff; font-weight: 600; text-decoration: none }
:focus-visible { outline: 3px solid var(--signal); outline-offset: 3px }
`

/** A page that was loaded again once there is a connection needs no press. */
const COME_BACK = `addEventListener('online',()=>location.reload())`

const hashSource = (code: string): string => `'sha256-${createHash('sha256').update(code).digest('base64')}'`

const policyOf = (...more: string[]): string =>
  ["default-src 'none'", `style-src ${hashSource(STYLE)}`, ...more, "frame-ancestors 'none'"].join('; ')

export const PLAIN_PAGE_HEADERS = { 'content-security-policy': policyOf(), 'cache-control': 'no-store' }

export const OFFLINE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyOf(`script-src ${hashSource(COME_BACK)}`),
  'cache-control': 'no-store',
}

/** The wheel of `icon.svg`. */
const MARK =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="13.25"/><path d="M5.2 12.2 16 24.5l10.8-12.3"/></svg>'

interface Plain {
  language: Language
  title: string
  brand?: string
  script?: string
  /** HTML. */
  body: string
}

const document = ({ language, title, brand = '', script, body }: Plain): string => `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml([title, brand].filter(Boolean).join(' | '))}</title>
<style>${STYLE}</style>
${script === undefined ? '' : `<script>${script}</script>\n`}<main>
<p class="brand" translate="no">${MARK}${escapeHtml(brand)}</p>
${body}
</main>
</html>
`

/** Shown when the error page cannot be rendered. */
export const fallbackPage = (language: Language, contactEmail: string, requestId: string): string =>
  failurePage(language, {
    title: translate(language, 'pages.error.title'),
    texts: [
      translate(language, 'pages.error.text', { email: contactEmail }),
      translate(language, 'pages.error.reference', { id: requestId }),
    ],
  })

export const busyPage = (language: Language): string =>
  failurePage(language, {
    title: translate(language, 'errors.overloaded.title'),
    texts: [translate(language, 'errors.overloaded.text')],
  })

const failurePage = (language: Language, { title, texts }: { title: string; texts: string[] }): string => {
  const home = escapeHtml(translate(language, 'pages.error.home'))
  const paragraphs = texts.map((text) => `<p>${escapeHtml(text)}</p>`)
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...paragraphs,
    `<p><a class="action" href="/">${home}</a></p>`,
  ]
  return document({ language, title, body: body.join('\n') })
}

/** Shown by the browser itself when a page cannot be reached; its link asks for the same address again. */
export const offlinePage = (language: Language, brand: string): string => {
  const say = (name: 'title' | 'text' | 'tickets' | 'payment' | 'retry'): string =>
    escapeHtml(translate(language, `errors.unreachable.${name}`))
  const body = `<h1>${say('title')}</h1>
<p>${say('text')}</p>
<ul><li>${say('tickets')}</li><li>${say('payment')}</li></ul>
<p><a class="action" href="">${say('retry')}</a></p>`
  return document({
    language,
    title: translate(language, 'errors.unreachable.title'),
    brand,
    script: COME_BACK,
    body,
  })
}

/** Shown by a reverse proxy while no process responds, in all languages. */
export const awayPage = (): string =>
  document({
    language: LANGUAGES[0],
    title: translate(LANGUAGES[0], 'errors.away.title'),
    body: LANGUAGES.map(sectionOf).join('\n'),
  })

const sectionOf = (language: Language, index: number): string => {
  const heading = index === 0 ? 'h1' : 'h2'
  const title = escapeHtml(translate(language, 'errors.away.title'))
  const text = escapeHtml(translate(language, 'errors.away.text'))
  return `<section lang="${language}"><${heading}>${title}</${heading}><p>${text}</p></section>`
}

/** The same for API calls. */
export const awayResponse = (language: Language): string =>
  `${JSON.stringify({ detail: translate(language, 'errors.away.text'), code: 'request.away' })}\n`
