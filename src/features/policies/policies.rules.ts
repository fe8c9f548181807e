export interface InlinePart {
  text: string
  href?: string
}

/** An e-mail or web address without the punctuation of the sentence. */
const FOLLOWED = /https?:\/\/[^\s,;()]*[^\s,;().:]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g

/** Splits a text into plain parts and links. */
export function inlineParts(text: string): InlinePart[] {
  const parts: InlinePart[] = []
  let done = 0
  for (const { 0: found, index } of text.matchAll(FOLLOWED)) {
    if (index > done) parts.push({ text: text.slice(done, index) })
    parts.push({ text: found, href: found.startsWith('http') ? found : `mailto:${found}` })
    done = index + found.length
  }
  return done < text.length ? [...parts, { text: text.slice(done) }] : parts
}

/** "3. Conditions" */
export const numbered = (index: number, title: string): string => `${index + 1}. ${title}`

/** Keeps "e-mail" on one line, for pages, whose fonts have the word joiner. */
export const wholeEmail = (text: string): string => text.replace(/(?<=\be-)(?=mail)/gi, '\u2060')

/** No line breaks before `: ; ? !` and inside « quotes ». */
export const frenchSpaces = (text: string): string => text.replace(/ (?=[:;?!»])|(?<=«) /g, '\u00a0')
