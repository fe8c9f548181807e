import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'

/** What the shop's own picture for shared links reads, on two lines (art/site-picture.ts). */
export const inscription = (language: Language): string =>
  [translate(language, 'pages.home.title'), translate(language, 'home.hero.subtitle')].join('\n')
