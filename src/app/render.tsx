import { RouterContextProvider, createRequestHandler } from 'react-router'
import * as build from 'virtual:react-router/server-build'
import { type Transport, createApiCall } from '#client/api-call.ts'
import { endpoints } from '#client/endpoints.ts'
import type { Shell } from '#client/shell.ts'
import { loadMessages, translatorOf } from '#i18n/active-messages.ts'
import { CATALOGUES } from '#i18n/namespaces.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { apiContext, keepingAnswers, renderingContext, shellContext } from './context.ts'

export interface RenderOptions extends Shell {
  /** The nonce of every script of the page, by which the server finds them. */
  mark: string
  /** Told of faults that the page's reader sees only as an error page. */
  report: (error: unknown) => void
}

for (const language of LANGUAGES) {
  await Promise.all(CATALOGUES.map((catalogue) => loadMessages(language, catalogue)))
}

const handle = createRequestHandler(build, import.meta.env.PROD ? 'production' : 'development')

/** A page, or whatever else React Router answered: a redirect, the data of a page. */
export interface Rendered {
  response: Response
  /** The page; the response then has no body. */
  page?: string
}

/**
 * Answers the request of a page, or of a page's data, as a visitor sees it: no page of the server knows who asks.
 * @param transport how loaders reach the API
 */
export async function render(
  request: Request,
  transport: Transport,
  options: RenderOptions,
): Promise<Rendered> {
  const { mark, report, ...shell } = options
  const t = translatorOf(shell.language)
  const texts = { network: t('errors.network'), unexpected: t('errors.unexpected') }
  const call = createApiCall({ transport, language: shell.language, texts })
  const context = new RouterContextProvider()
  context.set(shellContext, shell)
  context.set(apiContext, endpoints(keepingAnswers(call, transport, shell.language)))
  let page: string | undefined
  context.set(renderingContext, { mark, report, deliver: (made) => (page = made) })
  const response = await handle(request, context)
  return { response, ...(page !== undefined && { page }) }
}
