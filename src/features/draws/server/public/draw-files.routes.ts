import path from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import QRCode from 'qrcode'
import * as z from 'zod'
import { SlugParams } from '#features/offers/offers.contract.ts'
import { offersRepository } from '#features/offers/server/index.ts'
import type { Database } from '#platform/database.ts'
import { isKnown } from '#platform/http/shared-responses.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import { toHex } from '#draw-protocol/bytes.ts'
import { consistencyProof } from '#draw-protocol/tiles.ts'
import { drawFilesRepository } from '../draw-files.repository.ts'
import { fileParts } from '../draw-files.ts'
import { REGISTER, drawLogsRepository } from '../draw-logs.repository.ts'
import { tileReader } from '../draw-logs.ts'
import type { ShopPolicy } from '../register/policies.ts'
import { checkpointsText, logFile } from './evidence-pack.ts'
import { registerCheckpoints, registerOf } from './register-files.ts'
import { provenEntry, provenLeaf } from './leaf-responses.ts'
import { sha256 } from '../sha256.ts'
import { storedPacks } from './stored-packs.ts'

interface FilesDeps {
  db: Database
  limit: Limit
  /** Without a slash at the end. */
  publicUrl: string
  /** For evidence packs. */
  packsFolder: string
  witnesses: ShopPolicy | null
}

/** A verifier on somebody else's page can read the files in its visitor's browser. */
const FOR_ALL_PAGES = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

/** A file of a draw never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'
/** What grows. */
const REVALIDATED = 'no-cache'
const A_DAY = 'public, max-age=86400'
const TEXT = 'text/plain; charset=utf-8'
/** Of files that are no text. */
const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.pem': 'application/x-pem-file',
  '.tsr': 'application/timestamp-reply',
}

const notFound = (): Refusal => new Refusal('request.notFound', 404, 'errors.request.notFound')

/** An integer as the protocol writes it (docs/draw-v1.md, section 1). */
const Size = z
  .string()
  .regex(/^(0|[1-9]\d{0,15})$/)
  .transform(Number)
  .pipe(z.int())
const LeafQuery = z.union([z.strictObject({ index: Size }), z.strictObject({ number: Size })])

/** The greatest integer of the database's columns; no log has as many leaves. */
const INT_MAX = 2_147_483_646

/** @throws Refusal 404 */
function within(value: number): number {
  if (value > INT_MAX) throw notFound()
  return value
}

/** As the address of a page has them. */
const CodeQuery = z.object({ lang: z.enum(LANGUAGES).optional(), rehearsal: z.uuid().optional() })

const ProofQuery = z.object({ first: Size, second: Size })

/** The public files of draws (docs/draw-v1.md), for everybody: no call needs a login, and none names a person. */
export const drawFilesRoutes =
  ({ db, limit, publicUrl, packsFolder, witnesses }: FilesDeps) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const logs = drawLogsRepository(db)
    const packs = storedPacks(db, packsFolder)
    const open = { config: { auth: 'ignored' }, schema: { hide: true } } as const
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(FOR_ALL_PAGES)
      limit.hit({ address: request.ip })
    })

    const contestOf = async (slug: string) => {
      const contest = await logs.bySlug(slug)
      if (!contest) throw notFound()
      return { slug, ...contest }
    }
    const lastOf = async (logId: number) => {
      const last = await logs.lastCheckpoint(logId)
      if (!last) throw notFound()
      return last
    }
    const growing = (reply: FastifyReply, content: string | Readable) =>
      reply.type(TEXT).header('cache-control', REVALIDATED).send(content)

    app.get('/draws/checkpoint', open, async (_, reply) => growing(reply, (await lastOf(REGISTER)).witnessed))

    app.get('/draws/log.txt', open, async (_, reply) => {
      const { size } = await lastOf(REGISTER)
      return growing(reply, Readable.from(logFile(db, REGISTER, size)))
    })

    app.get('/draws/checkpoints.txt', open, async (_, reply) =>
      growing(reply, await registerCheckpoints(db, witnesses?.policy ?? null, await lastOf(REGISTER))),
    )

    app.get(
      '/draws/leaf',
      { ...open, schema: { hide: true, querystring: z.object({ index: Size }) } },
      async ({ query: { index } }, reply) => {
        const found = await provenLeaf(db, REGISTER, within(index))
        if (!found) throw notFound()
        return reply.header('cache-control', REVALIDATED).send(found)
      },
    )

    const consistency = async (
      logId: number,
      { first, second }: z.infer<typeof ProofQuery>,
      reply: FastifyReply,
    ) => {
      const { size } = await lastOf(logId)
      if (first > second || second > size) throw notFound()
      const proof = await consistencyProof(first, second, tileReader(db, logId), sha256)
      return reply.header('cache-control', FOR_EVER).send({ first, second, proof: proof.map(toHex) })
    }

    app.get(
      '/draws/consistency',
      { ...open, schema: { hide: true, querystring: ProofQuery } },
      async ({ query }, reply) => consistency(REGISTER, query, reply),
    )

    const ofContest = { ...open, schema: { hide: true, params: SlugParams } } as const
    app.get('/draws/:slug/checkpoint', ofContest, async ({ params }, reply) => {
      const { id } = await contestOf(params.slug)
      return growing(reply, (await lastOf(id)).note)
    })

    app.get('/draws/:slug/log.txt', ofContest, async ({ params }, reply) => {
      const { id } = await contestOf(params.slug)
      const { size } = await lastOf(id)
      return growing(reply, Readable.from(logFile(db, id, size)))
    })

    app.get('/draws/:slug/checkpoints.txt', ofContest, async ({ params }, reply) => {
      const { id } = await contestOf(params.slug)
      return growing(reply, await checkpointsText(db, id, await lastOf(id)))
    })

    /** The register as it is in the pack of a contest. */
    app.get('/draws/:slug/register.txt', ofContest, async ({ params }, reply) => {
      const { size } = await registerOf(db, await contestOf(params.slug))
      return growing(reply, Readable.from(logFile(db, REGISTER, size)))
    })

    app.get('/draws/:slug/register-checkpoints.txt', ofContest, async ({ params }, reply) =>
      growing(reply, (await registerOf(db, await contestOf(params.slug))).checkpoints),
    )

    /** A leaf by its index, or an entry by its number and what became of it, each with its proofs. */
    app.get(
      '/draws/:slug/leaf',
      { ...open, schema: { hide: true, params: SlugParams, querystring: LeafQuery } },
      async ({ params, query }, reply) => {
        const { id } = await contestOf(params.slug)
        const found =
          'index' in query
            ? await provenLeaf(db, id, within(query.index))
            : await provenEntry(db, id, within(query.number))
        if (!found) throw notFound()
        return reply.header('cache-control', REVALIDATED).send(found)
      },
    )

    /** The proof that the log of one size begins with that of another. */
    app.get(
      '/draws/:slug/consistency',
      { ...open, schema: { hide: true, params: SlugParams, querystring: ProofQuery } },
      async ({ params, query }, reply) => consistency((await contestOf(params.slug)).id, query, reply),
    )

    /** For the live page: what leads a phone to the public page, in the language of the stream. */
    app.get(
      '/draws/:slug/code.svg',
      { ...open, schema: { hide: true, params: SlugParams, querystring: CodeQuery } },
      async ({ params: { slug }, query }, reply) => {
        if (!(await offersRepository(db).bySlug(slug))) throw notFound()
        const search = new URLSearchParams(query).toString()
        const address = `${publicUrl}/draws/${slug}${search && `?${search}`}`
        return reply
          .type('image/svg+xml')
          .header('cache-control', A_DAY)
          .send(await QRCode.toString(address, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 }))
      },
    )

    /** One of the files, or all of them as an archive. */
    app.get(
      '/draws/:slug/:name(^[a-z0-9-]+\\.(?:txt|json|pem|tsr|zip)$)',
      { ...open, schema: { hide: true, params: z.object({ ...SlugParams.shape, name: z.string() }) } },
      async (request, reply) => {
        const { slug, name } = request.params
        const contest = await contestOf(slug)
        if (name === `${slug}-evidence.zip`) {
          const page = `${publicUrl}/draws/${slug}`
          reply.header('cache-control', REVALIDATED)
          if (request.headers['if-none-match'] !== undefined) {
            const etag = `"${await packs.etag(contest, page)}"`
            if (isKnown(request, etag)) return reply.header('etag', etag).code(304).send()
          }
          const { etag, bytes, stream } = await packs.open(contest, page)
          return reply
            .type('application/zip')
            .header('content-disposition', `attachment; filename="${name}"`)
            .header('content-length', bytes)
            .header('etag', `"${etag}"`)
            .send(stream)
        }
        const file = await drawFilesRepository(db).file(contest.id, name)
        if (!file) throw notFound()
        const etag = `"${file.sha256.toString('hex')}"`
        reply.header('cache-control', FOR_EVER).header('etag', etag)
        if (isKnown(request, etag)) return reply.code(304).send()
        return reply
          .type(TYPES[path.extname(name)] ?? TEXT)
          .header('content-length', file.bytes)
          .send(Readable.from(fileParts(db, contest.id, name)))
      },
    )
  }
