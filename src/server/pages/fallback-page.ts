import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'

/** Shown when a page could not even be rendered as an error page. Plain on purpose: nothing in it can fail. */
export const fallbackPage = (language: Language, contactEmail: string): string => `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(translate(language, 'pages.error.title'))}</title>
<h1>${escapeHtml(translate(language, 'pages.error.title'))}</h1>
<p>${escapeHtml(translate(language, 'pages.error.text', { email: contactEmail }))}</p>
<p><a href="/">${escapeHtml(translate(language, 'pages.error.home'))}</a></p>
</html>
`

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
