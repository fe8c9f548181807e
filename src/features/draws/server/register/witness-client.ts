/** How a witness is asked: https://c2sp.org/tlog-witness */
import { fetchFault } from '#platform/http/fetch-fault.ts'
import { readAtMost } from '#platform/http/read-at-most.ts'
import { toBase64, toBytes } from '#draw-protocol/bytes.ts'
import { type Checkpoint, parseCheckpoints } from '#draw-protocol/checkpoints.ts'
import { FalseCosignature, type WitnessKey, cosignaturesOf } from '#draw-protocol/cosignatures.ts'
import { DrawFault } from '#draw-protocol/faults.ts'
import { verifyMlDsa } from './policies.ts'

/** What a witness gets: a checkpoint that continues the `old` leaves that it has seen. */
export interface Addition {
  old: number
  proof: readonly Uint8Array[]
  note: string
}

export type WitnessResponse =
  /** It signed at this time, in Unix seconds. */
  | { kind: 'signed'; time: number; line: string }
  /** It has seen another size. */
  | { kind: 'size'; size: number }
  /** The checkpoint does not continue what it has seen. */
  | { kind: 'inconsistent' }
  /** In words for whoever looks after the server. */
  | { kind: 'failed'; fault: string }

/** Several lines of ML-DSA. */
const MOST_BYTES = 16_384
const SIZE_TYPE = 'text/x.tlog.size'

const failed = (fault: string): WitnessResponse => ({ kind: 'failed', fault })

/** Asks a witness to sign a checkpoint. Nothing of what it responds is trusted but a signature of its key. */
export async function addCheckpoint(
  { key, url }: { key: WitnessKey; url: string },
  { old, proof, note }: Addition,
  timeoutMs: number,
): Promise<WitnessResponse> {
  const body = `old ${old}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${note}`
  let response: Response
  let text: string | undefined
  try {
    response = await fetch(`${url.replace(/\/+$/, '')}/add-checkpoint`, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    text = (await readAtMost(response, MOST_BYTES))?.toString('utf8')
  } catch (error) {
    return failed(fetchFault(error, timeoutMs))
  }
  const { status } = response
  if (text === undefined) return failed(`more than ${MOST_BYTES} bytes`)
  if (status === 200) return cosigned(key, note, text)
  if (status === 422) return { kind: 'inconsistent' }
  const isSize = response.headers.get('content-type')?.split(';')[0] === SIZE_TYPE
  const [, size] = /^(0|[1-9]\d{0,14})\n?$/.exec(text) ?? []
  if (status === 409 && isSize && size !== undefined) return { kind: 'size', size: Number(size) }
  return failed(`status ${status}`)
}

function cosigned(key: WitnessKey, note: string, lines: string): WitnessResponse {
  let checkpoint: Checkpoint | undefined
  try {
    checkpoint = parseCheckpoints(toBytes(note + lines))[0]
    const [own] = cosignaturesOf(checkpoint!, [key], verifyMlDsa)
    if (!own) return failed('no signature of its key')
    const at = checkpoint!.signatures.find(
      ({ name, id }) => name === key.name && Buffer.from(id).equals(key.id),
    )!
    const line = `${note}${lines}`.split('\n')[at.line - 1]!
    return { kind: 'signed', time: own.time, line }
  } catch (error) {
    if (error instanceof FalseCosignature) return failed('a false signature')
    if (error instanceof DrawFault) return failed('not the answer of a witness')
    throw error
  }
}
