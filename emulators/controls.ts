/** How an emulator is told to misbehave. */
import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** What any server can do to its clients, in every call. */
export const WHOLE = [
  'error', // 500 to every call
  'unanswered', // the connection is cut
  'hanging', // no response ever
  'garbage', // a page instead of what was asked for
  'huge', // 10 MB
] as const
type Whole = (typeof WHOLE)[number]
const isWhole = (behaviour: string): behaviour is Whole => WHOLE.includes(behaviour as Whole)

const longestDelay = 600_000
const hugeBytes = 10 * 1024 * 1024

/**
 * How an emulator behaves now, and how many calls it had.
 * @param behaviours all there are; `honest` is the first
 */
export function createControls<Behaviour extends string, Counts extends { spoiled: number }>(
  behaviours: readonly (Behaviour | Whole | 'honest')[],
  counts: Counts,
) {
  let behaviour: Behaviour | Whole | 'honest' = 'honest'
  let delayMs = 0
  const closing = new AbortController()
  return {
    behaviours,
    counts,
    /** A pause that ends with the emulator. */
    pause: (ms: number) => sleep(ms, undefined, { signal: closing.signal }),
    close: () => closing.abort(),
    current: () => ({ behaviour, delayMs }),
    behave: (as: Behaviour | Whole | 'honest', slowMs = 0): void => {
      behaviour = as
      delayMs = slowMs
    },
  }
}
export type Controls<Behaviour extends string, Counts extends { spoiled: number }> = ReturnType<
  typeof createControls<Behaviour, Counts>
>

/** The emulator's own calls; they respond with the token, or without one on this machine. */
export function controlRoutes<Behaviour extends string, Counts extends { spoiled: number }>(
  app: FastifyInstance,
  controls: Controls<Behaviour, Counts>,
  { name, about, token }: { name: string; about: object; token: string | undefined },
): void {
  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url ?? ''
    if (!route.startsWith('/_emulator/') || route === '/_emulator/health') return
    if (token === undefined ? isOnThisMachine(request) : hasToken(request, token)) return
    return reply
      .code(403)
      .type('text/plain; charset=utf-8')
      .send(
        `The controls of the ${name} only answer with the token that its start prints; without one, on the machine that runs it.\n`,
      )
  })
  app.get('/_emulator/health', async () => ({
    status: 'ok',
    ...about,
    ...controls.current(),
    counts: controls.counts,
  }))
  app.get('/_emulator/behaviour', async () => controls.current())
  app.post('/_emulator/behaviour', async ({ body }, reply) => {
    const { behaviour, delayMs = 0, ...others } = (body ?? {}) as Record<string, unknown>
    const known = controls.behaviours.find((one) => one === behaviour)
    const isDelay = typeof delayMs === 'number' && delayMs >= 0 && delayMs <= longestDelay
    const wrong = [
      ...(known ? [] : [`behaviour: expected ${controls.behaviours.join(', ')}`]),
      ...(isDelay ? [] : [`delayMs: expected a number from 0 to ${longestDelay}`]),
      ...Object.keys(others).map((name) => `${name}: unknown; known are behaviour, delayMs`),
    ]
    if (!known || wrong.length > 0) return reply.code(400).send({ wrong })
    controls.behave(known, Number(delayMs))
    return controls.current()
  })
}

/** Spoils a response as a whole. @returns whether it did */
export async function spoilResponse<Behaviour extends string, Counts extends { spoiled: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  controls: Controls<Behaviour, Counts>,
): Promise<boolean> {
  const { behaviour, delayMs } = controls.current()
  if (delayMs > 0) await controls.pause(delayMs)
  if (!isWhole(behaviour)) return false
  controls.counts.spoiled += 1
  if (behaviour === 'error') reply.code(500).type('text/plain').send('Failed\n')
  else if (behaviour === 'garbage') reply.type('text/html').send('<!doctype html><title>Welcome</title>')
  else if (behaviour === 'huge') reply.send(Buffer.alloc(hugeBytes, ' '))
  else {
    reply.hijack()
    if (behaviour === 'unanswered') request.raw.destroy()
    else await once(request.raw.socket, 'close')
  }
  return true
}

function hasToken({ query }: FastifyRequest, token: string): boolean {
  const given = (query as { token?: unknown }).token
  if (typeof given !== 'string') return false
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const forwarded =
  /^(?:forwarded|via|x-(?:forwarded|real|original|client|cluster-client)-?.*|(?:cf|true-client|fastly|fly|cdn|ngrok)-.*)$/
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A direct connection from this machine to a name of this machine: neither a proxy nor another site's page. */
function isOnThisMachine({ raw, headers }: FastifyRequest): boolean {
  const from = raw.socket.remoteAddress ?? ''
  const isLoopback = from === '::1' || /^(?:::ffff:)?127\./.test(from)
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  const isForwarded = Object.keys(headers).some((header) => forwarded.test(header))
  return isLoopback && loopbackNames.has(name) && raw.httpVersion !== '1.0' && !isForwarded
}
