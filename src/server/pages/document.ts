import type { PageOfParts } from '#client/kept-markup.tsx'
import { ACCESS } from '#client/tokens.ts'
import { type PageScripts, withPageScripts } from './page-scripts.ts'

/**
 * Runs before the first paint: says on <html> whether somebody is signed in, so that styles can show the right frame
 * at once and hydration moves nothing. It stands outside of what React renders.
 */
const AUTH_SCRIPT = `try{document.documentElement.dataset.auth=localStorage.getItem(${JSON.stringify(ACCESS)})===null?'out':'in'}catch{document.documentElement.dataset.auth='out'}`

export interface DocumentParts extends PageScripts {
  /** In development Vite serves each module by itself, and React Router's own script starts the page. */
  dev: boolean
}

/** Turns what React Router rendered into the document that is sent; its kept parts stay apart. */
export function finishDocument(page: PageOfParts, { dev, ...scripts }: DocumentParts): PageOfParts {
  const text = (dev ? page.text : withPageScripts(page.text, scripts)).replace(
    '<head>',
    `<head><script nonce="${scripts.nonce}">${AUTH_SCRIPT}</script>`,
  )
  return { ...page, text }
}

/** The whole document as text. */
export function documentText({ text, hole, parts }: PageOfParts): string {
  if (parts.length === 0) return text
  return text
    .split(hole)
    .map((piece, index) => piece + (parts[index]?.html ?? ''))
    .join('')
}

/** The whole document as it is sent; its kept parts are not encoded anew. */
export function documentBytes({ text, hole, parts }: PageOfParts): Buffer {
  if (parts.length === 0) return Buffer.from(text)
  const pieces = text.split(hole)
  return Buffer.concat(
    pieces.flatMap((piece, index) => [Buffer.from(piece), ...(parts[index] ? [parts[index].bytes] : [])]),
  )
}
