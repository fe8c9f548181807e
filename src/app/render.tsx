import { RouterContextProvider, createRequestHandler } from 'react-router'
import * as build from 'virtual:react-router/server-build'
import { type Transport, createApiCall } from '#client/api-call.ts'
import { endpoints } from '#client/endpoints.ts'
import type { Shell } from '#client/shell.ts'
import { loadMessages, translatorOf } from '#i18n/active-messages.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { apiContext, renderingContext, shellContext } from './context.ts'

export interface RenderOptions extends Shell {
  /** For every script of the page. */
  nonce: string
  /** Told of faults that the page's reader sees only as an error page. */
  report: (error: unknown) => void
}

await Promise.all(LANGUAGES.map(loadMessages))

const handle = createRequestHandler(build, import.meta.env.PROD ? 'production' : 'development')

/**
 * Answers the request of a page, or of a page's data, as a visitor sees it: no page of the server knows who asks.
 * @param transport how loaders reach the API
 */
export async function render(
  request: Request,
  transport: Transport,
  options: RenderOptions,
): Promise<Response> {
  const { nonce, report, ...shell } = options
  const t = translatorOf(shell.language)
  const texts = { network: t('errors.network'), unexpected: t('errors.unexpected') }
  const call = createApiCall({ transport, language: shell.language, texts })
  const context = new RouterContextProvider()
  context.set(shellContext, shell)
  context.set(apiContext, endpoints(call))
  context.set(renderingContext, { nonce, report })
  return await handle(request, context)
}
