import { inflateSync } from 'node:zlib'

/** What a reader finds in a PDF, found without the library that wrote it. */
export interface ReadPdf {
  /** The page's tagged elements in order: the tag and the text drawn in it. */
  elements: { tag: string; text: string }[]
  /** Everything outside the page, as text: dictionaries, metadata. */
  objects: string
  /** Number of rectangles in each tagged element. */
  rectangles: (tag: string) => number[]
}

interface PdfObject {
  dictionary: string
  stream: Buffer | undefined
}

/**
 * Reads one page of a PDF: the objects, the fonts' character maps and the page's content.
 * @param index which page, from 0
 */
export function readPdf(bytes: Buffer, index = 0): ReadPdf {
  const objects = readObjects(bytes)
  const dictionaryOf = (id: string | undefined): string => objects.get(id ?? '')?.dictionary ?? ''
  const streamOf = (id: string | undefined): string => objects.get(id ?? '')?.stream?.toString('latin1') ?? ''

  const pages = [...objects.values()].filter(({ dictionary }) => /\/Type \/Page\b/.test(dictionary))
  const page = pages[index]?.dictionary
  const resources = dictionaryOf(/\/Resources (\d+)/.exec(page ?? '')?.[1])
  const fonts = new Map(
    Array.from(resources.matchAll(/\/(F\d+) (\d+) 0 R/g), ([, name = '', id]) => {
      const map = streamOf(/\/ToUnicode (\d+)/.exec(dictionaryOf(id))?.[1])
      return [name, readCharacterMap(map)] as const
    }),
  )
  const content = streamOf(/\/Contents (\d+)/.exec(page ?? '')?.[1])
  const parts = Array.from(content.matchAll(/\/(\w+) (?:<<([^>]*)>> )?BDC([\s\S]*?)EMC/g)).filter(
    ([, tag]) => tag !== 'Artifact',
  )
  return {
    elements: parts.map(([, tag = '', , drawn = '']) => ({ tag, text: readText(drawn, fonts) })),
    objects: Array.from(objects.values(), ({ dictionary }) => decodeStrings(dictionary)).join('\n'),
    rectangles: (tag) =>
      parts.filter((part) => part[1] === tag).map((part) => part[3]?.match(/ re\b/g)?.length ?? 0),
  }
}

function readObjects(bytes: Buffer): Map<string, PdfObject> {
  const text = bytes.toString('latin1')
  const found = Array.from(text.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g))
  return new Map(
    found.map(([, id = '', body = '']) => {
      const [dictionary = '', rest] = body.split(/\nstream\n/, 2)
      const raw =
        rest === undefined ? undefined : Buffer.from(rest.slice(0, rest.lastIndexOf('\nendstream')), 'latin1')
      const stream = raw && dictionary.includes('/FlateDecode') ? inflateSync(raw) : raw
      return [id, { dictionary, stream }]
    }),
  )
}

/** The characters of a font by glyph number. */
function readCharacterMap(map: string): string[] {
  return Array.from(map.matchAll(/<(\w+)> <\w+> \[([^\]]*)\]/g)).flatMap(([, , list = '']) =>
    Array.from(list.matchAll(/<([\w ]*)>/g), ([, units = '']) =>
      units
        .split(' ')
        .map((unit) => String.fromCharCode(Number.parseInt(unit, 16)))
        .join(''),
    ),
  )
}

function readText(content: string, fonts: ReadonlyMap<string, string[]>): string {
  let font: string[] = []
  let text = ''
  for (const [, name, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9a-f]+)>/g)) {
    if (name !== undefined) font = fonts.get(name) ?? []
    for (const [glyph] of glyphs?.matchAll(/.{4}/g) ?? [])
      text += font[Number.parseInt(glyph, 16)] ?? '\ufffd'
  }
  return text
}

/** UTF-16 strings of dictionaries as text. */
const decodeStrings = (dictionary: string): string =>
  dictionary.replace(/\(\u00fe\u00ff([\s\S]*?)\)/g, (_, units: string) => {
    const bytes = Buffer.from(units, 'latin1')
    return `(${bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le')})`
  })
