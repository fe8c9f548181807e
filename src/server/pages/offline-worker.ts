import type { FastifyInstance } from 'fastify'
import { DEFAULT_LANGUAGE, isLanguage } from '#shared/languages.ts'
import { OFFLINE_HEADERS, offlinePage } from './plain-pages.ts'

const PATH = '/offline-worker.js'

/** A Trusted Types policy of the pages: it names this worker's address, whatever it is given. */
export const WORKER_POLICY = 'offline-worker'

/** The file itself holds the page, so nothing is cached. `updateViaCache`: no request for it with each navigation. */
export const REGISTER_WORKER =
  `addEventListener('load',()=>{const w=navigator.serviceWorker,` +
  `u='${PATH}?lang='+document.documentElement.lang;` +
  `w?.register(self.trustedTypes?trustedTypes.createPolicy('${WORKER_POLICY}',{createScriptURL:()=>u}).createScriptURL(''):u,` +
  `{updateViaCache:'all'}).catch(()=>{})})`

/** Answers navigations that fail, as they do offline, with our own page. Every other request passes by it. */
const workerOf = (page: string): string => `const page = ${JSON.stringify(page)}
const headers = ${JSON.stringify(OFFLINE_HEADERS)}

addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(registration.navigationPreload?.enable()))
addEventListener('fetch', (event) => {
  const { method, mode, destination } = event.request
  if (method === 'GET' && mode === 'navigate' && destination === 'document') event.respondWith(answer(event))
})

async function answer({ preloadResponse, request }) {
  try {
    return (await preloadResponse) ?? (await fetch(request))
  } catch {
    return new Response(page, { status: 503, headers })
  }
}
`

/** A day: the page's words change seldom. */
const FOR_A_DAY = 'public, max-age=86400'

export function serveOfflineWorker(app: FastifyInstance): void {
  app.get<{ Querystring: { lang?: string } }>(
    PATH,
    { config: { auth: 'ignored' }, schema: { hide: true } },
    async ({ query }, reply) => {
      const language = isLanguage(query.lang) ? query.lang : DEFAULT_LANGUAGE
      return reply
        .type('text/javascript; charset=utf-8')
        .headers({
          'cache-control': FOR_A_DAY,
          'content-security-policy': "default-src 'none'; connect-src 'self'",
        })
        .send(workerOf(offlinePage(language)))
    },
  )
}
