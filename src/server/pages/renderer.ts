import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Transport } from '#client/api-call.ts'
import type { Shell } from '#client/shell.ts'
import type { Language } from '#shared/languages.ts'

/** What src/app/render.tsx exports: the only thing the server knows of the pages. */
interface RenderModule {
  render(
    request: Request,
    transport: Transport,
    options: Shell & { nonce: string; report: (error: unknown) => void },
  ): Promise<Response>
}

export interface Renderer {
  load(): Promise<RenderModule>
  /** Address of the chunk with a language's messages. */
  messages(language: Language): string | undefined
  /** Folder with the files that browsers load; none in development. */
  clientFolder: string | undefined
  /** In development: lets Vite answer a request for a module. */
  serveModule?(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
}

const ROOT = path.resolve(import.meta.dirname, '../../..')

/** The pages as `react-router build` has made them. */
export function builtRenderer(): Renderer {
  const server = path.join(ROOT, 'build/server/index.js')
  const clientFolder = path.join(ROOT, 'build/client')
  if (!existsSync(server)) throw new Error('the pages are not built: "npm start" builds them')
  const manifest = JSON.parse(readFileSync(path.join(clientFolder, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    { file: string; name?: string }
  >
  let loading: Promise<RenderModule> | undefined
  return {
    clientFolder,
    load: () => (loading ??= import(pathToFileURL(server).href) as Promise<RenderModule>),
    messages(language) {
      const chunk = Object.entries(manifest).find(([source]) =>
        source.endsWith(`virtual:messages/${language}`),
      )?.[1]
      return chunk && `/${chunk.file}`
    },
  }
}

/** The pages as they stand in `src/`, compiled as they are asked for and replaced in open pages when a file changes. */
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
    load: async () => (await ssr.runner.import('/src/app/render.tsx')) as RenderModule,
    messages: () => undefined,
    serveModule: (request, reply) =>
      new Promise((resolve, reject) => {
        reply.raw.once('finish', () => resolve(true))
        vite.middlewares(request.raw, reply.raw, (error: unknown) => (error ? reject(error) : resolve(false)))
      }),
  }
}
