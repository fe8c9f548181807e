/** Part of a text; with `href` where people can follow it. */
export interface InlinePart {
  text: string
  href?: string
}

/** An e-mail address or a web address; the full stop or comma after it belongs to the sentence. */
const FOLLOWED = /https?:\/\/[^\s,;()]*[^\s,;().:]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g

/** A text in parts: e-mail and web addresses in it are links. Joined, the parts are the text again. */
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

/** "3. Conditions": sections are numbered from 1. */
export const numbered = (index: number, title: string): string => `${index + 1}. ${title}`

/** "e-mail" keeps to one line, as in the catalogues: for pages, whose fonts have the word joiner. */
export const wholeEmail = (text: string): string => text.replace(/(?<=\be-)(?=mail)/gi, '\u2060')

/** French typography: no line breaks before `: ; ? !` and inside « quotes ». */
export const frenchSpaces = (text: string): string => text.replace(/ (?=[:;?!»])|(?<=«) /g, '\u00a0')
