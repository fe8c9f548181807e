import type { FastifyInstance } from 'fastify'
import { DEFAULT_LANGUAGE, LANGUAGES } from '#shared/languages.ts'
import { OFFLINE_HEADERS, offlinePage } from './plain-pages.ts'

const PATH = '/offline-worker.js'

/** The cache of the browser that holds the language of the last page, its only entry. */
const LANGUAGE_CACHE = 'page-language'

/** A Trusted Types policy of the pages: it names this worker's address, whatever it is given. */
export const WORKER_POLICY = 'offline-worker'

/** `updateViaCache`: no request for the file with each navigation. The worker reads the language when it is offline. */
export const REGISTER_WORKER =
  `addEventListener('load',()=>{try{const w=navigator.serviceWorker,u='${PATH}';` +
  `w?.register(self.trustedTypes?trustedTypes.createPolicy('${WORKER_POLICY}',{createScriptURL:()=>u}).createScriptURL(''):u,` +
  `{updateViaCache:'all'}).then(()=>caches.open('${LANGUAGE_CACHE}'))` +
  `.then(c=>c.put('/',new Response(document.documentElement.dataset.language))).catch(()=>{})}catch{}})`

/**
 * Responds to navigations that fail, as they do offline, with our own page. Every other request passes by it. A newer
 * worker waits until no page uses the old one: Chromium can lose the response to a navigation whose worker is replaced
 * meanwhile.
 */
const WORKER = `const pages = ${JSON.stringify(Object.fromEntries(LANGUAGES.map((language) => [language, offlinePage(language)])))}
const headers = ${JSON.stringify(OFFLINE_HEADERS)}

addEventListener('activate', (event) => event.waitUntil(registration.navigationPreload?.enable()))
addEventListener('fetch', (event) => {
  const { method, mode, destination } = event.request
  if (method === 'GET' && mode === 'navigate' && destination === 'document') event.respondWith(respond(event))
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

/** A day: the page's words change seldom. */
const FOR_A_DAY = 'public, max-age=86400'

export function serveOfflineWorker(app: FastifyInstance): void {
  app.get(PATH, { config: { auth: 'ignored' }, schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({
        'cache-control': FOR_A_DAY,
        'content-security-policy': "default-src 'none'; connect-src 'self'",
      })
      .send(WORKER),
  )
}
