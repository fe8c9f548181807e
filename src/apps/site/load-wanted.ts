import type { LoaderFunctionArgs } from 'react-router'
import { serverCall, shellContext } from './context.ts'
import { asListed } from './load-offers.ts'
import { type Wanted, loadContest, slugOf } from './wanted.tsx'

/** The `loader` of login and registration: the contest that led there. No browser loads this file. */
export async function loadWanted({ context, request }: LoaderFunctionArgs): Promise<Wanted> {
  const offer = await loadContest(serverCall(context), slugOf(request.url))
  return { wanted: offer && asListed(offer, context.get(shellContext).language) }
}
