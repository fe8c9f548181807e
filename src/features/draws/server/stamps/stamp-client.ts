/** How an authority is asked for a time stamp (RFC 3161, section 3.4). */
import { randomBytes } from 'node:crypto'
import { fetchFault } from '#platform/http/fetch-fault.ts'
import { readAtMost } from '#platform/http/read-at-most.ts'
import { DrawFault } from '#draw-protocol/faults.ts'
import { MOST_STAMP_BYTES, type Stamp } from '#draw-protocol/stamps.ts'

export type StampResponse =
  | { kind: 'stamped'; stamp: Stamp; bytes: Buffer }
  /** In words for whoever looks after the server. */
  | { kind: 'failed'; fault: string }

const failed = (fault: string): StampResponse => ({ kind: 'failed', fault })

const FAULTS: Readonly<Record<string, string>> = {
  'stamp-form': 'no time stamp',
  'stamp-other': 'a time stamp of another file',
  'stamp-foreign': 'not a valid time stamp of the authority that the terms name',
}

/**
 * Asks for a stamp of a hash. Nothing of the response is trusted but a valid stamp of the authority.
 * @param certificates of the authority that the terms name
 */
export async function askStamp(
  url: string,
  { hash, certificates }: { hash: string; certificates: Uint8Array[] },
  timeoutMs: number,
): Promise<StampResponse> {
  // They read certificates by libraries that no other part of the server needs.
  const { checkStamp, hasNonce, stampRequest } = await import('#draw-protocol/stamp-tokens.ts')
  const nonce = randomBytes(8)
  let status: number
  let bytes: Buffer | undefined
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: Buffer.from(stampRequest(hash, nonce)),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    status = response.status
    bytes = await readAtMost(response, MOST_STAMP_BYTES)
  } catch (error) {
    return failed(fetchFault(error, timeoutMs))
  }
  if (bytes === undefined) return failed(`more than ${MOST_STAMP_BYTES} bytes`)
  if (status !== 200) return failed(`status ${status}`)
  try {
    if (!hasNonce(bytes, nonce)) return failed('the answer to another request')
    return { kind: 'stamped', stamp: await checkStamp(bytes, { certificates, hash }), bytes }
  } catch (error) {
    if (error instanceof DrawFault) return failed(FAULTS[error.code] ?? error.message)
    throw error
  }
}
