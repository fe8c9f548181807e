import { createHash } from 'node:crypto'
import { ACCESS } from '#client/tokens.ts'
import type { Language } from '#shared/languages.ts'
import { EARLY_ACTS } from './early-acts.ts'
import { pageOfWorker } from './offline-worker.ts'
import { type PageScripts, withPageScripts } from './page-scripts.ts'

/** Marks <html> as signed in or out before the first paint, so that hydration moves nothing. */
const MARK_AUTH = `try{document.documentElement.dataset.auth=localStorage.getItem(${JSON.stringify(ACCESS)})===null?'out':'in'}catch{document.documentElement.dataset.auth='out'}`

/** Where the session storage is forbidden, one that keeps nothing: React Router's script for the scroll position expects one. */
const LEND_STORAGE = `try{sessionStorage.getItem('')}catch{try{Object.defineProperty(self,'sessionStorage',{value:{getItem:()=>null,setItem(){},removeItem(){},clear(){}}})}catch{}}`

const headScript = (language: Language, offlinePage: boolean): string =>
  [LEND_STORAGE, MARK_AUTH, pageOfWorker(offlinePage), EARLY_ACTS[language]].join(';')

export interface DocumentParts extends PageScripts {
  language: Language
  offlinePage: boolean
  /** The payment provider's script reads the nonce of the page's first script. */
  nonce?: string
  /** In development React Router's own script starts the page. */
  dev: boolean
}

export interface FinishedDocument {
  html: string
  scriptSources: string[]
}

/** Makes the final document from React Router's output. */
export function finishDocument(rendered: string, parts: DocumentParts): FinishedDocument {
  const { nonce, dev, language, offlinePage, ...scripts } = parts
  const code = headScript(language, offlinePage)
  const started = dev ? rendered : withPageScripts(rendered, scripts)
  const { html, scriptSources } = withoutMarks(started, scripts.mark)
  const attribute = nonce === undefined ? '' : ` nonce="${nonce}"`
  return {
    // A function: the code has signs that a replacement would read.
    html: html.replace('<head>', () => `<head><script${attribute}>${code}</script>`),
    scriptSources: [hashSource(code), ...scriptSources],
  }
}

/** Hashes the marked scripts and removes the marks. The policy blocks scripts without a mark. */
function withoutMarks(html: string, mark: string): FinishedDocument {
  const attribute = ` nonce="${mark}"`
  const scriptSources = new Set<string>()
  const [first = '', ...pieces] = html.split(attribute)
  let tag = tagAtEnd(first)
  for (const piece of pieces) {
    if (tag === 'script') scriptSources.add(hashSource(codeBehind(piece)))
    tag = tagAtEnd(piece)
  }
  return { html: [first, ...pieces].join(''), scriptSources: [...scriptSources] }
}

/** Name of the unfinished tag at the end. */
const tagAtEnd = (text: string): string => /^<(\w*)/.exec(text.slice(text.lastIndexOf('<')))?.[1] ?? ''

/** Content of a script, from a text that begins within its tag. */
const codeBehind = (text: string): string => text.slice(text.indexOf('>') + 1, text.indexOf('</script>'))

const hashSource = (code: string): string => `'sha256-${createHash('sha256').update(code).digest('base64')}'`
