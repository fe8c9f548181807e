import { redirect, redirectDocument, replace } from 'react-router'
import { browserSession } from './browser.ts'
import { documentPath, needsNewDocument } from './documents.ts'
import { paths, withoutPaymentNotices } from './paths.ts'
import { SESSION_EXPIRED, leaveNotice } from './toast.ts'

/** For the `clientLoader` of a guarded page (spec section 4). @throws Response a redirect to /login?next=… */
export async function requireSession(request: Request): Promise<void> {
  const wasSignedIn = browserSession().isAuthenticated()
  if (await browserSession().ensure()) return
  const { pathname, search } = new URL(request.url)
  const wanted = `${pathname}${search}`
  const here = `${window.location.pathname}${window.location.search}`
  // Somebody who comes back from the provider in another browser learns of the payment, also after the login. After a logout,
  // such notices do not wait for whoever logs in next.
  const keepsNotices = wasSignedIn || here === wanted
  const login = paths.login({ next: keepsNotices ? wanted : withoutPaymentNotices(wanted) })
  if (needsNewDocument(window.location.pathname, login)) {
    if (browserSession().takeExpired()) leaveNotice(SESSION_EXPIRED)
    throw replacingDocument(documentPath(login))
  }
  // "Back" must not lead into the guard again.
  throw here === wanted ? replace(login) : redirect(login)
}

function replacingDocument(path: string): Response {
  const response = redirectDocument(path)
  response.headers.set('X-Remix-Replace', 'true')
  return response
}

/** The `clientLoader` of a guarded page without data. */
export const guardedLoader = Object.assign(
  async ({ request }: { request: Request }): Promise<null> => {
    await requireSession(request)
    return null
  },
  { hydrate: true as const },
)
