import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { escapeHtml } from './escape-html.ts'

interface Fallback {
  language: Language
  contactEmail: string
  /** Number of the request, for people to quote. */
  requestId: string
}

/** Such a page runs nothing and is kept nowhere. */
export const PLAIN_PAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

/** Shown when a page could not even be rendered as an error page. Plain on purpose: nothing in it can fail. */
export const fallbackPage = ({ language, contactEmail, requestId }: Fallback): string =>
  plainPage(language, {
    title: translate(language, 'pages.error.title'),
    texts: [
      translate(language, 'pages.error.text', { email: contactEmail }),
      translate(language, 'pages.error.reference', { id: requestId }),
    ],
  })

/** Shown while the shop has more visitors than it can serve. */
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
