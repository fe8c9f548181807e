import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { Refusal } from '#shared/refusal.ts'
import { Verifiers } from '../../verifiers.contract.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../../..')
const FOR_AN_HOUR = 'public, max-age=3600'

/** What checks a draw without this site, and the protocol. The page's own security policy is a part of it. */
const FILES = {
  page: {
    path: '/verify.html',
    source: 'build/verify/index.html',
    type: 'text/html; charset=utf-8',
    policyOf: (text: string): string =>
      `${/http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1] ?? "default-src 'none'"}; frame-ancestors 'none'`,
  },
  program: {
    path: '/verify-draw.py',
    source: 'tools/verify-draw.py',
    type: 'text/x-python; charset=utf-8',
    policyOf: (): string => "default-src 'none'; frame-ancestors 'none'",
  },
  protocol: {
    path: '/draw-v1.md',
    source: 'docs/draw-v1.md',
    // Browsers show a plain text and save another one.
    type: 'text/plain; charset=utf-8',
    policyOf: (): string => "default-src 'none'; frame-ancestors 'none'",
  },
} as const
type Name = keyof typeof FILES

interface Verifier {
  content: Buffer
  packed: Buffer
  sha256: string
  policy: string
}

/** Null for a file that this release lacks. */
const contentOf = (name: Name): Promise<Buffer | null> =>
  readFile(path.join(ROOT, FILES[name].source)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

async function readVerifier(name: Name): Promise<Verifier | null> {
  const content = await contentOf(name)
  if (!content) return null
  return {
    content,
    packed: await promisify(brotliCompress)(content),
    sha256: hashOf(content),
    policy: FILES[name].policyOf(content.toString('utf8')),
  }
}

/** Hashes of the programs that check draws, by their names. */
export async function servedVerifiers(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of ['page', 'program'] as const) {
    const content = await contentOf(name)
    if (content) found.set(FILES[name].path.slice(1), hashOf(content))
  }
  return found
}

/** The saved page and the Python program that check a draw, the protocol, and their hashes. */
export async function verifiersRoutes(instance: FastifyInstance): Promise<void> {
  const app = instance.withTypeProvider<ZodTypeProvider>()
  const read = new Map<Name, Promise<Verifier | null>>()
  /** They change with the program that serves them. */
  const verifier = (name: Name): Promise<Verifier | null> => {
    const reading = read.get(name) ?? readVerifier(name)
    read.set(name, reading)
    return reading
  }
  const described = async (name: Name) => {
    const file = await verifier(name)
    return file && { path: FILES[name].path, sha256: file.sha256, bytes: file.content.length }
  }

  app.get(
    '/api/verifiers/',
    { config: { auth: 'ignored' }, schema: { tags: ['draws'], response: { 200: Verifiers } } },
    async () => ({
      page: await described('page'),
      program: await described('program'),
      protocol: await described('protocol'),
    }),
  )
  for (const name of Object.keys(FILES) as Name[])
    app.get(
      FILES[name].path,
      { config: { auth: 'ignored' }, schema: { hide: true } },
      async (request, reply) => {
        const file = await verifier(name)
        if (!file) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        const isPacked = /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
        if (isPacked) reply.header('content-encoding', 'br')
        return await reply
          .headers({
            'content-type': FILES[name].type,
            'content-security-policy': file.policy,
            'cache-control': FOR_AN_HOUR,
            'referrer-policy': 'no-referrer',
            vary: 'accept-encoding',
          })
          .send(isPacked ? file.packed : file.content)
      },
    )
}
