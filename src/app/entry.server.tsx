import { Writable } from 'node:stream'
import { renderToPipeableStream } from 'react-dom/server'
import {
  type EntryContext,
  type HandleErrorFunction,
  type RouterContextProvider,
  ServerRouter,
} from 'react-router'
import { renderingContext } from './context.ts'

/** Longest time a page may take; what is not there by then is an error page. */
const RENDER_TIMEOUT_MS = 10_000

/**
 * Renders a whole page. It is not streamed: every page is public, its data is loaded before, and a whole page can be
 * kept and sent again with another nonce.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  headers.set('content-type', 'text/html; charset=utf-8')
  const { nonce } = context.get(renderingContext)
  const html = await renderWhole(
    <ServerRouter context={routerContext} url={request.url} nonce={nonce} />,
    nonce,
  )
  return new Response(html, { status, headers })
}

function renderWhole(page: React.ReactNode, nonce: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        chunks.push(chunk)
        done()
      },
      final(done) {
        clearTimeout(timer)
        resolve(Buffer.concat(chunks).toString('utf8'))
        done()
      },
    })
    const fail = (error: unknown): void => {
      clearTimeout(timer)
      reject(error)
    }
    const { pipe, abort } = renderToPipeableStream(page, {
      nonce,
      onAllReady: () => pipe(sink),
      onShellError: fail,
      onError: fail,
    })
    const timer = setTimeout(() => abort(new Error('the page took too long')), RENDER_TIMEOUT_MS)
  })
}

export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (!request.signal.aborted) context.get(renderingContext).report(error)
}
