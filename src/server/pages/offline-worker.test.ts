import { runInNewContext } from 'node:vm'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { pageOfWorker, serveOfflineWorker } from './offline-worker.ts'

type Listeners = Record<string, (event: object) => void>

/** The worker that the shop serves, in a browser of which it uses these parts. */
async function worker({ offlinePage = true, language = '' } = {}) {
  const app = Fastify()
  serveOfflineWorker(app, { brand: 'A & B', offlinePage })
  const { body, headers } = await app.inject('/offline-worker.js')
  const listeners: Listeners = {}
  const done: string[] = []
  const kept = language === '' ? undefined : { text: async () => language }
  runInNewContext(body, {
    URL,
    Response,
    addEventListener: (name: string, listener: Listeners[string]) => (listeners[name] = listener),
    fetch: () => Promise.reject(new TypeError('no connection')),
    registration: { unregister: async () => done.push('unregistered') },
    caches: {
      match: async () => kept,
      delete: async (name: string) => done.push(`deleted ${name}`),
    },
  })
  return { listeners, done, headers }
}

interface Asked {
  path: string
  method?: string
  mode?: string
  destination?: string
}

/** @returns what the worker responds where nothing can be reached; undefined where it leaves the request alone */
async function offline(
  { path, method = 'GET', mode = 'navigate', destination = 'document' }: Asked,
  language = '',
) {
  const { listeners } = await worker({ language })
  let response: Promise<Response> | undefined
  const request = { method, mode, destination, url: `https://shop.example${path}` }
  const respondWith = (given: Promise<Response>): void => void (response = given)
  listeners['fetch']?.({ request, preloadResponse: Promise.resolve(undefined), respondWith })
  return await response
}

test.each([
  '/',
  '/offers',
  '/offers/nissan-leaf',
  '/draws/nissan-leaf?rehearsal=1',
  '/cart',
  '/login?next=/api/',
])('the page %s is ours where nothing can be reached', async (path) => {
  const response = await offline({ path })
  expect(response?.status).toBe(503)
  expect(await response?.text()).toContain('<title>Pas de connexion | A &#38; B</title>')
})

test.each(LANGUAGES)('it speaks the language of the last page: %s', async (language) => {
  const response = await offline({ path: '/' }, language)
  expect(await response?.text()).toContain(`<html lang="${language}">`)
})

test.each<Asked>([
  { path: '/api/offers/', mode: 'cors', destination: '' },
  { path: '/api/health/' },
  { path: '/admin/' },
  { path: '/admin' },
  { path: '/checkout/return?token=A&ref=B' },
  { path: '/media/hero.webp' },
  { path: '/draws/log.txt' },
  { path: '/draws/nissan-leaf/list.txt' },
  { path: '/draws/leaf?hash=a' },
  { path: '/draws/nissan-leaf/checkpoint' },
  { path: '/terms-and-conditions.pdf' },
  { path: '/offers', method: 'POST' },
  { path: '/offers', mode: 'no-cors', destination: 'image' },
  { path: '/offers', destination: 'iframe' },
])('%j is left to the browser', async (asked) => {
  expect(await offline(asked)).toBeUndefined()
})

test('a shop that wants none takes it away from the browsers that have it', async () => {
  const { listeners, done } = await worker({ offlinePage: false })
  expect(Object.keys(listeners)).toEqual(['activate'])
  const waited: Promise<unknown>[] = []
  listeners['activate']?.({ waitUntil: (work: Promise<unknown>) => waited.push(work) })
  await Promise.all(waited)
  expect(done).toEqual(['unregistered', 'deleted page-language'])
  expect(pageOfWorker(false)).not.toContain('.register(')
})

test('its part of the page is small, and the worker is asked for once an hour', async () => {
  expect(pageOfWorker(true).length).toBeLessThan(700)
  expect((await worker()).headers['cache-control']).toBe('public, max-age=3600')
})
