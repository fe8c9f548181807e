/** When the witnesses had confirmed what (docs/draw-v1.md, section 6). */
import { DrawFault } from './faults.ts'
import type { Checkpoint } from './checkpoints.ts'
import {
  type Cosignature,
  FalseCosignature,
  MOST_BEHIND,
  type VerifyMlDsa,
  cosignaturesOf,
} from './cosignatures.ts'
import type { Register } from './register.ts'
import { type WitnessPolicy, confirmedAt } from './witness-policy.ts'

/** The cosignatures of a checkpoint that count. Throws a DrawFault for a false one. */
function countedOf(
  checkpoint: Checkpoint,
  { witnesses }: WitnessPolicy,
  verifyMlDsa: VerifyMlDsa | undefined,
): Cosignature[] {
  try {
    const keys = witnesses.map(({ key }) => key)
    const valid = cosignaturesOf(checkpoint, keys, verifyMlDsa)
    return valid.filter(({ time }) => time >= checkpoint.time - MOST_BEHIND)
  } catch (error) {
    throw error instanceof FalseCosignature
      ? new DrawFault('cosignature', error.line, { size: checkpoint.size })
      : error
  }
}

/** What a policy's witnesses say of the leaves of a contest. */
export class Confirmations {
  private readonly policy: WitnessPolicy
  private readonly register: Register
  private readonly checkpoints: { size: number; counted: Cosignature[]; time: number | null }[] = []

  constructor(policy: WitnessPolicy, register: Register) {
    this.policy = policy
    this.register = register
  }

  /** Takes a checkpoint of the register whose own signature is valid. Throws a DrawFault for a false cosignature. */
  add(checkpoint: Checkpoint, verifyMlDsa: VerifyMlDsa | undefined): void {
    const counted = countedOf(checkpoint, this.policy, verifyMlDsa)
    this.checkpoints.push({ size: checkpoint.size, counted, time: confirmedAt(this.policy, counted) })
  }

  private containing(leaf: number): typeof this.checkpoints {
    const log = this.register.logs.find(({ size }) => size > leaf)
    return log ? this.checkpoints.filter(({ size }) => size > log.index) : []
  }

  /** A(leaf of the log): Unix seconds, or null when no quorum has confirmed it. */
  of(leaf: number): number | null {
    const times = this.containing(leaf).flatMap(({ time }) => time ?? [])
    return times.length > 0 ? Math.min(...times) : null
  }

  /** How many of the witnesses had signed, before a time, that the log has the leaf. */
  signers(leaf: number, before: number): number {
    const counted = this.containing(leaf).flatMap((one) => one.counted)
    return new Set(counted.filter(({ time }) => time < before).map(({ key }) => key)).size
  }
}
