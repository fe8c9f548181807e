/** Long enough for a phone to open the file. */
const REVOKE_MS = 60_000

/** Offers a file to the person, as a download does. */
export function saveFile(data: Blob, name: string): void {
  const address = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_MS)
}
