/** Who must have confirmed a checkpoint: https://c2sp.org/tlog-policy (docs/draw-v1.md, section 6). */
import type { Sha256 } from './bytes.ts'
import { type Cosignature, type WitnessKey, readWitnessKey } from './cosignatures.ts'
import { toHex } from './bytes.ts'

/** A witness of a policy, with the address to which checkpoints are sent when there is one. */
export interface Witness {
  key: WitnessKey
  url: string | null
}

/** So many of these have to confirm, each of which is a witness or a group. */
interface Group {
  least: number
  members: readonly Member[]
}
type Member = Witness | Group

/** Witnesses, and which of them suffice; a quorum of null asks for nobody. */
export interface WitnessPolicy {
  witnesses: readonly Witness[]
  quorum: Member | null
}

/** What is wrong with a policy, for the operator who wrote it: lines are counted from 1. */
export class PolicyFault extends Error {
  override readonly name = 'PolicyFault'
  readonly line: number

  constructor(line: number, why: string) {
    super(`line ${line}: ${why}`)
    this.line = line
  }
}

const MOST_LINES = 200

/**
 * Reads a policy. Its lines `log` are ignored: the log is the shop's own register. @throws PolicyFault
 */
export function parsePolicy(text: string, sha256: Sha256): WitnessPolicy {
  const lines = text.replace(/\n$/, '').split('\n')
  const fault = (line: number, why: string): never => {
    throw new PolicyFault(line, why)
  }
  if (lines.length > MOST_LINES) fault(MOST_LINES + 1, `at most ${MOST_LINES} lines`)
  const members = new Map<string, Member>()
  const taken = new Set<string>()
  const witnesses: Witness[] = []
  let quorum: Member | null | undefined
  const memberOf = (line: number, name: string): Member =>
    members.get(name) ?? fault(line, `"${name}" is not defined above`)
  const define = (line: number, name: string | undefined, member: () => Member): void => {
    if (name === undefined || name === 'none') fault(line, 'a name is missing')
    else if (members.has(name)) fault(line, `"${name}" is defined twice`)
    else members.set(name, member())
  }
  for (const [at, written] of lines.entries()) {
    const line = at + 1
    // oxlint-disable-next-line no-control-regex -- because they are what is refused
    if (/[\0-\u{8}\u{B}-\u{1F}\u{7F}]/u.test(written)) fault(line, 'a control character')
    const [word, name, ...rest] = written.split(/[ \t]+/).filter((one) => one !== '')
    if (word === undefined || word.startsWith('#') || word === 'log') continue
    if (word === 'witness')
      define(line, name, () => {
        const [text_ = '', url = null, more] = rest
        const key = readWitnessKey(text_, sha256)
        if (!key) return fault(line, 'expected the key of a witness, NAME+KEYID+KEY')
        if (more !== undefined) return fault(line, `"${more}" is too much`)
        if (url !== null && !/^https?:\/\//.test(url)) return fault(line, `"${url}" is no address`)
        if (witnesses.some((one) => toHex(one.key.publicKey) === toHex(key.publicKey)))
          return fault(line, 'the same key twice')
        const witness = { key, url }
        witnesses.push(witness)
        return witness
      })
    else if (word === 'group')
      define(line, name, () => {
        const [count = '', ...names] = rest
        for (const one of names) {
          if (taken.has(one)) fault(line, `"${one}" is in two groups`)
          taken.add(one)
        }
        const group = names.map((one) => memberOf(line, one))
        const least = count === 'any' ? 1 : count === 'all' ? group.length : Number(count)
        if (!/^(?:any|all|[1-9]\d?)$/.test(count) || group.length === 0 || least > group.length)
          return fault(line, 'expected all, any or a number of its members')
        return { least, members: group }
      })
    else if (word === 'quorum') {
      if (quorum !== undefined) fault(line, 'a second quorum')
      if (name === undefined || rest.length > 0) fault(line, 'expected one name')
      else quorum = name === 'none' ? null : memberOf(line, name)
    } else fault(line, `"${word}" is unknown; known are log, witness, group, quorum`)
  }
  if (quorum === undefined) return fault(lines.length, 'the quorum is missing')
  return { witnesses, quorum }
}

/** How few witnesses may suffice; 0 when the policy asks for nobody. */
export const fewest = ({ quorum }: WitnessPolicy): number => (quorum === null ? 0 : fewestOf(quorum))

function fewestOf(member: Member): number {
  if ('key' in member) return 1
  const counts = member.members.map(fewestOf).toSorted((a, b) => a - b)
  return counts.slice(0, member.least).reduce((sum, count) => sum + count, 0)
}

/**
 * The time by which a quorum had confirmed: of the confirmations that suffice soonest, the last one.
 * @returns Unix seconds; null without a quorum among the cosignatures, or with a policy that asks for nobody
 */
export function confirmedAt({ quorum }: WitnessPolicy, cosignatures: readonly Cosignature[]): number | null {
  const time = quorum === null ? Infinity : timeOf(quorum, cosignatures)
  return time === Infinity ? null : time
}

function timeOf(member: Member, cosignatures: readonly Cosignature[]): number {
  if ('key' in member)
    return Math.min(...cosignatures.filter(({ key }) => key === member.key).map(({ time }) => time))
  const times = member.members.map((one) => timeOf(one, cosignatures)).toSorted((a, b) => a - b)
  return times[member.least - 1]!
}
