import { RouterContextProvider, createRequestHandler } from 'react-router'
import messages from 'virtual:messages/all'
import * as build from 'virtual:react-router/server-build'
import { type Transport, createApiCall } from '#client/api-call.ts'
import type { Shell } from '#client/shell.ts'
import { loadMessages, translatorOf } from '#i18n/active-messages.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { callContext, withCachedResponses, renderingContext, shellContext } from './context.ts'

export interface RenderOptions extends Shell {
  /** The nonce of all scripts, which marks them for the server. */
  mark: string
  report: (error: unknown) => void
}

for (const language of LANGUAGES) await loadMessages(language, messages)

const handle = createRequestHandler(build, import.meta.env.PROD ? 'production' : 'development')

/** A page, a redirect or the data of a page. */
export interface Rendered {
  response: Response
  /** Set for a page; the response then has no body. */
  page?: string
}

/** Renders a page or its data as a visitor sees it. @param transport calls the API */
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
  context.set(callContext, withCachedResponses(call, transport, shell.language))
  let page: string | undefined
  context.set(renderingContext, { mark, report, deliver: (made) => (page = made) })
  const response = await handle(request, context)
  return { response, ...(page !== undefined && { page }) }
}
