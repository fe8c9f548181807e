import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { escapeHtml } from './escape-html.ts'

/**
 * What a reverse proxy shows while no process of the shop answers: it cannot know a visitor's language, so the page
 * says it in all three, and needs nothing from the shop.
 */
export const awayPage = (): string => `<!doctype html>
<html lang="${LANGUAGES[0]}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(translate(LANGUAGES[0], 'errors.away.title'))}</title>
<style>
body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1.5rem }
h1, h2 { font-size: 1.5rem; line-height: 1.2; margin: 2.5rem 0 .5rem }
p { margin: 0 }
</style>
<main>
${LANGUAGES.map(sectionOf).join('\n')}
</main>
</html>
`

const sectionOf = (language: (typeof LANGUAGES)[number], index: number): string => {
  const heading = index === 0 ? 'h1' : 'h2'
  const title = escapeHtml(translate(language, 'errors.away.title'))
  const text = escapeHtml(translate(language, 'errors.away.text'))
  return `<section lang="${language}"><${heading}>${title}</${heading}><p>${text}</p></section>`
}

/** The same for calls of the API, in the shape of every refusal. */
export const awayAnswer = (language: (typeof LANGUAGES)[number]): string =>
  `${JSON.stringify({ detail: translate(language, 'errors.away.text'), code: 'request.away' })}\n`
