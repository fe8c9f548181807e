import { type ClientLoaderFunctionArgs, type LoaderFunctionArgs, data } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import type { ApiCall } from '#client/api-call.ts'
import { browserCall } from '#client/browser.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import type { PublicDraw } from '#features/draws/public-draws.contract.ts'
import { rehearsalQuery } from '#features/draws/public-draws.rules.ts'
import { serverCall } from './context.ts'

/** The draw of an address, or a rehearsal of it; any refusal of an impossible one counts as an unknown contest. */
async function load(call: ApiCall, address: string, slug = '', signal?: AbortSignal) {
  const rehearsal = new URL(address).searchParams.get('rehearsal')
  try {
    return data<PublicDraw | null>(await drawsApi(call).draw(slug, rehearsalQuery(rehearsal), signal))
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
    if (isRefused) return data<PublicDraw | null>(null, { status: 404 })
    throw error
  }
}

/** The loaders of the pages of one draw. */
export const loadDraw = ({ context, params, request }: LoaderFunctionArgs) =>
  load(serverCall(context), request.url, params['slug'])
export const loadDrawInBrowser = ({ params, request }: ClientLoaderFunctionArgs) =>
  load(browserCall(), request.url, params['slug'], request.signal)
