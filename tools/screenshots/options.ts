import { LANGUAGES, type Language } from '#shared/languages.ts'
import { PlainError, readOptions as readArguments } from '../run/say.ts'

/** The last one only when it is asked for. */
export const WIDTHS = [360, 768, 1440, 1920] as const
const USUAL: readonly Width[] = [360, 768, 1440]
export type Width = (typeof WIDTHS)[number]
export const SCHEMES = ['light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

export interface Options {
  /** Beginnings of names of states. */
  only: readonly string[]
  languages: readonly Language[]
  widths: readonly Width[]
  schemes: readonly Scheme[]
}

export const USAGE =
  'npm run screenshots -- [--only cart,offer/lightbox] [--lang nl] [--width 360,1440] [--scheme dark] [--sheets]'

/** @throws PlainError for a value that is none of the known ones */
export function readOptions(args: readonly string[]): Options & { sheets: boolean } {
  const { values } = readArguments(USAGE, {
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      lang: { type: 'string', multiple: true, default: [] },
      width: { type: 'string', multiple: true, default: [] },
      scheme: { type: 'string', multiple: true, default: [] },
      sheets: { type: 'boolean', default: false },
    },
  })
  return {
    only: split(values.only),
    languages: chosen('--lang', split(values.lang), LANGUAGES),
    widths: values.width.length === 0 ? USUAL : chosen('--width', split(values.width), WIDTHS),
    schemes: chosen('--scheme', split(values.scheme), SCHEMES),
    sheets: values.sheets,
  }
}

const split = (values: readonly string[]): string[] => values.flatMap((one) => one.split(',')).filter(Boolean)

function chosen<Value extends string | number>(
  name: string,
  asked: readonly string[],
  known: readonly Value[],
): readonly Value[] {
  const unknown = asked.find((one) => !known.some((value) => String(value) === one))
  if (unknown !== undefined)
    throw new PlainError(`${name} ${unknown}: expected ${known.join(', ')}.\n${USAGE}`)
  return asked.length === 0 ? known : known.filter((value) => asked.includes(String(value)))
}
