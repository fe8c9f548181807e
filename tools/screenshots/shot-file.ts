import path from 'node:path'
import type { Language } from '#shared/languages.ts'
import type { Scheme, Width } from './options.ts'

/** What one picture shows. */
export interface Shot {
  state: string
  language: Language
  width: Width
  scheme: Scheme
}

/** Where a picture lies: `<folder>/fr/cart-empty-360-light.jpg`. */
export const shotFile = (folder: string, { state, language, width, scheme }: Shot): string =>
  path.join(folder, language, `${state.replace('/', '-')}-${width}-${scheme}.jpg`)
