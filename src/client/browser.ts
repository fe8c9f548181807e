import { type Catalogue, loadMessages, translatorOf } from '#i18n/active-messages.ts'
import { type ApiCall, createApiCall } from './api-call.ts'
import type { FailureTexts } from './api-error.ts'
import { localStore, openChannel, sharedLocks, tabStore } from './browser-parts.ts'
import { documentLanguage } from './document-language.ts'
import { turnsOfOneTab, turnsOfTabs } from './renewal-turns.ts'
import { keepingTime, serverNow } from './server-clock.ts'
import { type Session, createSession } from './session.ts'
import { leaveNotice, takeNotice } from './toast.ts'
import { ACCESS } from './tokens.ts'

const SESSION_CHANNEL = 'volant-session'

let kernel: { call: ApiCall; session: Session; texts: FailureTexts } | undefined

/** Calls with this browser's session; loaders on the server have their own. */
export const browserCall = (): ApiCall => browserKernel().call

export const browserSession = (): Session => browserKernel().session

export const failureTexts = (): FailureTexts => browserKernel().texts

export const pageLanguage = documentLanguage

/** Loads the messages of catalogues that only some pages need; the server has all. */
export async function needMessages(...catalogues: Catalogue[]): Promise<void> {
  if (typeof window === 'undefined') return
  await Promise.all(catalogues.map((catalogue) => loadMessages(pageLanguage(), catalogue)))
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
  const transport = keepingTime((path, init) => fetch(path, { ...init, credentials: 'same-origin' }))
  const locks = sharedLocks()
  const announceEnd = openChannel(SESSION_CHANNEL, () => {
    forgetTab()
    session.syncFromOtherTab()
  })
  const session = createSession({
    storage: localStore,
    transport,
    texts,
    now: serverNow,
    turns: locks ? turnsOfTabs(locks) : turnsOfOneTab(),
    announceEnd: () => {
      forgetTab()
      announceEnd('ended')
    },
  })
  window.addEventListener('storage', ({ key }) => {
    if (key === ACCESS || key === null) session.syncFromOtherTab()
  })
  // A page restored by the back button has missed the events.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) session.syncFromOtherTab()
  })
  const call = createApiCall({ transport, language, texts, session })
  return { call, session, texts }
}

/** The session storage, such as a payment in progress, belongs to the account that logged out in any tab; a notice of the logout does not. */
function forgetTab(): void {
  const notice = takeNotice()
  tabStore.clear()
  localStore.forgetMemory()
  if (notice !== null) leaveNotice(notice)
}
