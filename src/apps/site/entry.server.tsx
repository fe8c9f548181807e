import { renderToString } from 'react-dom/server'
import {
  type EntryContext,
  type HandleErrorFunction,
  type RouterContextProvider,
  ServerRouter,
} from 'react-router'
import { renderingContext } from './context.ts'

/** React's marker for a suspended part. */
const UNFINISHED = '<!--$!-->'

/**
 * Renders a page as one text: half the cost of a stream, and its scripts can be hashed for the headers.
 * @returns status and headers; `deliver` gets the page, because a `Response` would encode and copy it
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  headers.set('content-type', 'text/html; charset=utf-8')
  const { mark, deliver } = context.get(renderingContext)
  const { serverHandoffStream: data, ...withoutData } = routerContext
  const html = renderToString(<ServerRouter context={withoutData} url={request.url} nonce={mark} />)
  if (html.includes(UNFINISHED)) throw new Error('a part of the page waited while it was rendered')
  deliver(`<!DOCTYPE html>${data ? withData(html, await textsOf(data), mark) : html}`)
  return new Response(null, { status, headers })
}

async function textsOf(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const decoder = new TextDecoder()
  const texts: string[] = []
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    texts.push(decoder.decode(read.value, { stream: true }))
  }
  return texts
}

function withData(html: string, texts: readonly string[], mark: string): string {
  const stream = 'window.__reactRouterContext.streamController'
  const calls = [...texts.map((text) => `enqueue(${inScript(JSON.stringify(text))})`), 'close()']
  const code = calls.map((call) => `${stream}.${call};`).join('')
  const end = html.lastIndexOf('</body>')
  return `${html.slice(0, end)}<script nonce="${mark}">${code}</script>${html.slice(end)}`
}

const ESCAPED: Record<string, string> = {
  '&': '\\u0026',
  '<': '\\u003c',
  '>': '\\u003e',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON text that is safe in a script. */
const inScript = (json: string): string =>
  json.replaceAll(/[&<>\u2028\u2029]/g, (character) => ESCAPED[character] ?? character)

export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (!request.signal.aborted) context.get(renderingContext).report(error)
}
