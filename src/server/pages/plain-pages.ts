import { createHash } from 'node:crypto'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export const PLAIN_PAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

/** Shown when the error page cannot be rendered. */
export const fallbackPage = (language: Language, contactEmail: string, requestId: string): string =>
  plainPage(language, {
    title: translate(language, 'pages.error.title'),
    texts: [
      translate(language, 'pages.error.text', { email: contactEmail }),
      translate(language, 'pages.error.reference', { id: requestId }),
    ],
  })

export const busyPage = (language: Language): string =>
  plainPage(language, {
    title: translate(language, 'errors.overloaded.title'),
    texts: [translate(language, 'errors.overloaded.text')],
  })

const plainPage = (
  language: Language,
  { title, texts }: { title: string; texts: string[] },
): string => `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<h1>${escapeHtml(title)}</h1>
${texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
<p><a href="/">${escapeHtml(translate(language, 'pages.error.home'))}</a></p>
</html>
`

const STYLE = `
body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1.5rem }
h1, h2 { font-size: 1.5rem; line-height: 1.2; margin: 2.5rem 0 .5rem }
p { margin: 0 }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const OFFLINE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
}

/** Shown by the browser itself when a page cannot be reached; its link asks for the same address again. */
export const offlinePage = (language: Language): string => {
  const say = (name: 'title' | 'text' | 'retry'): string =>
    escapeHtml(translate(language, `errors.unreachable.${name}`))
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${say('title')}</title>
<style>${STYLE}</style>
<main>
<h1>${say('title')}</h1>
<p>${say('text')}</p>
<p><a href="">${say('retry')}</a></p>
</main>
</html>
`
}

/** Shown by a reverse proxy while no process responds, in all languages. */
export const awayPage = (): string => `<!doctype html>
<html lang="${LANGUAGES[0]}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(translate(LANGUAGES[0], 'errors.away.title'))}</title>
<style>${STYLE}</style>
<main>
${LANGUAGES.map(sectionOf).join('\n')}
</main>
</html>
`

const sectionOf = (language: Language, index: number): string => {
  const heading = index === 0 ? 'h1' : 'h2'
  const title = escapeHtml(translate(language, 'errors.away.title'))
  const text = escapeHtml(translate(language, 'errors.away.text'))
  return `<section lang="${language}"><${heading}>${title}</${heading}><p>${text}</p></section>`
}

/** The same for API calls. */
export const awayResponse = (language: Language): string =>
  `${JSON.stringify({ detail: translate(language, 'errors.away.text'), code: 'request.away' })}\n`
