import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Transport } from '#client/api-call.ts'
import type { Shell } from '#client/shell.ts'
import type { CatalogueName } from '#i18n/namespaces.ts'
import type { Language } from '#shared/languages.ts'

/** The exports of src/apps/site/render.tsx. */
interface RenderModule {
  render(
    request: Request,
    transport: Transport,
    options: Shell & { mark: string; report: (error: unknown) => void },
  ): Promise<Rendered>
}

/** Without `page`, another response of React Router. */
export interface Rendered {
  response: Response
  page?: string
}

export interface Renderer {
  load(): Promise<RenderModule>
  /** Addresses of a page's message files. */
  messages(language: Language, path: string): string[]
  /** Content of small files of every page by address: the list of routes. */
  inlined: Readonly<Record<string, string>>
  /** None in development. */
  clientFolder: string | undefined
  /** In development, lets Vite respond to requests for modules. */
  serveModule?(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
}

/** Further catalogues of pages (`needMessages` in their route), which the browser then loads at once. */
const FURTHER: readonly (readonly [RegExp, CatalogueName])[] = [
  [/^\/$/, 'home'],
  [
    /^\/(?:login|register|logout|forgot-password|reset-password|contact|profile\/(?:data|sessions))$/,
    'account',
  ],
  [/^\/profile\/data$/, 'address'],
  [/^\/email-link$/, 'link'],
  [/^\/unsubscribe$/, 'unsubscribe'],
  [/^\/(?:cart|profile\/participations)$/, 'purchase'],
  [/^\/(?:cart|profile\/participations)$/, 'contest'],
  [/^\/profile\/orders$/, 'orders'],
  [/^\/profile\/sessions$/, 'sessions'],
  [/^\/profile\/favourites$/, 'favourites'],
  [/^\/demo\//, 'demo'],
  [/^\/draws\/verify$/, 'verify'],
  [/^\/draws(?:\/|$)/, 'draws'],
  [/^\/draws\/[^/]+\/live$/, 'liveDraw'],
]

const cataloguesOf = (page: string): CatalogueName[] => [
  'shop',
  ...FURTHER.flatMap(([pages, catalogue]) => (pages.test(page) ? [catalogue] : [])),
]

const ROOT = path.resolve(import.meta.dirname, '../../..')

/** The pages that `react-router build` made. */
export function builtRenderer(): Renderer {
  const server = path.join(ROOT, 'build/server/index.js')
  const clientFolder = path.join(ROOT, 'build/client')
  if (!existsSync(server)) throw new Error('the pages are not built: "npm start" builds them')
  const manifest = JSON.parse(readFileSync(path.join(clientFolder, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    { file: string; name?: string }
  >
  const assets = path.join(clientFolder, 'assets')
  const routes = readdirSync(assets).filter((name) => /^manifest-\w+\.js$/.test(name))
  const read = (name: string): string => readFileSync(path.join(assets, name), 'utf8').trim()
  let loading: Promise<RenderModule> | undefined
  return {
    clientFolder,
    inlined: Object.fromEntries(routes.map((name) => [`/assets/${name}`, read(name)])),
    load: () => (loading ??= import(pathToFileURL(server).href) as Promise<RenderModule>),
    messages: (language, page) =>
      cataloguesOf(page).flatMap((catalogue) =>
        Object.entries(manifest).flatMap(([source, { file }]) =>
          source.endsWith(`virtual:messages/${language}/${catalogue}`) ? [`/${file}`] : [],
        ),
      ),
  }
}

/** The pages of `src/`, compiled on request, with hot module replacement. */
export async function developmentRenderer(app: FastifyInstance): Promise<Renderer> {
  const { createServer, isRunnableDevEnvironment } = await import('vite')
  const vite = await createServer({
    root: ROOT,
    server: { middlewareMode: true, hmr: { server: app.server } },
  })
  app.addHook('onClose', async () => await vite.close())
  const { ssr } = vite.environments
  if (!ssr || !isRunnableDevEnvironment(ssr)) throw new Error('Vite has no environment to render pages in')
  return {
    clientFolder: undefined,
    load: async () => (await ssr.runner.import('/src/apps/site/render.tsx')) as RenderModule,
    messages: () => [],
    inlined: {},
    serveModule: (request, reply) =>
      new Promise((resolve, reject) => {
        reply.raw.once('finish', () => resolve(true))
        vite.middlewares(request.raw, reply.raw, (error: unknown) => (error ? reject(error) : resolve(false)))
      }),
  }
}

const EMPTY = new Set([204, 205, 304])

/** Calls the API of this process without a connection. */
export const inProcessTransport =
  (app: FastifyInstance): Transport =>
  async (path, init) => {
    const response = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: path,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' && { payload: init.body }),
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of Array.isArray(value) ? value : [value]) headers.append(name, String(one))
    }
    const body = EMPTY.has(response.statusCode) ? null : new Uint8Array(response.rawPayload)
    return new Response(body, { status: response.statusCode, headers })
  }
