import type { Language } from '#shared/languages.ts'
import type { Messages as Catalogue } from './keys.ts'

declare module 'use-intl' {
  interface AppConfig {
    Locale: Language
    Messages: Catalogue
  }
}
