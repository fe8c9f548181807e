/** The register of a shop, to which the witnesses' signatures belong (docs/draw-v1.md, section 6). */
import { tagOf } from './formats.ts'

/** The leaf by which the terms of a contest are published; without LF, as the others. */
export const termsLeaf = (leaf: { contest: string; termsHash: string; rehearsal?: boolean }): string =>
  [tagOf('volant-terms-v1', leaf.rehearsal ?? false), leaf.contest, leaf.termsHash].join('\t')

/** The leaf that fixes the first `size` leaves of a contest's log. @param leaf.root hexadecimal */
export const logLeaf = (leaf: { contest: string; size: number; root: string; rehearsal?: boolean }): string =>
  [tagOf('volant-log-v1', leaf.rehearsal ?? false), leaf.contest, leaf.size, leaf.root].join('\t')

/** The leaf of a program that checks draws. @param leaf.hash hexadecimal SHA-256 of the program */
export const verifierLeaf = (leaf: { name: string; hash: string; rehearsal?: boolean }): string =>
  [tagOf('volant-verifier-v1', leaf.rehearsal ?? false), leaf.name, leaf.hash].join('\t')
