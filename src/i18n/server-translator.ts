import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { DEFAULT_LANGUAGE, type Language } from '#shared/languages.ts'
import { PROMISES } from '#shared/promises.ts'
import type { MessageKey } from './keys.ts'
import type { ServerNamespace } from './namespaces.ts'
import { formatDateTime, formatZoneName } from './format.ts'

type Catalogue = { readonly [name: string]: string | Catalogue }

const catalogues = new Map<string, Catalogue>()
const formats = new Map<string, IntlMessageFormat>()

/** A text by the server itself, in French if missing. @param name also of server namespaces @throws RangeError */
export function translate(
  language: Language,
  name: MessageKey | `${ServerNamespace}.${string}`,
  values: Record<string, string | number> = {},
): string {
  return messageFormat(language, name).format({ ...PROMISES, ...values }) as string
}

/** An instant with the name of its zone: "31/12/2026 20:00 (heure de Bruxelles)". */
export const zonedTime = (at: Date | string, timeZone: string, language: Language): string =>
  `${formatDateTime(at, timeZone)} (${formatZoneName(at, timeZone, language, (city) => translate(language, `frame.zones.${city}`))})`

function messageFormat(language: Language, name: string): IntlMessageFormat {
  const id = `${language}:${name}`
  let format = formats.get(id)
  if (!format) {
    const own = rawMessage(language, name)
    const text = own ?? rawMessage(DEFAULT_LANGUAGE, name)
    if (text === undefined) throw new RangeError(`no message: ${name}`)
    format = new IntlMessageFormat(text, own === undefined ? DEFAULT_LANGUAGE : language, undefined, {
      ignoreTag: true,
    })
    formats.set(id, format)
  }
  return format
}

function rawMessage(language: Language, name: string): string | undefined {
  const [namespace = '', ...path] = name.split('.')
  let node: string | Catalogue | undefined = catalogueOf(language, namespace)
  for (const step of path) {
    node = typeof node === 'object' && Object.hasOwn(node, step) ? node[step] : undefined
  }
  return typeof node === 'string' ? node : undefined
}

function catalogueOf(language: Language, namespace: string): Catalogue {
  const id = `${language}/${namespace}`
  let catalogue = catalogues.get(id)
  if (!catalogue) {
    catalogue = JSON.parse(readFileSync(new URL(`./${id}.json`, import.meta.url), 'utf8')) as Catalogue
    catalogues.set(id, catalogue)
  }
  return catalogue
}
