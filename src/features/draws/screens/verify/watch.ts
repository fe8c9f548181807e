/** What a browser remembers of the register of all draws, against what the shop shows now. Runs in the worker. */
import { type Sha256, fromHex, toBytes } from '#draw-protocol/bytes.ts'
import {
  type Checkpoint,
  type VerifierKey,
  checkSignature,
  parseCheckpoints,
  parseVerifierKey,
} from '#draw-protocol/checkpoints.ts'
import { isConsistent } from '#draw-protocol/merkle.ts'

export interface WatchQuestion {
  /** What was seen before, as the storage has it; null on the first visit. */
  kept: { key: string; note: string } | null
  /** `log-key` of the terms at hand; null where there are none. */
  key: string | null
  /** The last checkpoint of the register. */
  now: string
  /** That the larger of both checkpoints continues the smaller one; null when the shop did not say. */
  proof: readonly string[] | null
}

/** What contradicts what was seen: the key, fewer leaves later, an earlier time with more leaves, other leaves. */
export const CONTRADICTIONS = ['key', 'size', 'time', 'history'] as const
export type Contradiction = (typeof CONTRADICTIONS)[number]

/**
 * `newer` and `older` continue each other; `unproven`: the shop did not say that; `forgotten`: nothing usable was kept;
 * `unreadable`: what came is no checkpoint, as what a network puts before pages.
 */
export type WatchOutcome = 'newer' | 'older' | 'unproven' | 'forgotten' | 'unreadable' | Contradiction

/** The size that a checkpoint says, without a check of anything; undefined for what is none. */
export const sizeIn = (note: string): number | undefined => {
  const [, size] = /^[^\n]+\n(\d{1,16})\n/.exec(note) ?? []
  return size === undefined ? undefined : Number(size)
}

function read(note: string): Checkpoint | undefined {
  try {
    const [checkpoint, second] = parseCheckpoints(toBytes(note))
    return second ? undefined : checkpoint
  } catch {
    return undefined
  }
}

/** The key of the register has its name. */
function keyIn(text: string | undefined, sha256: Sha256): VerifierKey | undefined {
  try {
    return text === undefined ? undefined : parseVerifierKey(text, sha256, 0)
  } catch {
    return undefined
  }
}

function isSigned(checkpoint: Checkpoint, key: VerifierKey): boolean {
  try {
    checkSignature(checkpoint, key, key.name)
    return true
  } catch {
    return false
  }
}

/** Judges what the shop shows by what was kept; never throws for either. */
export function checkWatch({ kept, key, now, proof }: WatchQuestion, sha256: Sha256): WatchOutcome {
  const shown = read(now)
  if (!shown) return 'unreadable'
  const keptKey = keyIn(kept?.key, sha256)
  const seen = kept === null ? undefined : read(kept.note)
  if (!keptKey || !seen || !isSigned(seen, keptKey)) {
    const own = keyIn(key ?? undefined, sha256)
    return own && isSigned(shown, own) ? 'forgotten' : 'unreadable'
  }
  if ((key !== null && key !== kept?.key) || !isSigned(shown, keptKey)) return 'key'
  const [small, large] = seen.size <= shown.size ? [seen, shown] : [shown, seen]
  if (small.size < large.size && small.time > large.time) return small === shown ? 'size' : 'time'
  if (small.size < large.size && proof === null) return 'unproven'
  try {
    const hashes = small.size === large.size ? [] : proof!.map((text) => fromHex(text))
    if (!isConsistent(small, large, hashes, sha256)) return 'history'
  } catch {
    return 'unproven'
  }
  return shown.size > seen.size || shown.time >= seen.time ? 'newer' : 'older'
}
