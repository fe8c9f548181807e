import type { FastifyInstance } from 'fastify'
import { DEFAULT_LANGUAGE, LANGUAGES } from '#shared/languages.ts'
import { FOR_AN_HOUR } from './built-folders.ts'
import { OFFLINE_HEADERS, offlinePage } from './plain-pages.ts'

const PATH = '/offline-worker.js'

/** The cache of the browser that holds the language of the last page, its only entry. */
const LANGUAGE_CACHE = 'page-language'

/** A Trusted Types policy of the pages: it names this worker's address, whatever it is given. */
export const WORKER_POLICY = 'offline-worker'

/** Once the page has loaded and is idle; safe in a browser that lacks or forbids a part. */
const whenStill = (work: string): string =>
  `addEventListener('load',()=>(self.requestIdleCallback??setTimeout)(()=>{try{${work}}catch{}}))`

/** `updateViaCache`: no request for the file with each navigation. The worker reads the language when it is offline. */
const REGISTER =
  `const w=navigator.serviceWorker,u='${PATH}';` +
  `w?.register(self.trustedTypes?trustedTypes.createPolicy('${WORKER_POLICY}',{createScriptURL:()=>u}).createScriptURL(''):u,` +
  `{updateViaCache:'all'}).then(()=>caches.open('${LANGUAGE_CACHE}'))` +
  `.then(c=>c.put('/',new Response(document.documentElement.dataset.language))).catch(()=>{})`

const UNREGISTER =
  `navigator.serviceWorker?.getRegistration().then(r=>r?.unregister())` +
  `.then(()=>caches.delete('${LANGUAGE_CACHE}')).catch(()=>{})`

/** What every page does about the worker (ADR 0131). */
export const pageOfWorker = (isWanted: boolean): string => whenStill(isWanted ? REGISTER : UNREGISTER)

/** What is left to the browser: calls, files, the console, and the ways back from a payment. */
const NOT_OURS =
  /^\/(?:api|assets|media|admin|checkout|rehearsals)(?:\/|$)|^\/draws\/(?:[^/]+\/)?(?:checkpoint|consistency|leaf)$|\.\w+$/i

/**
 * Responds to navigations that fail, as they do offline, with our own page. Every other request passes by it. A newer
 * worker waits until no page uses the old one: Chromium can lose the response to a navigation whose worker is replaced
 * meanwhile.
 */
const workerOf = (brand: string): string =>
  `const pages = ${JSON.stringify(Object.fromEntries(LANGUAGES.map((language) => [language, offlinePage(language, brand)])))}
const headers = ${JSON.stringify(OFFLINE_HEADERS)}

addEventListener('activate', (event) => event.waitUntil(registration.navigationPreload?.enable()))
addEventListener('fetch', (event) => {
  const { method, mode, destination, url } = event.request
  if (method !== 'GET' || mode !== 'navigate' || destination !== 'document') return
  if (!${NOT_OURS}.test(new URL(url).pathname)) event.respondWith(respond(event))
})

async function respond({ preloadResponse, request }) {
  try {
    return (await preloadResponse) ?? (await fetch(request))
  } catch {
    return new Response(pages[await language()] ?? pages.${DEFAULT_LANGUAGE}, { status: 503, headers })
  }
}

const language = async () => (await caches.match('/', { cacheName: '${LANGUAGE_CACHE}' }).catch(() => {}))?.text()
`

/** In its place where the shop wants none: it responds to nothing, and goes. */
const LEAVING = `addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([registration.unregister(), caches.delete('${LANGUAGE_CACHE}')])))
`

interface WorkerOptions {
  brand: string
  /** Whether pages register it; otherwise those that have it lose it. */
  offlinePage: boolean
}

export function serveOfflineWorker(
  app: FastifyInstance,
  { brand, offlinePage: isWanted }: WorkerOptions,
): void {
  const code = isWanted ? workerOf(brand) : LEAVING
  app.get(PATH, { config: { auth: 'ignored' }, schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({
        'cache-control': FOR_AN_HOUR,
        'content-security-policy': "default-src 'none'; connect-src 'self'",
      })
      .send(code),
  )
}
