import { WHOLE } from '../controls.ts'

/**
 * What a relay can do to its clients: from `error` to `huge` in every call, from `behind` on in responses with a round.
 */
export const behaviours = [
  'honest',
  ...WHOLE,
  'behind', // says of every round that it is in the future
  'missing', // says so as older relays do, with 404
  'early', // gives a round before its time
  'wrong-round', // the signature of the next round under the number of this one
  'old-round', // the round before, whole and valid
  'bad-signature', // one bit changed
  'other-chain', // the same round, signed with another key
] as const
