import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { WHOLE, controlRoutes, createControls, spoilResponse } from '../controls.ts'
import { type Stamping, certificatesIn, openAuthority } from './authority.ts'
import { defaults, type EmulatorOptions } from './settings.ts'

/** What an authority can do to whoever asks it. */
export const behaviours = [
  'honest',
  ...WHOLE,
  'redirect', // 302
  'endless', // bytes without end
  'refuses', // status 2, no stamp
  'other-file', // a stamp of another hash
  'other-request', // a stamp for another nonce
  'foreign', // a stamp of an authority that nobody knows
  'expired', // signed by a certificate whose time is over
] as const
type Behaviour = (typeof behaviours)[number]

const STAMPING: Partial<Record<Behaviour, Stamping>> = {
  refuses: { isRefused: true },
  'other-file': { isOfOther: true },
  'other-request': { isOfOtherRequest: true },
  expired: { isExpired: true },
}

const QUERY = 'application/timestamp-query'
const REPLY = 'application/timestamp-reply'

/** Starts an authority, and resolves when it listens. `port: 0` takes a free port. */
export async function startTsaEmulator(options: EmulatorOptions = {}) {
  const settings = { ...defaults, ...options }
  const own = mkdtempSync(path.join(os.tmpdir(), 'tsa-'))
  const folder = path.resolve(settings.folder ?? path.join(own, 'authority'))
  const authority = await openAuthority(folder)
  let foreign: ReturnType<typeof openAuthority> | undefined
  const controls = createControls(behaviours, { calls: 0, stamped: 0, spoiled: 0 })
  const app = Fastify({ logger: false, forceCloseConnections: true, exposeHeadRoutes: false })

  async function* bytes(): AsyncGenerator<Buffer> {
    for (;;) {
      yield Buffer.alloc(1_024, '0')
      await controls.pause(5)
    }
  }

  app.addContentTypeParser(QUERY, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  controlRoutes(app, controls, {
    name: 'time stamp emulator',
    about: { certificates: certificatesIn(folder) },
    token: settings.controlToken,
  })
  app.post('/', async (request, reply) => {
    controls.counts.calls += 1
    if (await spoilResponse(request, reply, controls)) return reply
    if (!Buffer.isBuffer(request.body)) return reply.code(415).send()
    const { behaviour } = controls.current()
    if (behaviour === 'redirect') return reply.redirect('/elsewhere')
    reply.type(REPLY)
    if (behaviour === 'endless') return reply.send(Readable.from(bytes()))
    controls.counts.stamped += 1
    const asked =
      behaviour === 'foreign' ? await (foreign ??= openAuthority(path.join(own, 'foreign'))) : authority
    return reply.send(await asked.stamp(request.body, STAMPING[behaviour]))
  })
  app.get('/', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(`POST ${QUERY}\n${certificatesIn(folder)}\n`),
  )

  const address = await app.listen({ port: settings.port, host: settings.host })
  return {
    // An address to listen on everywhere is none to call; the loopback one is.
    url: address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:'),
    /** The file with the certificate that anchors it. */
    certificates: certificatesIn(folder),
    counts: controls.counts,
    behave: controls.behave,
    async close(): Promise<void> {
      controls.close()
      await app.close()
      rmSync(own, { recursive: true, force: true })
    },
  }
}
