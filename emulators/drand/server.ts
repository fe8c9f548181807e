import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createChain, randomnessOf } from './chain.ts'
import { controlRoutes, createControls, spoilResponse } from '../controls.ts'
import { behaviours } from './behaviours.ts'
import { defaults, type EmulatorOptions } from './settings.ts'

export type DrandEmulator = Awaited<ReturnType<typeof startDrandEmulator>>

type Version = 'v1' | 'v2'
type Asked = FastifyRequest<{ Params: { chain: string; round?: string } }>

const forever = 'public, max-age=604800, immutable'
const largestRound = 2n ** 64n - 1n

/** Starts the emulator and resolves when it listens. `port: 0` takes a free port. */
export async function startDrandEmulator(options: EmulatorOptions = {}) {
  const settings = { ...defaults, now: () => new Date(), ...options }
  const chain = createChain(settings)
  const stranger = createChain({ ...settings, seed: `not ${settings.seed}` })
  const controls = createControls(behaviours, { calls: 0, rounds: 0, tooEarly: 0, spoiled: 0 })
  const app = Fastify({ logger: false, forceCloseConnections: true, exposeHeadRoutes: false })

  /** `latest` and 0 are the newest round; the next one is waited for. */
  async function respondWithRound(
    version: Version,
    { params }: Asked,
    reply: FastifyReply,
  ): Promise<unknown> {
    const { behaviour } = controls.current()
    const asked = BigInt(params.round ?? 0)
    if (asked > largestRound) return refuse(reply, 400, 'Failed to parse round parameter')
    const newest = chain.roundAt(settings.now())
    const round = asked === 0n ? newest : Number(asked)
    if (round === 0) return refuse(reply, 500, 'Failed to get beacon')

    let caching = asked === 0n ? untilNext() : forever
    if (behaviour === 'behind' || (round > newest + 1 && behaviour !== 'early')) {
      controls.counts.tooEarly += 1
      return refuse(reply, 425, 'Requested future beacon', untilNext())
    }
    if (behaviour === 'missing') return refuse(reply, 404, 'Not found')
    if (round > newest && behaviour !== 'early') {
      await controls.pause(chain.timeOf(round).getTime() - settings.now().getTime())
      caching = 'no-cache'
    }
    controls.counts.rounds += 1
    if (behaviour !== 'honest') controls.counts.spoiled += 1
    const given = behaviour === 'old-round' ? round - 1 : round
    const signed = behaviour === 'wrong-round' ? round + 1 : given
    const right = (behaviour === 'other-chain' ? stranger : chain).sign(signed)
    const signature = behaviour === 'bad-signature' ? withLastBitChanged(right) : right
    reply.header('cache-control', caching)
    if (version === 'v2') return { round: given, signature }
    return { round: given, randomness: randomnessOf(signature), signature }
  }

  const untilNext = (): string => {
    const next = chain.timeOf(chain.roundAt(settings.now()) + 1).getTime()
    const seconds = Math.max(0, Math.floor((next - settings.now().getTime()) / 1000))
    return `public, must-revalidate, max-age=${seconds}`
  }

  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url?.startsWith('/_emulator/')) return
    reply.headers({ server: 'drand-emulator', 'access-control-allow-origin': '*' })
    controls.counts.calls += 1
    if (await spoilResponse(request, reply, controls)) return reply
    const { chain: name } = request.params as { chain?: string }
    if (name !== undefined && name.toLowerCase() !== chain.hash && name !== chain.beaconId) {
      return refuse(reply, 500, 'Failed to get beacon')
    }
  })
  controlRoutes(app, controls, {
    name: 'drand emulator',
    about: { chain: chain.hash },
    token: settings.controlToken,
  })

  const health = async (_request: Asked, reply: FastifyReply) => {
    const newest = chain.roundAt(settings.now())
    reply.header('cache-control', 'no-cache')
    return { current: newest, expected: newest }
  }
  const hash = ':chain(^[0-9A-Fa-f]{64}$)'
  const number = ':round(^\\d+$)'
  const routes: [path: string, respond: (request: Asked, reply: FastifyReply) => unknown][] = [
    ['/chains', async () => [chain.hash]],
    [`/${hash}/info`, async () => chain.infoV1],
    [`/${hash}/health`, health],
    [`/${hash}/public/latest`, (request, reply) => respondWithRound('v1', request, reply)],
    [`/${hash}/public/${number}`, (request, reply) => respondWithRound('v1', request, reply)],
    ['/v2/chains', async () => [chain.hash]],
    ['/v2/beacons', async () => [chain.beaconId]],
    ...[`/v2/chains/${hash}`, '/v2/beacons/:chain'].flatMap((at): typeof routes => [
      [`${at}/info`, async () => chain.infoV2],
      [`${at}/health`, health],
      [`${at}/rounds/latest`, (request, reply) => respondWithRound('v2', request, reply)],
      [`${at}/rounds/${number}`, (request, reply) => respondWithRound('v2', request, reply)],
    ]),
  ]
  for (const [path, respond] of routes) app.get(path, respond)
  const list = routes.map(([path]) => `GET ${path.replaceAll(/:(\w+)(\([^)]*\))?/g, '{$1}')}\n`).join('')
  app.get('/', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(list))

  const address = await app.listen({ port: settings.port, host: settings.host })
  return {
    // An address to listen on everywhere is none to call; the loopback one is.
    url: address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:'),
    /** What a client pins. */
    chain: chain.pin,
    roundAt: chain.roundAt,
    sign: chain.sign,
    counts: controls.counts,
    behave: controls.behave,
    async close(): Promise<void> {
      controls.close()
      await app.close()
    },
  }
}

function refuse(reply: FastifyReply, status: number, reason: string, caching = 'no-cache'): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', caching)
    .type('text/plain; charset=utf-8')
    .send(`${reason}\n`)
}

const withLastBitChanged = (hex: string): string =>
  hex.slice(0, -1) + (Number.parseInt(hex.slice(-1), 16) ^ 1).toString(16)
