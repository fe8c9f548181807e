import { ApiError, type FailureTexts, readFailure } from '#client/api-error.ts'
import type { Language } from '#shared/languages.ts'
import type { UploadedPicture } from '../pictures.contract.ts'
import { SIDE_MAX, fileTypeOf } from '../pictures.rules.ts'

const ADDRESS = '/api/staff/pictures/'
/** Above it a slow connection may need longer than the server waits; a smaller copy is sent then. */
const HEAVY_BYTES = 2_000_000
const LIGHT_SIDE = 2_400
const QUALITY = 0.9
/** The server waited too long for the body; a proxy may cut the connection instead. */
const TIMEOUT = 408
const TIMED_OUT = [0, TIMEOUT]
const BUSY = 503
const BUSY_PAUSES_MS = [3_000, 6_000, 12_000]

interface Upload {
  language: Language
  texts: FailureTexts & { tooSlow: string }
  /** Share that is sent, 0 to 1. */
  onProgress: (share: number) => void
  signal: AbortSignal
}

/** Sends a picture. @throws ApiError with what is wrong with it */
export async function uploadPicture(file: File, upload: Upload): Promise<UploadedPicture> {
  const head = new Uint8Array(await file.slice(0, 64).arrayBuffer())
  // The browsers of the phones that make these files can read them; the server cannot.
  const sent = fileTypeOf(head) === 'heic' ? ((await copyOf(file, SIDE_MAX)) ?? file) : file
  try {
    return await sendPatiently(sent, upload)
  } catch (error) {
    const isSlow = error instanceof ApiError && TIMED_OUT.includes(error.status)
    const lighter = isSlow && sent.size > HEAVY_BYTES ? await copyOf(sent, LIGHT_SIDE) : undefined
    if (!lighter) throw error
    return await sendPatiently(lighter, upload)
  }
}

/** Waits a little while other pictures are being checked. */
async function sendPatiently(body: Blob, upload: Upload): Promise<UploadedPicture> {
  for (const pause of BUSY_PAUSES_MS) {
    try {
      return await send(body, upload)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== BUSY) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return await send(body, upload)
}

/** A copy as JPEG, no larger than a square; undefined when the browser cannot read the picture. */
async function copyOf(file: Blob, side: number): Promise<Blob | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) return undefined
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.floor(bitmap.width * scale)
  canvas.height = Math.floor(bitmap.height * scale)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return await new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/jpeg', QUALITY),
  )
}

/** `fetch` does not tell how much is sent. */
function send(body: Blob, { language, texts, onProgress, signal }: Upload): Promise<UploadedPicture> {
  const request = new XMLHttpRequest()
  const network = (): ApiError => new ApiError({ status: 0, network: true, message: texts.network })
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(network())
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.open('POST', ADDRESS)
    request.responseType = 'json'
    request.setRequestHeader('accept-language', language)
    // The server looks at the content alone.
    request.setRequestHeader('content-type', body.type.startsWith('image/') ? body.type : 'image/unknown')
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('load', () => {
      if (request.status === 200) resolve(request.response as UploadedPicture)
      // Its response is not about pictures, nor in the reader's language.
      else if (request.status === TIMEOUT)
        reject(new ApiError({ status: TIMEOUT, network: false, message: texts.tooSlow }))
      else reject(new ApiError(readFailure(request.status, request.response, texts)))
    })
    for (const event of ['error', 'abort', 'timeout'])
      request.addEventListener(event, () => reject(network()))
    request.send(body)
  })
}
