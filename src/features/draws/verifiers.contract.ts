import * as z from 'zod'

/** A program that checks a draw without this site, as a file to keep. */
const VerifierFile = z.object({
  path: z.string(),
  /** Of the file, in hexadecimal. */
  sha256: z.string(),
  bytes: z.int(),
})

/** GET /api/verifiers/: null where the file is missing, such as in development. */
export const Verifiers = z.object({
  /** One page for a browser without a network. */
  page: z.nullable(VerifierFile),
  /** A program for Python. */
  program: z.nullable(VerifierFile),
  /** The protocol, from which a program of one's own can be written. */
  protocol: z.nullable(VerifierFile),
})
export type Verifiers = z.infer<typeof Verifiers>
