import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import Fastify, { type FastifyReply } from 'fastify'
import { WHOLE, controlRoutes, createControls, spoilResponse } from '../controls.ts'
import { defaults, type EmulatorOptions } from './settings.ts'
import { type Seen, type Signing, createWitness } from './witness.ts'

/** What witnesses can do to a log: from `error` to `huge` in every call, the others when they sign. */
export const behaviours = [
  'honest',
  ...WHOLE,
  'slow-clock', // signs with the time of an hour ago
  'fast-clock', // signs with a time in two hours
  'other-key', // signs with a key that nobody knows
  'bad-signature', // one bit changed
  'signs-all', // signs a history that contradicts what it has seen
  'unknown-log', // knows no log
] as const
type Behaviour = (typeof behaviours)[number]

const SIGNING: Partial<Record<Behaviour, Signing>> = {
  'slow-clock': { clock: -3600 },
  'fast-clock': { clock: 7200 },
  'other-key': { otherKey: true },
  'bad-signature': { spoiled: true },
  'signs-all': { signsAll: true },
}

/**
 * Starts several witnesses in one process, each below its own path and with controls of its own, and resolves when they
 * listen. `port: 0` takes a free port.
 */
export async function startWitnessEmulator(options: EmulatorOptions = {}) {
  const settings = { ...defaults, now: () => new Date(), ...options }
  const app = Fastify({ logger: false, forceCloseConnections: true, exposeHeadRoutes: false })
  const states = readStates(settings.stateFile)
  const keep = (): void => {
    if (settings.stateFile === undefined) return
    const all = Object.fromEntries([...states].map(([name, seen]) => [name, Object.fromEntries(seen)]))
    writeFileSync(`${settings.stateFile}.new`, JSON.stringify(all))
    renameSync(`${settings.stateFile}.new`, settings.stateFile)
  }
  const controls = createControls(behaviours, { calls: 0, cosigned: 0, refused: 0, spoiled: 0 })
  /** Behaviours of one witness alone, by its place. */
  const own = new Map<number, Behaviour>()
  const witnesses = settings.names.map((name, at) => {
    const seen = states.get(name) ?? new Map<string, Seen>()
    states.set(name, seen)
    const { logs, now, seed } = settings
    return {
      path: `/w${at + 1}`,
      ...createWitness({ name, seed: `${seed} ${name}`, logs, now, seen, kept: keep }),
    }
  })

  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  controlRoutes(app, controls, {
    name: 'witness emulator',
    about: { witnesses: witnesses.map(({ path, vkey }) => ({ path, vkey })) },
    token: settings.controlToken,
  })
  for (const [at, { path, addCheckpoint }] of witnesses.entries())
    app.post(`${path}/add-checkpoint`, async (request, reply): Promise<FastifyReply> => {
      controls.counts.calls += 1
      const all = controls.current().behaviour
      const behaviour = own.get(at) ?? all
      if (
        await spoilResponse(request, reply, {
          ...controls,
          current: () => ({ ...controls.current(), behaviour }),
        })
      )
        return reply
      if (behaviour === 'unknown-log') return reply.code(404).type('text/plain').send('not known\n')
      const {
        status,
        body,
        type = 'text/plain; charset=utf-8',
      } = addCheckpoint(typeof request.body === 'string' ? request.body : '', SIGNING[behaviour])
      controls.counts[status === 200 ? 'cosigned' : 'refused'] += 1
      return reply.code(status).type(type).send(body)
    })
  app.get('/', async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(witnesses.map(({ path, vkey }) => `${path} ${vkey}\n`).join('')),
  )

  const address = await app.listen({ port: settings.port, host: settings.host })
  // An address to listen on everywhere is none to call; the loopback one is.
  const url = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:')
  return {
    url,
    /** What a policy names: the key of each witness and where it takes checkpoints. */
    witnesses: witnesses.map(({ name, vkey, path }) => ({ name, vkey, url: `${url}${path}` })),
    /** What a witness has seen of each log, by its place from 0; a test changes it. */
    seen: (at: number): Map<string, Seen> => states.get(settings.names[at] ?? '')!,
    counts: controls.counts,
    behave: controls.behave,
    /** Lets one witness behave in its own way, or as the others again. @param at its place, from 0 */
    behaveAlone(at: number, behaviour?: Behaviour): void {
      if (behaviour === undefined) own.delete(at)
      else own.set(at, behaviour)
    },
    async close(): Promise<void> {
      controls.close()
      await app.close()
    },
  }
}

function readStates(file: string | undefined): Map<string, Map<string, Seen>> {
  if (file === undefined || !existsSync(file)) return new Map()
  const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, Seen>>
  return new Map(Object.entries(all).map(([name, seen]) => [name, new Map(Object.entries(seen))]))
}
