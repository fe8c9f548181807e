import { translatorOf } from '#i18n/active-messages.ts'
import { DEFAULT_LANGUAGE, isLanguage, type Language } from '#shared/languages.ts'
import { createApiCall, type Transport } from './api-call.ts'
import type { FailureTexts } from './api-error.ts'
import { type Api, endpoints } from './endpoints.ts'
import { type Session, createSession } from './session.ts'
import { ACCESS, browserStorage } from './tokens.ts'

const RENEWAL_LOCK = 'volant-renewal'
const SESSION_CHANNEL = 'volant-session'

let kernel: { api: Api; session: Session; texts: FailureTexts } | undefined

/** The calls of spec section 7, with this browser's session. Only in a browser: loaders on the server get their own. */
export const browserApi = (): Api => browserKernel().api

/** The session of this browser. */
export const browserSession = (): Session => browserKernel().session

/** The sentences for failures without words of their own, in the page's language. */
export const failureTexts = (): FailureTexts => browserKernel().texts

/** The language the page was rendered in. */
export function pageLanguage(): Language {
  const { lang } = document.documentElement
  return isLanguage(lang) ? lang : DEFAULT_LANGUAGE
}

function browserKernel(): NonNullable<typeof kernel> {
  if (typeof window === 'undefined') throw new Error('the browser kernel was asked for on the server')
  kernel ??= makeKernel()
  return kernel
}

function makeKernel(): NonNullable<typeof kernel> {
  const language = pageLanguage()
  const t = translatorOf(language)
  const texts = { network: t('errors.network'), unexpected: t('errors.unexpected') }
  const transport: Transport = (path, init) => fetch(path, { ...init, credentials: 'same-origin' })
  const channel = new BroadcastChannel(SESSION_CHANNEL)
  const session = createSession({
    storage: browserStorage(),
    transport,
    texts,
    exclusively: makeExclusive(),
    announceEnd: () => channel.postMessage('ended'),
  })
  channel.addEventListener('message', () => session.syncFromOtherTab())
  window.addEventListener('storage', ({ key }) => {
    if (key === ACCESS || key === null) session.syncFromOtherTab()
  })
  return { api: endpoints(createApiCall({ transport, language, texts, session })), session, texts }
}

/** One renewal at a time over all tabs; over this tab alone where the browser lacks Web Locks (plain http). */
function makeExclusive(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  if ('locks' in navigator) {
    return async (work) => await navigator.locks.request(RENEWAL_LOCK, work)
  }
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run.catch(() => undefined)
    return run
  }
}
