/** Header of a refusal that a proof of work lifts: the challenge. */
export const PROOF_CHALLENGE = 'x-challenge'
/** Header of the repeated call: the challenge with its solution. */
export const PROOF = 'x-proof'
