import { copyText, shareSheet } from './browser-parts.ts'

/**
 * Opens the system's sheet, or copies the address where there is none.
 * @returns `copied` when the person has to be told so, `failed` when neither is possible
 */
export async function share(data: { title: string; url: string }): Promise<'done' | 'copied' | 'failed'> {
  try {
    const open = shareSheet()
    if (open) {
      await open(data)
      return 'done'
    }
  } catch (error) {
    // Who closes the sheet wants nothing.
    if (error instanceof DOMException && error.name === 'AbortError') return 'done'
  }
  return (await copyText(data.url)) ? 'copied' : 'failed'
}
