import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Renderer } from './renderer.ts'

/** Files under /assets/ carry a hash of their content in their name. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const FOR_AN_HOUR = 'public, max-age=3600'

/** Serves what `react-router build` made for browsers, compressed beforehand (precompress.ts). */
export async function serveClientFiles(app: FastifyInstance, { clientFolder }: Renderer): Promise<void> {
  if (!clientFolder) return
  const assets = path.join(clientFolder, 'assets') + path.sep
  await app.register(fastifyStatic, {
    root: clientFolder,
    wildcard: false,
    index: false,
    decorateReply: false,
    preCompressed: true,
    globIgnore: ['.vite/**', '**/*.br', '**/*.gz'],
    cacheControl: false,
    setHeaders: (reply, file) =>
      void reply.header('cache-control', file.startsWith(assets) ? FOR_EVER : FOR_AN_HOUR),
  })
}
