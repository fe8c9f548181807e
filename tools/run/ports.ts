import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { tryListen } from './free-port.ts'
import { PlainError, say } from './say.ts'

const SERVERS = {
  PORT: 'shop',
  PAYPAL_PORT: 'PayPal emulator',
  DRAND_PORT: 'drand emulator',
  WITNESS_PORT: 'witness emulator',
  STAMP_PORT: 'time stamp emulator',
} as const

/** The settings that name a port of a start. */
export type PortName = keyof typeof SERVERS
/** Ports by the names of their settings. */
export type Ports = Partial<Record<PortName, number>>

export const PORT_NAMES = Object.keys(SERVERS) as PortName[]

/** How far above the usual port a free one is looked for. */
const REACH = 500
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1'])
/** A program on one of them responds for «localhost» in a browser. */
const LOCALHOST = ['127.0.0.1', '::1']

const fileOf = (dataDir: string): string => path.join(dataDir, 'ports.json')

/** The ports that earlier starts from this folder chose by themselves. */
export function rememberedPorts(dataDir: string): Ports {
  try {
    const read = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Record<string, unknown>
    const isPort = ([name, port]: [string, unknown]) =>
      PORT_NAMES.includes(name as PortName) &&
      Number.isInteger(port) &&
      Number(port) > 0 &&
      Number(port) < 65_536
    return Object.fromEntries(Object.entries(read).filter(isPort))
  } catch {
    return {}
  }
}

/** Whether nobody listens there, and a browser that opens «localhost» reaches whoever begins to. */
async function isFree(host: string, port: number): Promise<boolean> {
  for (const one of LOOPBACK.has(host) ? new Set([host, ...LOCALHOST]) : [host]) {
    const fault = await tryListen(one, port)
    if (fault === 'EADDRINUSE' || fault === 'EACCES' || (fault && one === host)) return false
  }
  return true
}

interface Choice {
  host: string
  dataDir: string
  /** The ports that the start needs, with their usual numbers. */
  usual: Ports
  /** Those among them that somebody has set: they stay. */
  fixed: ReadonlySet<PortName>
}

/**
 * The ports of a demonstration: those that somebody has set, else those of the earlier start, else the usual ones, else the
 * next free ones, which are said and remembered in the data folder.
 * @throws PlainError when none of the 500 ports from the usual one on is free
 */
export async function choosePorts({ host, dataDir, usual, fixed }: Choice): Promise<Ports> {
  const remembered = rememberedPorts(dataDir)
  const chosen: Ports = {}
  const named = Object.entries(usual) as [PortName, number][]
  for (const [name, port] of named) if (fixed.has(name)) chosen[name] = port
  for (const [name, port] of named) {
    if (fixed.has(name)) continue
    const next = Array.from({ length: REACH }, (_, step) => port + step).filter((one) => one < 65_536)
    const isTaken = (one: number): boolean => Object.values(chosen).includes(one)
    for (const candidate of [remembered[name] ?? port, ...next]) {
      if (isTaken(candidate) || !(await isFree(host, candidate))) continue
      chosen[name] = candidate
      break
    }
    const found = chosen[name]
    if (found === undefined) {
      throw new PlainError(
        `No port from ${port} to ${port + REACH - 1} is free for the ${SERVERS[name]}. Choose one with the setting ${name}.`,
      )
    }
    if (found !== port)
      say(`The ${SERVERS[name]} uses port ${found}${await reasonFor(host, port, found, remembered[name])}.`)
  }
  remember(
    dataDir,
    remembered,
    named.filter(([name]) => !fixed.has(name)).map(([name, port]) => [name, port, chosen[name]]),
  )
  return chosen
}

async function reasonFor(
  host: string,
  usual: number,
  found: number,
  earlier: number | undefined,
): Promise<string> {
  if (found === earlier) return ', as before'
  return (await isFree(host, usual)) ? '' : `: port ${usual} is taken by another program`
}

function remember(
  dataDir: string,
  remembered: Ports,
  choices: readonly (readonly [name: PortName, usual: number, chosen: number | undefined])[],
): void {
  const kept = { ...remembered }
  for (const [name, usual, chosen] of choices) {
    if (chosen === usual) delete kept[name]
    else kept[name] = chosen
  }
  const text = `${JSON.stringify(kept)}\n`
  if (text === `${JSON.stringify(remembered)}\n`) return
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(fileOf(dataDir), text)
}
